"""Other views of pictures, drawn at random while a network is trained on them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import affine_grid, grid_sample


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
