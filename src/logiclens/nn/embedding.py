"""Concept embeddings: a concept is a vector rather than a number (Espinosa Zarlenga et al., 2022).

A network of any kind gives features ``h`` of a raw input. Of these are made, for each concept, an active and
an inactive vector, and from the two its score; the score mixes them:

    v+_j, v-_j  =  leaky ReLU(A_j h)             s_j  =  sigmoid(a . [v+_j, v-_j] + b)
    v_j         =  s_j v+_j + (1 - s_j) v-_j     logits of the outputs  =  W [v_1, ..., v_k] + d

The outputs read vectors, which may say more about the input than the scores do. So they can be right where
the concepts do not decide the classes, and rules over the scores, which cannot see the vectors, may not say
all that the network does. To set a score by hand is to choose which of the two vectors is read. Outputs learn
to heed that in :mod:`logiclens.pipelines._concept_training` (RandInt).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu


class EmbeddingNetwork(nn.Module):
    """A network whose outputs read a vector for each concept.

    Parameters
    ----------
    features : torch.nn.Module
        From raw inputs to features, (n, n_features).
    n_features, n_concepts, n_outputs : int
    size : int
        Numbers in the vector of a concept.
    train_features : bool, default True
        Whether ``features`` is trained, too, but for weights that are frozen; otherwise it stays as it is,
        and in evaluation mode.

    Examples
    --------
    >>> network = EmbeddingNetwork(nn.Linear(4, 8), 8, n_concepts=3, n_outputs=2, size=5)
    >>> vectors = network(torch.zeros(6, 4))
    >>> scores = torch.sigmoid(network.concept_logits(vectors))
    >>> vectors.shape, scores.shape, network.outputs(vectors, scores).shape
    (torch.Size([6, 3, 2, 5]), torch.Size([6, 3]), torch.Size([6, 2]))
    """

    def __init__(
        self,
        features: nn.Module,
        n_features: int,
        n_concepts: int,
        n_outputs: int,
        size: int,
        *,
        train_features: bool = True,
    ) -> None:
        super().__init__()
        self.features = features if train_features else features.requires_grad_(False)
        self.train_features = train_features
        self.n_concepts, self.size = n_concepts, size
        self.context = nn.Linear(n_features, n_concepts * 2 * size)
        self.score = nn.Linear(2 * size, 1)
        self.head = nn.Linear(n_concepts * size, n_outputs)

    def train(self, mode: bool = True) -> EmbeddingNetwork:
        """Set the mode of all parts that are trained."""
        super().train(mode)
        if not self.train_features:
            self.features.eval()
        return self

    def forward(self, x: Tensor) -> Tensor:
        """The active and the inactive vector of each concept, (n, n_concepts, 2, size)."""
        vectors: Tensor = leaky_relu(self.context(self.features(x)))
        return vectors.view(len(vectors), self.n_concepts, 2, self.size)

    def concept_logits(self, vectors: Tensor) -> Tensor:
        """Logits of the concepts' scores, (n, n_concepts)."""
        logits: Tensor = self.score(vectors.flatten(2)).squeeze(-1)
        return logits

    def outputs(self, vectors: Tensor, scores: Tensor) -> Tensor:
        """Logits of the outputs, (..., n, n_outputs), at scores (..., n, n_concepts)."""
        active, inactive = vectors.unbind(2)
        mixed = inactive + scores[..., None] * (active - inactive)
        logits: Tensor = self.head(mixed.flatten(-2))
        return logits

    def effects(self, vectors: Tensor) -> Tensor:
        """What a logit gains as a concept's score goes from 0 to 1, (n, n_outputs, n_concepts)."""
        active, inactive = vectors.unbind(2)
        weight = self.head.weight.view(-1, self.n_concepts, self.size)
        return torch.einsum("ncs,ocs->noc", active - inactive, weight)

    @torch.no_grad()
    def rescale(self, factors: Tensor) -> None:
        """Multiply the logits of the outputs, each by its factor, (n_outputs,)."""
        self.head.weight.mul_(factors.to(self.head.weight)[:, None])
        self.head.bias.mul_(factors.to(self.head.bias))
