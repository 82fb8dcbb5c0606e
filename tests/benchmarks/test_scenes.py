"""Scenes of the adversarial experiment: parts that do not overlap, networks with the outputs they need."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from benchmarks.scenes import RandomView, TwoTowers, cub_scene, digits_scene, make_network, train_network

from benchmarks import scenes
from logiclens.bench.datasets import Pictures


def test_the_parts_of_a_scene_do_not_overlap():
    scene = digits_scene()
    parts = [scene.train, scene.calibrate, scene.test]

    assert sum(map(len, parts)) == len(np.unique(np.concatenate(parts))) == len(scene.labels)
    assert not np.array_equal(scene.test, digits_scene(seed=1).test)


def test_every_digit_has_concepts_of_its_own():
    scene = digits_scene()
    kinds = {tuple(row) for row in scene.concepts.tolist()}

    assert len(kinds) == 10
    assert scene.truth().shape == (len(scene.labels), len(scene.output_names))
    assert scene.truth()[:, list(scene.class_outputs)].sum(dim=1).eq(1).all()
    assert scene.inputs(scene.test).max() <= 1


def test_the_birds_are_read_as_a_scene(monkeypatch):
    birds = Pictures(
        name="cub",
        pictures=np.full((6, 3, 4, 4), 255, dtype=np.uint8),
        concepts=np.eye(6, 2, dtype=np.bool_),
        concept_names=("red", "blue"),
        labels=np.array(["jay", "robin", "jay", "robin", "jay", "robin"]),
        target_names=("robin", "jay"),
        split_train=np.array([0, 1]),
        split_test=np.array([2, 3, 4, 5]),
        citation="",
    )
    monkeypatch.setattr(scenes, "load_cub_pictures", lambda _: birds)
    scene = cub_scene()

    assert scene.labels.tolist() == [1, 0, 1, 0, 1, 0]
    assert sorted([*scene.calibrate, *scene.test]) == [2, 3, 4, 5]
    assert scene.inputs(scene.test).eq(1).all()
    assert make_network(scene, 2, 0).eval()(torch.rand(1, 3, 16, 16)).shape == (1, 4)


def test_seeds_set_other_birds_aside(monkeypatch):
    birds = Pictures(
        name="cub",
        pictures=np.zeros((50, 3, 2, 2), dtype=np.uint8),
        concepts=np.zeros((50, 1), dtype=np.bool_),
        concept_names=("red",),
        labels=np.array(["jay"] * 50),
        target_names=("jay",),
        split_train=np.arange(40),
        split_test=np.arange(40, 50),
        citation="",
    )
    monkeypatch.setattr(scenes, "load_cub_pictures", lambda _: birds)
    aside = [{*scene.calibrate, *scene.test} for scene in (cub_scene(seed=seed) for seed in range(6))]

    assert [len(rows) for rows in aside] == [10] * 6
    assert aside[0] == aside[5] == set(range(40, 50))
    assert set.union(*aside[:5]) == set(range(50))
    for seed in range(6):
        assert set(cub_scene(seed=seed).train) == set(range(50)) - aside[seed]


@pytest.mark.parametrize("towers", [1, 2])
def test_a_network_says_concepts_and_classes(towers):
    scene = digits_scene()
    network = make_network(scene, towers, seed=0)
    same = make_network(scene, towers, seed=0)
    x = scene.inputs(scene.test[:3])

    assert isinstance(network, TwoTowers) == (towers == 2)
    assert network(x).shape == (3, len(scene.output_names))
    assert torch.equal(network(x), same(x))
    assert torch.sigmoid(network(x))[:, list(scene.class_outputs)].mean() < 0.2  # one of ten, to begin with


def test_it_learns():
    scene = digits_scene()
    network = train_network(scene, make_network(scene, 2, seed=0), epochs=3, device="cpu", seed=0)
    with torch.no_grad():
        said = network(scene.inputs(scene.test))[:, list(scene.class_outputs)].argmax(dim=1).numpy()

    assert (said == scene.labels[scene.test]).mean() > 0.7


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
