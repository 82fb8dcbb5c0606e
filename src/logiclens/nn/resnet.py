"""ResNet10 and ResNet18: the networks that turn pictures into concepts in the paper's experiments (Sec. 6).

Four stages of 64, 128, 256 and 512 channels, of one residual block each in ResNet10, the smallest of the
residual networks, and of two each in ResNet18. They are trained from scratch together with what stands on
top of them; no weights come with them. What stands before the first stage, the stem, depends on the size of
the pictures:

    small    one 3 x 3 convolution                      28 to 64 pixels a side
    medium   one 3 x 3 convolution of stride 2          about 100
    large    7 x 7 of stride 2, then pooling by 2       200 and more
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar, TypeVar

import torch
from torch import Tensor, nn

from logiclens.errors import InputError, listing, shown

STEMS = ("small", "medium", "large")
"""What may stand before the first stage."""


class ResidualBlock(nn.Module):
    """Two 3 x 3 convolutions, and a shortcut past them.

    Parameters
    ----------
    n_in, n_out : int
        Channels that go in and out.
    stride : int
        Step of the first convolution; the shortcut is a 1 x 1 convolution of the same step where the shape
        changes.
    """

    def __init__(self, n_in: int, n_out: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(n_in, n_out, 3, stride, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(n_out)
        self.second = nn.Conv2d(n_out, n_out, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(n_out)
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or n_in != n_out:
            self.shortcut = nn.Sequential(
                nn.Conv2d(n_in, n_out, 1, stride, bias=False), nn.BatchNorm2d(n_out)
            )

    def forward(self, x: Tensor) -> Tensor:
        """Map (n, n_in, height, width) to (n, n_out, height / stride, width / stride)."""
        inner = torch.relu(self.first_norm(self.first(x)))
        return torch.relu(self.second_norm(self.second(inner)) + self.shortcut(x))


class ResNet(nn.Module):
    """A residual network that gives one logit for each concept.

    Parameters
    ----------
    n_concepts : int
        Concepts that come out.
    channels : int, default 3
        Channels of a picture: 3 for color, 1 for gray.
    width : int, default 64
        Channels of the first stage; each later stage has twice as many as the one before.
    stem : {"small", "medium", "large"}, default "small"
        What stands before the first stage; the larger the pictures, the larger.
    dropout : float, default 0
        Share of the pooled features that is left out at random while training.

    References
    ----------
    He et al., *Deep Residual Learning for Image Recognition*, 2016; Sec. 6 of Ciravegna et al., *Logic
    Explained Networks*.
    """

    blocks: ClassVar[int]
    """Residual blocks in each of the four stages."""

    def __init__(
        self, n_concepts: int, channels: int = 3, width: int = 64, stem: str = "small", dropout: float = 0.0
    ) -> None:
        super().__init__()
        for name, value in (("n_concepts", n_concepts), ("channels", channels), ("width", width)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} must be a whole number of at least 1. Got {shown(value)}.")
        if not isinstance(stem, str) or stem not in STEMS:
            raise InputError(f"stem must be one of {listing(STEMS)}. Got {shown(stem)}.")
        if isinstance(dropout, bool) or not isinstance(dropout, int | float) or not 0 <= dropout < 1:
            raise InputError(f"dropout must be a number in [0, 1). Got {shown(dropout)}.")
        self.stem = _stem(channels, width, stem)
        sizes = [width, width, 2 * width, 4 * width, 8 * width]
        self.stages = nn.Sequential(
            *(
                block
                for at, (n_in, n_out) in enumerate(pairwise(sizes))
                for block in _stage(self.blocks, n_in, n_out, 1 if at == 0 else 2)
            )
        )
        self.dropout = nn.Dropout(dropout)
        self.last = nn.Linear(sizes[-1], n_concepts)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: Tensor) -> Tensor:
        """Concept logits, (n, n_concepts), of pictures (n, channels, height, width) with values in [0, 1]."""
        features = self.stages(self.stem(x)).mean(dim=(2, 3))
        logits: Tensor = self.last(self.dropout(features))
        return logits


class ResNet10(ResNet):
    """A :class:`ResNet` of ten layers, one residual block a stage.

    Examples
    --------
    >>> network = ResNet10(n_concepts=10, channels=1, width=8)
    >>> network(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 10])
    """

    blocks = 1


class ResNet18(ResNet):
    """A :class:`ResNet` of eighteen layers, two residual blocks a stage."""

    blocks = 2


def resnet10(
    n_concepts: int,
    channels: int = 3,
    *,
    width: int = 64,
    stem: str = "small",
    dropout: float = 0.0,
    random_state: int = 0,
) -> ResNet10:
    """Make a :class:`ResNet10` whose first weights depend on ``random_state`` alone.

    torch's own random numbers go on as if nothing had happened.

    Parameters
    ----------
    n_concepts, channels, width, stem, dropout
        As for :class:`ResNet10`.
    random_state : int, default 0
        The same number gives the same weights.

    Returns
    -------
    ResNet10

    Examples
    --------
    >>> one, other = resnet10(10, 1, width=8), resnet10(10, 1, width=8)
    >>> bool((one.last.weight == other.last.weight).all())
    True
    """
    return _make_seeded(ResNet10, random_state, n_concepts, channels, width, stem, dropout)


def resnet18(
    n_concepts: int,
    channels: int = 3,
    *,
    width: int = 64,
    stem: str = "small",
    dropout: float = 0.0,
    random_state: int = 0,
) -> ResNet18:
    """Make a :class:`ResNet18`; the parameters are those of :func:`resnet10`."""
    return _make_seeded(ResNet18, random_state, n_concepts, channels, width, stem, dropout)


Network = TypeVar("Network", bound=ResNet)


def _make_seeded(kind: type[Network], random_state: int, *settings: Any) -> Network:
    if isinstance(random_state, bool) or not isinstance(random_state, int) or random_state < 0:
        raise InputError(f"random_state must be a whole number of at least 0. Got {shown(random_state)}.")
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(random_state)
        return kind(*settings)


def _stage(n_blocks: int, n_in: int, n_out: int, stride: int) -> list[ResidualBlock]:
    """The blocks of a stage: the first changes the shape."""
    return [ResidualBlock(n_out if at else n_in, n_out, 1 if at else stride) for at in range(n_blocks)]


def _stem(channels: int, width: int, kind: str) -> nn.Sequential:
    size, stride = {"small": (3, 1), "medium": (3, 2), "large": (7, 2)}[kind]
    layers: list[nn.Module] = [
        nn.Conv2d(channels, width, size, stride, padding=size // 2, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(),
    ]
    if kind == "large":
        layers.append(nn.MaxPool2d(3, stride=2, padding=1))
    return nn.Sequential(*layers)
