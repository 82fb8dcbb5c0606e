"""Scenes of the adversarial experiment: pictures, what is to be seen on them, and the networks that look.

A scene has pictures of classes with the concepts that go with each class, and three parts that do not
overlap: rows to train on, to set guards on, and to attack. The birds of CUB are the paper's scene (Sec. 6.4);
the digits of scikit-learn are a small one that any machine can run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import affine_grid, binary_cross_entropy_with_logits, grid_sample, one_hot

from logiclens.bench.datasets import Folder, load_cub_pictures
from logiclens.logic.arrays import BoolArray, IndexArray
from logiclens.nn.resnet import resnet18
from logiclens.pipelines._concept_training import ConceptPlan, Loss, seeded, train_concepts

_CLASS_LOSS = 0.2  # what the summed loss of the classes counts beside the mean loss of the concepts

_DIGIT_CONCEPTS = {
    "even": (0, 2, 4, 6, 8),
    "closed_loop": (0, 4, 6, 8, 9),
    "loop_at_the_top": (0, 4, 8, 9),
    "loop_at_the_bottom": (0, 6, 8),
    "straight_strokes": (1, 4, 7),
    "line_at_the_top": (5, 7),
    "line_at_the_bottom": (2,),
    "upright_stroke": (1, 4, 9),
    "open_to_the_left": (1, 2, 3, 5, 7, 9),
    "open_to_the_right": (2, 5, 6),
    "two_loops": (8,),
}
"""What is to be seen on handwritten digits, as far as it goes with the digit."""


@dataclass(frozen=True, eq=False)
class Scene:
    """Pictures of classes, and the concepts that go with them.

    Attributes
    ----------
    name : str
    pictures : Tensor of shape (n, channels, height, width)
        Bytes, or numbers in [0, 1].
    concepts : ndarray of bool, shape (n, n_concepts)
    labels : ndarray of int, shape (n,)
        Place of each picture's class among the names.
    concept_names, class_names : tuple of str
    train, calibrate, test : ndarray of int
        Rows for network and rules, to set guards on, and to attack; no row is in two of them.
    """

    name: str
    pictures: Tensor
    concepts: BoolArray
    labels: IndexArray
    concept_names: tuple[str, ...]
    class_names: tuple[str, ...]
    train: IndexArray
    calibrate: IndexArray
    test: IndexArray

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of what a network says: concepts, then classes."""
        return (*self.concept_names, *self.class_names)

    @property
    def class_outputs(self) -> range:
        """Places of the classes among the outputs."""
        return range(len(self.concept_names), len(self.output_names))

    def inputs(self, rows: IndexArray) -> Tensor:
        """Some pictures as numbers in [0, 1]."""
        pictures = self.pictures[torch.from_numpy(rows)]
        return pictures.float() / 255.0 if pictures.dtype == torch.uint8 else pictures

    def truth(self) -> Tensor:
        """What is to be said of each picture, shape (n, n_outputs)."""
        concepts = torch.from_numpy(self.concepts).float()
        return torch.cat(
            [concepts, one_hot(torch.from_numpy(self.labels), len(self.class_names)).float()], dim=1
        )


def cub_scene(data_dir: Folder = None, *, seed: int = 0) -> Scene:
    """The birds of CUB, 112 pixels a side: 200 species, 108 attributes.

    A fifth of the pictures is set aside, and cut in half at random; the others are to train on. With a seed
    of 0 that fifth is the pictures' ``split_test``; seeds of 1 to 4 set aside another fifth each, so that
    what was chosen by looking at one fifth can be tried on pictures that had no part in it. Larger seeds take
    the fifths again, in the same order.
    """
    birds = load_cub_pictures(data_dir)
    place = {name: at for at, name in enumerate(birds.target_names)}
    labels = np.array([place[label] for label in birds.labels.tolist()], dtype=np.intp)
    fifths = _fifths(birds.split_train, birds.split_test)
    aside = fifths.pop(seed % len(fifths))
    calibrate, test = _halves(aside, seed)
    return Scene(
        "cub",
        torch.from_numpy(birds.pictures),
        birds.concepts,
        labels,
        birds.concept_names,
        birds.target_names,
        np.sort(np.concatenate(fifths)),
        calibrate,
        test,
    )


def digits_scene(*, seed: int = 0) -> Scene:
    """The digits of scikit-learn, 8 pixels a side: ten classes, eleven concepts."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    labels = digits.target.astype(np.intp)
    order = np.random.default_rng(seed).permutation(len(labels))
    calibrate, test = _halves(order[: len(order) // 2], seed + 1)
    by_digit = np.array([[digit in seen for seen in _DIGIT_CONCEPTS.values()] for digit in range(10)])
    return Scene(
        "digits",
        torch.from_numpy(digits.images).float()[:, None] / 16.0,
        by_digit[labels],
        labels,
        tuple(_DIGIT_CONCEPTS),
        tuple(f"digit_{digit}" for digit in range(10)),
        np.sort(order[len(order) // 2 :]),
        calibrate,
        test,
    )


def _fifths(train: IndexArray, test: IndexArray) -> list[IndexArray]:
    """The rows of ``test``, and four parts of about as many each, drawn at random, of those of ``train``."""
    return [test, *np.array_split(np.random.default_rng(0).permutation(train), 4)]


def _halves(rows: IndexArray, seed: int) -> tuple[IndexArray, IndexArray]:
    order = np.random.default_rng(seed).permutation(rows)
    return np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])


class TwoTowers(nn.Module):
    """Two networks side by side that see the same picture: one says the concepts, the other the classes.

    Where one network says both, from the same features, whoever moves the classes moves the concepts along,
    and rules between them stay true. Two networks have nothing in common but the picture.
    """

    def __init__(self, concepts: nn.Module, classes: nn.Module) -> None:
        super().__init__()
        self.concepts, self.classes = concepts, classes

    def forward(self, x: Tensor) -> Tensor:
        """Logits of the concepts, then of the classes, (n, n_outputs)."""
        return torch.cat([self.concepts(x), self.classes(x)], dim=1)


def make_network(scene: Scene, towers: int, seed: int) -> nn.Module:
    """An untrained network with the outputs of a scene: one for all of them, or two towers.

    ResNet18 for birds; for digits two convolutions.
    """
    n_concepts, n_classes = len(scene.concept_names), len(scene.class_names)
    if towers == 1:
        return _tower(scene, n_concepts + n_classes, n_classes, seed)
    return TwoTowers(_tower(scene, n_concepts, 0, seed), _tower(scene, n_classes, n_classes, seed + 1))


def _tower(scene: Scene, n_outputs: int, n_classes: int, seed: int) -> nn.Module:
    if scene.name == "cub":
        network: nn.Module = resnet18(n_outputs, 3, stem="medium", dropout=0.2, random_state=seed)
    else:
        with seeded(seed, torch.device("cpu")):
            network = nn.Sequential(
                nn.Conv2d(1, 16, 3, padding=1),
                nn.ReLU(),
                nn.Conv2d(16, 32, 3, padding=1),
                nn.ReLU(),
                nn.MaxPool2d(2),
                nn.Flatten(),
                nn.Linear(512, n_outputs),
            )
    last = [layer for layer in network.modules() if isinstance(layer, nn.Linear)][-1]
    if n_classes:  # one of many is true: the bias says so from the start
        with torch.no_grad():
            last.bias[n_outputs - n_classes :] -= float(np.log(n_classes - 1))
    return network


def train_network(scene: Scene, network: nn.Module, *, epochs: int, device: str, seed: int) -> nn.Module:
    """Train a network on the training rows of a scene, and return it, on the device."""
    place = torch.device(device)
    network = network.to(place)
    view = None
    if scene.name == "cub":
        view = RandomView((0.6, 1.0), mirror=True, light=0.3)
    plan = ConceptPlan(
        epochs=epochs,
        batch_size=128,
        learning_rate=1e-3 if scene.name == "cub" else 3e-3,
        weight_decay=5e-2,
        patience=epochs,
        augment=view,
    )
    parts = torch.from_numpy(scene.train), torch.arange(0)
    train_concepts(network, scene.pictures, _loss(scene, place), parts, plan, seed=seed)
    return network


def _loss(scene: Scene, device: torch.device) -> Loss:
    """Binary cross-entropy: the mean over concepts, and a share of the sum over classes."""
    truth, n_concepts = scene.truth().to(device), len(scene.concept_names)

    def loss(logits: Tensor, rows: Tensor) -> Tensor:
        values = binary_cross_entropy_with_logits(logits, truth[rows], reduction="none")
        return values[:, :n_concepts].mean(dim=1) + _CLASS_LOSS * values[:, n_concepts:].sum(dim=1)

    return loss


@dataclass(frozen=True)
class RandomView:
    """Another view of each picture of a batch: moved, turned, zoomed, mirrored, in another light.

    Attributes
    ----------
    zoom : pair of float
        Least and largest share of a side that is seen; more than 1 shows a margin.
    turn : float
        Most degrees of rotation, either way.
    shift : float
        Most that the view moves, as a share of half a side, beyond what the zoom leaves free.
    mirror : bool
        Whether half of the pictures are mirrored, left to right.
    light : float
        Most that brightness and contrast change, as a share.
    """

    zoom: tuple[float, float] = (1.0, 1.0)
    turn: float = 0.0
    shift: float = 0.0
    mirror: bool = False
    light: float = 0.0

    def __call__(self, pictures: Tensor) -> Tensor:
        """Views of pictures (n, channels, height, width) with values in [0, 1], of the same shape."""
        n, device = len(pictures), pictures.device
        draw = torch.rand(7, n, device=device)
        scale = self.zoom[0] + (self.zoom[1] - self.zoom[0]) * draw[0]
        angle = math.radians(self.turn) * (2 * draw[1] - 1)
        free = (1.0 - scale).clamp(min=0.0) + self.shift
        sign = torch.where(draw[2] < 0.5, -1.0, 1.0) if self.mirror else torch.ones(n, device=device)
        cosine, sine = scale * angle.cos(), scale * angle.sin()
        theta = torch.stack(
            [
                torch.stack([cosine * sign, -sine, free * (2 * draw[3] - 1)], dim=1),
                torch.stack([sine * sign, cosine, free * (2 * draw[4] - 1)], dim=1),
            ],
            dim=1,
        )  # (n, 2, 3)
        grid = affine_grid(theta, list(pictures.shape), align_corners=False)
        views = grid_sample(
            pictures, grid, padding_mode="reflection" if self.mirror else "zeros", align_corners=False
        )
        if self.light:
            contrast, brightness = (1.0 + self.light * (2 * draw[j] - 1) for j in (5, 6))
            mean = views.mean(dim=(1, 2, 3), keepdim=True)
            views = (views - mean) * contrast[:, None, None, None] + mean * brightness[:, None, None, None]
        return views
