"""How far rules protect a network (Sec. 6.4, Fig. 11).

    python -m benchmarks.adversarial [--data cub --device cuda]

A network learns to say concepts and classes of pictures; LENs learn rules between the two from the same
training rows. Clean pictures are set aside for two purposes: guards are set on one part, so that they reject
a twentieth of it, and the other is attacked. An attacked picture counts as right when its class is right or
it is rejected; a clean one when its class is right and it is kept (Melacci et al., 2020). The attacker knows
the network (APGD-CE) or, in the adaptive attack, the guard as well.

What is found is one tidy row for each attack, strength and set of rules, written as soon as it is known.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from torch import nn

from benchmarks.adversarial_page import markdown_table
from benchmarks.scenes import Scene, cub_scene, digits_scene, make_network, train_network
from logiclens.errors import InputError, LogicLensError, shown
from logiclens.estimators import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier
from logiclens.explain import ExplanationSet, load_rules
from logiclens.files._storage import written_whole
from logiclens.guard import RuleGuard
from logiclens.guard.attack import Budget, Evade, Misclassify, Norm, apgd
from logiclens.guard.rule_guard import TNorm
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.metrics.agreement import wilson
from logiclens.pipelines._concept_training import concept_logits

NETWORKS = {"mu": MuClassifier, "psi": PsiClassifier, "relu": ReluClassifier, "entropy": EntropyClassifier}
"""Whose rules guard."""


_ON_CPU = 64  # pictures that a CPU looks at to see how long it takes


@dataclass(frozen=True)
class Protocol:
    """What is tried.

    Attributes
    ----------
    towers : int
        1: one network says concepts and classes; 2: two networks
        (:class:`~benchmarks.scenes.TwoTowers`).
    epochs : int
        Passes of training.
    budgets : tuple of Budget
        Strengths of the attack.
    adaptive : tuple of Budget
        Strengths of the attack that knows the guard.
    alarm_weights : tuple of float
        What the alarm counts in the adaptive attack; a picture is lost when the attack succeeds with any of
        them, or that of the same strength that does not know the guard.
    contamination : float
        Share of clean pictures that may be rejected.
    seed : int
    """

    towers: int = 2
    epochs: int = 60
    budgets: tuple[Budget, ...] = (Budget(0.5, Norm.L2),)
    adaptive: tuple[Budget, ...] = ()
    alarm_weights: tuple[float, ...] = (0.3, 3.0)
    contamination: float = 0.05
    seed: int = 0

    def __post_init__(self) -> None:
        if self.towers not in (1, 2):
            raise InputError(f"towers must be 1 or 2. Got {shown(self.towers)}.")


@dataclass
class Findings:
    """What was found so far, in a file that is whole after each addition.

    Attributes
    ----------
    path : Path, optional
        The JSON file.
    about : dict
        Machine, versions, sizes, seconds.
    rows : list of dict
        One for each attack, strength, t-norm and set of rules.
    tell : callable
        Told each line as it comes.
    """

    path: Path | None = None
    about: dict[str, Any] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    tell: Callable[[str], None] = lambda _: None

    def note(self, name: str, value: Any) -> None:
        """Keep a fact about the run."""
        self.about[name] = value
        self.tell(f"{name}: {value}")
        self._write()

    def add(self, row: dict[str, Any]) -> None:
        """Keep a row of results."""
        self.rows.append(row)
        self.tell(
            "{towers} tower(s) {attack} {norm} {eps:.4g} {rules} {tnorm}: robust {robust:.3f} "
            "rejected {rejected:.3f}, clean rejected {clean_rejected:.3f}".format(**row)
        )
        self._write()

    def _write(self) -> None:
        if self.path is None:
            return
        with written_whole(self.path) as stream:
            stream.write(json.dumps({"about": self.about, "rows": self.rows}, indent=1).encode())


def learn_rules(
    scene: Scene, networks: Sequence[str], *, seed: int, device: str = "cpu", **settings: Any
) -> dict[str, ExplanationSet]:
    """Rules between concepts and classes, by each kind of LEN, from the training rows."""
    concepts = scene.concepts[scene.train].astype(float)
    inputs = dict(zip(scene.concept_names, concepts.T, strict=True))
    labels = np.array(scene.class_names)[scene.labels[scene.train]]
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name in networks:
            model = NETWORKS[name](random_state=seed, device=device, encoder=None, **settings)
            found[name] = model.fit(inputs, labels).explain()
    return found


def run(
    scene: Scene,
    rules: Mapping[str, ExplanationSet],
    protocol: Protocol,
    *,
    device: str = "cpu",
    findings: Findings | None = None,
) -> Findings:
    """Train, attack and guard; returns what was found.

    Parameters
    ----------
    scene : Scene
    rules : mapping of str to ExplanationSet
        Sets of rules over the scene's concepts and classes, as of :func:`learn_rules`.
    protocol : Protocol
    device : str, default "cpu"
    findings : Findings, optional
        Where to add.
    """
    found = findings or Findings()
    found.note(
        "classes_with_a_rule",
        {name: sum(rule.complexity > 0 for rule in rules[name].values()) for name in rules},
    )
    start = time.perf_counter()
    network = make_network(scene, protocol.towers, protocol.seed)
    network = train_network(scene, network, epochs=protocol.epochs, device=device, seed=protocol.seed)
    found.note(f"seconds_training_{protocol.towers}", round(time.perf_counter() - start, 1))
    clean = _Clean.of(network, scene)
    found.note(f"class_accuracy_{protocol.towers}", float(clean.right.mean()))
    found.note(f"concept_accuracy_{protocol.towers}", clean.concept_accuracy)
    guards = _guards(scene, rules, clean, protocol)
    found.note(f"microseconds_{protocol.towers}", _costs(network, scene, clean, guards))
    blind: dict[Budget, tuple[FloatArray, BoolArray]] = {}
    for budget in protocol.budgets:
        start = time.perf_counter()
        outputs, reached = _attacked(network, scene, budget, Misclassify(scene.class_outputs))
        blind[budget] = outputs, reached
        facts = _facts(scene, protocol, budget, "apgd-ce") | {"seconds": time.perf_counter() - start}
        found.add(facts | _row(~reached, np.zeros_like(reached), clean, None))
        for (name, tnorm), guard in guards.items():
            told = {"rules": name, "tnorm": str(tnorm), "literals": rules[name].complexity}
            found.add(facts | told | _row(~reached, guard.predict(outputs) < 0, clean, guard))
    for budget in protocol.adaptive:
        for name in rules:
            guard = guards[name, TNorm.LUKASIEWICZ]
            lost = np.zeros(len(scene.test), dtype=np.bool_)
            if budget in blind:  # to know the guard can only help
                outputs, reached = blind[budget]
                lost = reached & (guard.predict(outputs) > 0)
            start = time.perf_counter()
            for weight in protocol.alarm_weights:
                evade = Evade(guard, Misclassify(scene.class_outputs), weight)
                lost |= _attacked(network, scene, budget, evade)[1]
            told = {"rules": name, "tnorm": "lukasiewicz", "literals": rules[name].complexity}
            facts = _facts(scene, protocol, budget, "adaptive") | {"seconds": time.perf_counter() - start}
            found.add(facts | told | _row(~lost, np.zeros_like(lost), clean, guard))
    return found


@dataclass(frozen=True, eq=False)
class _Clean:
    """What a network says about clean pictures: those to set guards on, and those to attack."""

    calibrate: FloatArray
    test: FloatArray
    right: BoolArray
    concept_accuracy: float

    @classmethod
    def of(cls, network: nn.Module, scene: Scene) -> _Clean:
        parts = [expit(_logits(network, scene, rows)) for rows in (scene.calibrate, scene.test)]
        test = parts[1]
        said = test[:, scene.class_outputs].argmax(axis=1)
        n_concepts = len(scene.concept_names)
        seen = (test[:, :n_concepts] > 0.5) == scene.concepts[scene.test]
        return cls(parts[0], test, said == scene.labels[scene.test], float(seen.mean()))


def _costs(
    network: nn.Module, scene: Scene, clean: _Clean, guards: Mapping[tuple[str, TNorm], RuleGuard]
) -> dict[str, dict[str, float]]:
    """Microseconds a row that the network takes, and each guard: both on a CPU, both on the network's device.

    Pictures and outputs are on the device already.
    """
    own = next(network.parameters()).device
    costs: dict[str, dict[str, float]] = {}
    for device in dict.fromkeys([own.type, "cpu"]):
        rows = scene.test if device != "cpu" else scene.test[:_ON_CPU]
        looking = network if device == own.type else deepcopy(network).to(device)
        x = scene.inputs(rows).to(device)
        costs[device] = {"forward": _cost(partial(concept_logits, looking, x, 256)) / len(rows)}
        outputs = clean.test if device == "cpu" else torch.from_numpy(clean.test).to(own)
        for (name, tnorm), guard in guards.items():
            costs[device][f"{name} {tnorm}"] = _cost(partial(guard.predict, outputs)) / len(scene.test)
    return costs


def _cost(work: Callable[[], object]) -> float:
    """Microseconds that some work takes, the shortest of three times."""
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds) * 1e6


def _logits(network: nn.Module, scene: Scene, rows: IndexArray) -> FloatArray:
    return concept_logits(network, scene.inputs(rows), 256)


def _guards(
    scene: Scene, rules: Mapping[str, ExplanationSet], clean: _Clean, protocol: Protocol
) -> dict[tuple[str, TNorm], RuleGuard]:
    """A guard for each set of rules and t-norm, set on the pictures kept for that."""
    return {
        (name, tnorm): RuleGuard(found, protocol.contamination, tnorm.value, names=scene.output_names).fit(
            clean.calibrate
        )
        for name, found in rules.items()
        for tnorm in TNorm
    }


def _attacked(
    network: nn.Module, scene: Scene, budget: Budget, objective: Misclassify | Evade
) -> tuple[FloatArray, BoolArray]:
    """What the network says about attacked test pictures, and where the attack succeeded."""
    device = next(network.parameters()).device
    x = scene.inputs(scene.test).to(device)
    y = torch.from_numpy(scene.labels[scene.test]).to(device)
    found = apgd(network, x, y, budget, objective=objective, batch_size=400)
    return expit(concept_logits(network, found.x, 256)), found.reached.cpu().numpy()


def _facts(scene: Scene, protocol: Protocol, budget: Budget, attack: str) -> dict[str, Any]:
    return {
        "data": scene.name,
        "seed": protocol.seed,
        "towers": protocol.towers,
        "attack": attack,
        **asdict(budget),
        "rules": "none",
        "tnorm": "none",
        "literals": 0.0,
        "n": len(scene.test),
    }


def _row(right: BoolArray, rejected: BoolArray, clean: _Clean, guard: RuleGuard | None) -> dict[str, Any]:
    """Robust accuracy with its interval; what the guard does to clean pictures."""
    survived = right | rejected
    kept = np.ones_like(clean.right) if guard is None else guard.predict(clean.test) > 0
    robust = float(survived.mean())
    low, high = wilson(robust, len(survived))
    return {
        "robust": robust,
        "low": low,
        "high": high,
        "rejected": float(rejected.mean()),
        "clean_rejected": float((~kept).mean()),
        "clean_right": float((clean.right & kept).mean()),
    }


# How far attacks may change a picture, by the norm; and the L2 strength of the attack that knows the guard
# and of that on one network for concepts and classes.
_STRENGTHS = {
    "digits": {"l2": (0.3, 0.6, 1.0), "linf": (0.05, 0.1)},
    "cub": {"l2": (0.1, 0.25, 0.5, 1.0, 2.0), "linf": (0.5 / 255, 1 / 255, 2 / 255, 4 / 255)},
}
_MIDDLE = {"digits": 0.6, "cub": 0.5}


def main(arguments: Sequence[str] | None = None) -> None:
    """Attack a network that says concepts and classes, and guard it by rules.

    Results and rules go to the output folder as they come; rules of the same seed that are there are used.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adversarial", description=main.__doc__)
    parser.add_argument("--data", choices=_STRENGTHS, default="digits")
    parser.add_argument("--data-dir", type=Path, help="folder of the data; LOGICLENS_DATA by default")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for rules and results")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--epochs", type=int, default=60, help="passes of training")
    parser.add_argument("--steps", type=int, default=100, help="steps of an attack")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    seed, name = given.seed, given.data
    try:
        scene = cub_scene(given.data_dir, seed=seed) if name == "cub" else digits_scene(seed=seed)
    except LogicLensError as error:
        raise SystemExit(str(error)) from None
    given.out.mkdir(parents=True, exist_ok=True)
    rules = {}
    for kind in NETWORKS:
        file = given.out / f"rules_{name}_{seed}_{kind}.json"
        if not file.exists():
            learn_rules(scene, [kind], seed=seed, device=given.device)[kind].save(file)
        rules[kind] = load_rules(file)
    findings = Findings(
        given.out / f"adversarial_{name}_{seed}.json", tell=partial(print, file=sys.stderr, flush=True)
    )
    findings.note("torch", f"{torch.__version__}, {given.device}")
    sizes = {"train": len(scene.train), "guard": len(scene.calibrate), "attack": len(scene.test)}
    findings.note("pictures", sizes)
    findings.note("seed", seed)
    plain = [
        Budget(size, Norm(norm), given.steps) for norm, sizes in _STRENGTHS[name].items() for size in sizes
    ]
    middle = (Budget(_MIDDLE[name], Norm.L2, given.steps),)
    for protocol in (
        Protocol(2, given.epochs, tuple(plain), adaptive=middle, seed=seed),
        Protocol(1, given.epochs, middle, seed=seed),
    ):
        run(scene, rules, protocol, device=given.device, findings=findings)
    for tnorm in TNorm:
        print(f"\nRobust accuracy in %, {tnorm} t-norm:\n\n{markdown_table(findings.rows, tnorm)}")


if __name__ == "__main__":
    main()
