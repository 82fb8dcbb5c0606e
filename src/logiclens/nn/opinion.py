"""A second opinion beside a network: weighted concepts, heard where their sum is large enough.

    z = w x + b
    logit = z - margin sign(z) where |z| > margin and z is of the other sign, the network's own elsewhere

So a network may answer by a few concepts nearly everywhere, and yet follow more where they leave no doubt.
The margin is about what it takes to outweigh the network, the rest of ``z`` is how sure both are together.

Networks of several classes, of which one is the answer, have an opinion in common instead: a ``z`` for each.
It is heard where not exactly one of them says yes,

    logit = log softmax(z), where none says yes
    logit = - log (1 - softmax(z)) over those that say yes, where several do

so that the largest ``z`` decides, while every network still says yes or no as it did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from logiclens.logic.arrays import FloatArray

OPINION = ("opinion", "opinion_bias", "opinion_margin")
"""Names of the tensors that a population keeps second opinions in."""


@dataclass(frozen=True, eq=False)
class Opinion:
    """A second opinion about one output.

    Attributes
    ----------
    weight : ndarray of shape (n_concepts,)
        0 for concepts that it does not read.
    bias : float
    margin : float
        Size of its logit above which it is heard.
    """

    weight: FloatArray
    bias: float
    margin: float


@dataclass(frozen=True, eq=False)
class CommonOpinion:
    """An opinion about all classes.

    Attributes
    ----------
    weight : ndarray of shape (members, n_concepts)
    bias : ndarray of shape (members,)
    """

    weight: FloatArray
    bias: FloatArray

    def logits(self, x: FloatArray) -> FloatArray:
        """What it says about rows, (n, members)."""
        return np.asarray(x @ self.weight.T + self.bias)


def stacked(opinions: Sequence[Opinion | None], n_concepts: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights (members, n_concepts), biases and margins, each (members,); all 0, so never heard, for None.

    Examples
    --------
    >>> stacked([None, Opinion(np.array([0.0, 2.0]), -1.0, 0.5)], 2)[0].tolist()
    [[0.0, 0.0], [0.0, 2.0]]
    """
    silent = Opinion(np.zeros(n_concepts), 0.0, 0.0)
    given = [silent if opinion is None else opinion for opinion in opinions]
    return (
        np.stack([opinion.weight for opinion in given]),
        np.array([opinion.bias for opinion in given]),
        np.array([opinion.margin for opinion in given]),
    )


def heard(logits: Tensor, x: Tensor, weight: Tensor, bias: Tensor, margin: Tensor) -> Tensor:
    """Logits (members, n) of networks that hear second opinions on rows x, (n, n_concepts).

    Examples
    --------
    >>> own, x = torch.tensor([[-1.0, -1.0]]), torch.tensor([[1.0], [0.0]])
    >>> heard(own, x, torch.tensor([[3.0]]), torch.tensor([-0.5]), torch.tensor([1.0]))
    tensor([[ 1.5000, -1.0000]])
    """
    second = torch.addmm(bias[:, None], weight, x.T)
    sure_against = (second.abs() > margin[:, None]) & ((second > 0) != (logits > 0))
    return torch.where(sure_against, second - torch.copysign(margin[:, None], second), logits)


def told_apart(logits: Tensor, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Logits (members, n) of networks that have an opinion in common about rows x, (n, n_concepts).

    Examples
    --------
    About the first row one network says yes, about the second none, about the third both.

    >>> own = torch.tensor([[1.0, -1.0, 2.0], [-1.0, -2.0, 1.0]])
    >>> x = torch.ones(3, 1)
    >>> told_apart(own, x, torch.tensor([[0.0], [1.0]]), torch.zeros(2))
    tensor([[ 1.0000, -1.3133,  0.3133],
            [-1.0000, -0.3133,  1.3133]])
    """
    said_yes = logits > 0
    none, several = ~said_yes.any(dim=0), said_yes & (said_yes.sum(dim=0) > 1)
    second = torch.addmm(bias[:, None], weight, x.T).masked_fill(~(said_yes | none), -torch.inf)
    share = torch.log_softmax(second, dim=0)
    # Elsewhere any number serves that has a gradient; a share of 1 leaves nothing to take the logarithm of.
    left = torch.where(several, share, -1.0).clamp(max=-torch.finfo(share.dtype).eps)
    rest = (-torch.log1p(-left.exp())).clamp(min=torch.finfo(share.dtype).tiny)
    return torch.where(none, share, torch.where(several, rest, logits))
