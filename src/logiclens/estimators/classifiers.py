"""The four classifiers: what each network is made of, and its defaults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from logiclens.constants import DISTILLATION, EPOCHS, HIDDEN, MU_L1, RELU_L1, RESTARTS
from logiclens.estimators.base import LENClassifier

if TYPE_CHECKING:
    from logiclens.nn.population import LogicNetwork, Streams


class MuClassifier(LENClassifier):
    """A light network for each target that keeps few concepts (the paper's mu network, Sec. 5.2).

    The classifier to start with: nearly as accurate as an unconstrained network, with short rules.

    Parameters
    ----------
    max_concepts : int or "auto", default "auto"
        Most concepts a target's network keeps, the paper's zeta. "auto": 10, 20, 40 or
        all, the number of least loss on the rows left out.
    tau : float, default 0
        Least relevance, relative to the most relevant concept, of a concept that is kept.
    rule, distillation, literal_cost, max_literals, literals, class_weight, hidden, l1, restarts, epochs, \
    learning_rate, batch_size, patience, validation_fraction, encoder, device, random_state, verbose
        Those of :class:`~logiclens.estimators.base.LENClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).random((200, 4))
    >>> y = np.where((X[:, 0] > 0.5) & (X[:, 2] > 0.5), "both", "not both")
    >>> print(MuClassifier(random_state=0).fit(X, y).explain()["both"])
    forall x: both(x) <-> x0(x) & x2(x)
    """

    prunes_inputs: ClassVar[bool] = True

    def __init__(  # noqa: PLR0913 - a classifier's settings
        self,
        *,
        rule: str = "iff",
        max_concepts: int | str = "auto",
        tau: float = 0.0,
        distillation: float = DISTILLATION,
        literal_cost: float = 0.0,
        max_literals: int | str = "auto",
        literals: int | str = "auto",
        class_weight: Any = None,
        hidden: Sequence[int] = HIDDEN,
        l1: float | Sequence[float] = MU_L1,
        restarts: int = RESTARTS,
        epochs: int = EPOCHS,
        learning_rate: float = 0.02,
        batch_size: int | None = None,
        patience: int = 30,
        validation_fraction: float = 0.25,
        encoder: Any = "auto",
        device: str = "auto",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.rule = rule
        self.max_concepts = max_concepts
        self.tau = tau
        self.distillation = distillation
        self.literal_cost = literal_cost
        self.max_literals = max_literals
        self.literals = literals
        self.class_weight = class_weight
        self.hidden = hidden
        self.l1 = l1
        self.restarts = restarts
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.encoder = encoder
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def reference(cls, **settings: Any) -> MuClassifier:
        """The paper's mu network as in its experiments (:mod:`~logiclens.estimators._reference`)."""
        from logiclens.estimators._reference import MU, ReferenceMuClassifier

        return ReferenceMuClassifier(**(MU | settings))

    def make_network(
        self,
        streams: Streams,
        n_concepts: int,
        l1: Sequence[float],
        width: int,
    ) -> LogicNetwork:
        from logiclens.nn.mu import MuNetwork

        return MuNetwork(streams, n_concepts, self.hidden, l1, max_concepts=width, tau=self.tau)


class PsiClassifier(LENClassifier):
    """Every neuron is a formula: fully readable, exactly explained (the paper's psi network, Sec. 5.1).

    Inputs are Booleanised, and so are hidden neurons once trained; the composed formula is what the network
    decides, on every input there can be.

    Parameters
    ----------
    fan_in : int, default 3
        Most connections into a neuron after pruning, the paper's zeta; 2 to 9 are readable.
    rule, distillation, literal_cost, max_literals, literals, class_weight, hidden, l1, restarts, epochs, \
    learning_rate, batch_size, patience, validation_fraction, encoder, device, random_state, verbose
        Those of :class:`~logiclens.estimators.base.LENClassifier`; IFF rules that are shown are exact,
        whatever their length, unless ``literals`` is a number.
    """

    answers_singly: ClassVar[bool] = True

    def __init__(  # noqa: PLR0913 - a classifier's settings
        self,
        *,
        rule: str = "iff",
        fan_in: int = 3,
        distillation: float = DISTILLATION,
        literal_cost: float = 0.0,
        max_literals: int | str = "auto",
        literals: int | str = "auto",
        class_weight: Any = None,
        hidden: Sequence[int] = (10,),
        l1: float | Sequence[float] = (0.0005, 0.002),
        restarts: int = 5,
        epochs: int = 400,
        learning_rate: float = 0.03,
        batch_size: int | None = None,
        patience: int = 100,
        validation_fraction: float = 0.25,
        encoder: Any = "auto",
        device: str = "auto",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.rule = rule
        self.fan_in = fan_in
        self.distillation = distillation
        self.literal_cost = literal_cost
        self.max_literals = max_literals
        self.literals = literals
        self.class_weight = class_weight
        self.hidden = hidden
        self.l1 = l1
        self.restarts = restarts
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.encoder = encoder
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def reference(cls, **settings: Any) -> Self:
        """The paper's settings, our training (:mod:`~logiclens.estimators._reference`)."""
        from logiclens.estimators._reference import PSI

        return cls(**(PSI | settings))

    def make_network(
        self,
        streams: Streams,
        n_concepts: int,
        l1: Sequence[float],
        width: int,  # noqa: ARG002 - nothing is pruned to a number of concepts
    ) -> LogicNetwork:
        from logiclens.nn.psi import PsiNetwork

        return PsiNetwork(streams, n_concepts, self.hidden, l1, fan_in=self.fan_in)


class ReluClassifier(LENClassifier):
    """Full capacity, explained example by example (the paper's ReLU network, Sec. 5.3).

    No concept is pruned: relevance is read, row by row, off the affine map that the network is at the row
    (Theorem 4.1). The most accurate network, with the least faithful rules.

    Parameters
    ----------
    rule, distillation, literal_cost, max_literals, literals, class_weight, hidden, l1, restarts, epochs, \
    learning_rate, batch_size, patience, validation_fraction, encoder, device, random_state, verbose
        Those of :class:`~logiclens.estimators.base.LENClassifier`.
    """

    prunes: ClassVar[bool] = False

    def __init__(  # noqa: PLR0913 - a classifier's settings
        self,
        *,
        rule: str = "iff",
        distillation: float = DISTILLATION,
        literal_cost: float = 0.0,
        max_literals: int | str = "auto",
        literals: int | str = "auto",
        class_weight: Any = None,
        hidden: Sequence[int] = HIDDEN,
        l1: float | Sequence[float] = RELU_L1,
        restarts: int = RESTARTS,
        epochs: int = EPOCHS,
        learning_rate: float = 0.02,
        batch_size: int | None = None,
        patience: int = 30,
        validation_fraction: float = 0.25,
        encoder: Any = "auto",
        device: str = "auto",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.rule = rule
        self.distillation = distillation
        self.literal_cost = literal_cost
        self.max_literals = max_literals
        self.literals = literals
        self.class_weight = class_weight
        self.hidden = hidden
        self.l1 = l1
        self.restarts = restarts
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.encoder = encoder
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def reference(cls, **settings: Any) -> ReluClassifier:
        """The paper's ReLU network as in its experiments (:mod:`~logiclens.estimators._reference`)."""
        from logiclens.estimators._reference import RELU, ReferenceReluClassifier

        return ReferenceReluClassifier(**(RELU | settings))

    def make_network(
        self,
        streams: Streams,
        n_concepts: int,
        l1: Sequence[float],
        width: int,  # noqa: ARG002 - nothing is pruned to a number of concepts
    ) -> LogicNetwork:
        from logiclens.nn.relu import ReluNetwork

        return ReluNetwork(streams, n_concepts, self.hidden, l1)


class EntropyClassifier(LENClassifier):
    """Attention that gathers on few concepts (the entropy-based LEN of Barbiero et al., 2022).

    Parameters
    ----------
    max_concepts : int or "auto", default "auto"
        Most concepts a target's network keeps; as for :class:`MuClassifier`.
    tau : float, default 0.1
        Least attention, relative to the largest, of a concept that is kept.
    temperature : float, default 0.7
        Smaller makes attention sharper.
    l1 : float or sequence of float
        Strength of the entropy penalty.
    rule, distillation, literal_cost, max_literals, literals, class_weight, hidden, restarts, epochs, \
    learning_rate, batch_size, patience, validation_fraction, encoder, device, random_state, verbose
        Those of :class:`~logiclens.estimators.base.LENClassifier`.
    """

    prunes_inputs: ClassVar[bool] = True

    def __init__(  # noqa: PLR0913 - a classifier's settings
        self,
        *,
        rule: str = "iff",
        max_concepts: int | str = "auto",
        tau: float = 0.1,
        temperature: float = 0.7,
        distillation: float = DISTILLATION,
        literal_cost: float = 0.0,
        max_literals: int | str = "auto",
        literals: int | str = "auto",
        class_weight: Any = None,
        hidden: Sequence[int] = (10,),
        l1: float | Sequence[float] = (0.001, 0.01),
        restarts: int = 4,
        epochs: int = 300,
        learning_rate: float = 0.02,
        batch_size: int | None = None,
        patience: int = 60,
        validation_fraction: float = 0.25,
        encoder: Any = "auto",
        device: str = "auto",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.rule = rule
        self.max_concepts = max_concepts
        self.tau = tau
        self.temperature = temperature
        self.distillation = distillation
        self.literal_cost = literal_cost
        self.max_literals = max_literals
        self.literals = literals
        self.class_weight = class_weight
        self.hidden = hidden
        self.l1 = l1
        self.restarts = restarts
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.encoder = encoder
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def reference(cls, **settings: Any) -> EntropyClassifier:
        """The settings of its authors, our training (:mod:`~logiclens.estimators._reference`)."""
        from logiclens.estimators._reference import ENTROPY, ReferenceEntropyClassifier

        return ReferenceEntropyClassifier(**(ENTROPY | settings))

    def make_network(
        self,
        streams: Streams,
        n_concepts: int,
        l1: Sequence[float],
        width: int,
    ) -> LogicNetwork:
        from logiclens.nn.entropy import EntropyNetwork

        return EntropyNetwork(
            streams,
            n_concepts,
            self.hidden,
            l1,
            max_concepts=width,
            tau=self.tau,
            temperature=self.temperature,
        )
