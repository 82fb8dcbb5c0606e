"""Other views of pictures: their shapes, ranges, and nothing global that changes."""

from __future__ import annotations

import torch

from logiclens.bench.views import RandomView


def test_a_view_of_everything_is_the_picture_itself():
    pictures = torch.rand(3, 2, 8, 8)

    assert torch.allclose(RandomView()(pictures), pictures, atol=1e-5)


def test_views_are_mirrored_half_of_the_time():
    pictures = torch.rand(200, 1, 6, 6)
    views = RandomView(mirror=True)(pictures)
    same = torch.isclose(views, pictures, atol=1e-5).all(dim=(1, 2, 3))
    mirrored = torch.isclose(views, pictures.flip(3), atol=1e-5).all(dim=(1, 2, 3))

    assert (same | mirrored).all()
    assert 60 < same.sum() < 140


def test_views_have_the_shape_of_the_pictures():
    pictures = torch.rand(5, 3, 9, 7)
    views = RandomView((0.5, 1.2), turn=30.0, shift=0.2, mirror=True, light=0.5)(pictures)

    assert views.shape == pictures.shape
    assert torch.isfinite(views).all()
