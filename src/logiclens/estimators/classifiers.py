"""The four classifiers: what each network is made of, and its defaults.

``MuClassifier.reference()`` and ``ReluClassifier.reference()`` have the settings, training and rules of the
paper's MIMIC-II runs. ``PsiClassifier.reference()`` and ``EntropyClassifier.reference()`` have the settings
of their authors with the training of this package, and figures of their own: a psi network here agrees with
its formula on every row, the paper's on half of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from logiclens.constants import RELU_L1
from logiclens.errors import InputError, shown
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.folds import RowSplit
from logiclens.estimators.inputs_and_targets import Inputs, Problem, Targets
from logiclens.logic.arrays import FloatArray

if TYPE_CHECKING:
    from logiclens.estimators.fit import Recipe
    from logiclens.nn.population import LogicNetwork, Streams


@dataclass(kw_only=True, eq=False, repr=False)
class MuClassifier(LENClassifier):
    """A light network for each target that keeps few concepts (the paper's mu network, Sec. 5.2).

    The classifier to start with: nearly as accurate as an unconstrained network, with short rules.

    Parameters
    ----------
    max_concepts : int or "auto", default "auto"
        Most concepts a target's network keeps, the paper's zeta. "auto": 10, 20, 40 or all, whichever
        has the least loss on held-out rows.
    tau : float, default 0
        Least relevance, relative to the most relevant concept, of a concept that is kept.
    rule : {"iff", "if", "only_if"}, default "iff"
        Kind of rules (Sec. 4.2): IFF, the target exactly where the formula is true; IF, a
        necessary condition (``target -> formula``); ONLY IF, a sufficient one (``formula -> target``).
    distillation : float, default 0.5
        What rules are searched for: 0 the labels alone, 1 the network's predictions alone; in between, both.
        IF and ONLY IF rules are about the labels unless it is 1.
    literal_cost : float or "auto", default "auto"
        Price of a literal: accuracy on held-out rows that it must be worth to be shown. "auto": 0.001,
        divided by the number of targets where there are more than two.
    max_literals : int or "auto", default "auto"
        Literals of the longest rules on the front; "auto": 60 for two classes, 20 per target for more.
    literals : int or "auto", default "auto"
        Literals of the rules that are shown; "auto": those of the best accuracy on held-out rows, less the
        price of their literals. Other lengths come from ``explain(literals=...)``.
    class_weight : {"balanced", None} or mapping of label to weight, default None
        What a row of each target counts in the search for rules; "balanced": its inverse frequency. Networks
        are trained without it, so that they stay calibrated.
    goal : str, optional
        ``"recall=0.9"`` or ``"precision=0.9"``: of class weights from 1/64 to 64 and all lengths, the most
        accurate rules that reach it on held-out rows, or come nearest; see ``front_.goal``.
    positive : label, optional
        The class of the goal; the rarest one when missing.
    criterion : str or function, default "cross_entropy"
        What ties the network to the labels: cross-entropy (Eq. 6; of several classes that of a softmax),
        "if" (Eq. 4), "only_if" (Eq. 5), or a function of (logits, yes, no) of your own, see
        :mod:`logiclens.nn.criteria`. Any but cross-entropy is about each class against the rest. Penalties
        are chosen, and predictions calibrated, by cross-entropy whatever it is.
    hidden : sequence of int, default (20,)
        Sizes of the hidden layers.
    l1 : float or sequence of float, default (0.001, 0.006)
        Strength of the parsimony penalty, as a share of the loss of a constant prediction; of several,
        the one of least cross-entropy on held-out rows.
    restarts : int, default 5
        Networks trained for each penalty, from different first weights and without different parts of the
        rows. The network is their mean.
    epochs : int, default 100
        Passes over the rows of a small table, fewer where there are many; pruning comes half-way.
    learning_rate : float, default 0.02
        Of Adam, at its highest.
    batch_size : int, optional
        Rows in a mini-batch. When missing, all rows below 512 distinct ones, and 256 above.
    patience : int, default 30
        Epochs without a better validation loss after which a network is done.
    validation_fraction : float, default 0.25
        Share of the rows held out where there is one restart; of several, each leaves out a part of the rows.
    encoder : {"auto", None} or ConceptEncoder, default "auto"
        What turns the columns of a raw table into concepts. None: inputs are concepts in [0, 1]. "auto": they
        are where every value lies in [0, 1] and every column that varies has values on both sides of one
        half; otherwise Boolean and 0 / 1 columns stay as they are and the others are encoded.
    device : str, default "auto"
        "cpu", "cuda", ...; "auto" is CUDA where there is one.
    random_state : int, RandomState or None, default None
        The same number gives the same formulas.
    verbose : bool, default False
        Whether a line on a terminal, or in a notebook, says what is being done and for how long.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).random((200, 4))
    >>> y = np.where((X[:, 0] > 0.5) & (X[:, 2] > 0.5), "both", "not both")
    >>> print(MuClassifier(random_state=0).fit(X, y).explain()["both"])
    forall x: both(x) <-> x0(x) & x2(x)
    """

    prunes_inputs: ClassVar[bool] = True

    max_concepts: int | str = "auto"
    tau: float = 0.0

    @classmethod
    def reference(cls, **settings: Any) -> MuClassifier:
        """The paper's mu network as in its experiments."""
        return ReferenceMuClassifier(**(MU | settings))

    def make_network(
        self, streams: Streams, n_concepts: int, l1: Sequence[float], width: int
    ) -> LogicNetwork:
        from logiclens.nn.mu import MuNetwork

        return MuNetwork(streams, n_concepts, self.hidden, l1, max_concepts=width, tau=self.tau)


@dataclass(kw_only=True, eq=False, repr=False)
class PsiClassifier(LENClassifier):
    """Every neuron is a formula: fully readable, exactly explained (the paper's psi network, Sec. 5.1).

    Inputs are Booleanised, and so are hidden neurons once trained; the composed formula is what the network
    decides, on every input there can be.

    Parameters
    ----------
    fan_in : int, default 3
        Most connections into a neuron after pruning, the paper's zeta; 2 to 9 are readable.
    rule : {"iff", "if", "only_if"}, default "iff"
        Kind of rules (Sec. 4.2): IFF, the target exactly where the formula is true; IF, a
        necessary condition (``target -> formula``); ONLY IF, a sufficient one (``formula -> target``).
    distillation : float, default 0.5
        What rules are searched for: 0 the labels alone, 1 the network's predictions alone; in between, both.
        IF and ONLY IF rules are about the labels unless it is 1.
    literal_cost : float or "auto", default "auto"
        Price of a literal: accuracy on held-out rows that it must be worth to be shown. "auto": 0.001,
        divided by the number of targets where there are more than two.
    max_literals : int or "auto", default "auto"
        Literals of the longest rules on the front; "auto": 60 for two classes, 20 per target for more.
    literals : int or "auto", default "auto"
        Literals of the rules that are shown; "auto": the exact ones, of any length; of IF and ONLY IF rules
        those of the best accuracy on held-out rows, less the price of their literals. Other lengths come from
        ``explain(literals=...)``.
    class_weight : {"balanced", None} or mapping of label to weight, default None
        What a row of each target counts in the search for rules; "balanced": its inverse frequency. Networks
        are trained without it, so that they stay calibrated.
    goal : str, optional
        ``"recall=0.9"`` or ``"precision=0.9"``: of class weights from 1/64 to 64 and all lengths, the most
        accurate rules that reach it on held-out rows, or come nearest; see ``front_.goal``.
    positive : label, optional
        The class of the goal; the rarest one when missing.
    criterion : str or function, default "cross_entropy"
        What ties the network to the labels: cross-entropy (Eq. 6; of several classes that of a softmax),
        "if" (Eq. 4), "only_if" (Eq. 5), or a function of (logits, yes, no) of your own, see
        :mod:`logiclens.nn.criteria`. Any but cross-entropy is about each class against the rest. Penalties
        are chosen, and predictions calibrated, by cross-entropy whatever it is.
    hidden : sequence of int, default (10,)
        Sizes of the hidden layers.
    l1 : float or sequence of float, default (0.0005, 0.002)
        Strength of the parsimony penalty, as a share of the loss of a constant prediction; of several,
        the one of least cross-entropy on held-out rows.
    restarts : int, default 5
        Networks trained for each penalty, from different first weights and without different parts of the
        rows. The best is kept.
    epochs : int, default 400
        Passes over the rows of a small table, fewer where there are many; pruning comes half-way.
    learning_rate : float, default 0.1
        Of Adam, at its highest.
    batch_size : int, optional
        Rows in a mini-batch. When missing, all rows below 512 distinct ones, and 256 above.
    patience : int, default 100
        Epochs without a better validation loss after which a network is done.
    validation_fraction : float, default 0.25
        Share of the rows held out where there is one restart; of several, each leaves out a part of the rows.
    encoder : {"auto", None} or ConceptEncoder, default "auto"
        What turns the columns of a raw table into concepts. None: inputs are concepts in [0, 1]. "auto": they
        are where every value lies in [0, 1] and every column that varies has values on both sides of one
        half; otherwise Boolean and 0 / 1 columns stay as they are and the others are encoded.
    device : str, default "auto"
        "cpu", "cuda", ...; "auto" is CUDA where there is one.
    random_state : int, RandomState or None, default None
        The same number gives the same formulas.
    verbose : bool, default False
        Whether a line on a terminal, or in a notebook, says what is being done and for how long.
    """

    decides_singly: ClassVar[bool] = True

    fan_in: int = 3
    hidden: Sequence[int] = (10,)
    l1: float | Sequence[float] = (0.0005, 0.002)
    restarts: int = 5
    epochs: int = 400
    learning_rate: float = 0.1
    patience: int = 100

    @classmethod
    def reference(cls, **settings: Any) -> Self:
        """The paper's settings, our training."""
        return cls(**(PSI | settings))

    def recipe(self, inputs: Inputs, targets: Targets) -> Recipe:
        from logiclens.estimators.networks import longest_path
        from logiclens.explain.compose import MAX_FAN_IN

        recipe = super().recipe(inputs, targets)
        if min(self.fan_in, max(len(inputs.names), *self.hidden, 0)) > MAX_FAN_IN:
            raise InputError(
                f"fan_in must be at most {MAX_FAN_IN}, so that neurons can be formulas. Got {self.fan_in}."
            )
        n_rows = len(inputs.values)  # none where they are read later
        if n_rows and (moved := longest_path(recipe.plan, n_rows)) < _FAR_ENOUGH:
            warnings.warn(
                f"With learning_rate={self.learning_rate:g} and epochs={self.epochs} no weight can move by "
                f"more than {moved:.1g} in training: a psi network needs about 1. Use learning_rate=0.1, or "
                "more epochs.",
                ConvergenceWarning,
                stacklevel=4,  # of whoever called fit
            )
        return recipe

    def make_network(
        self,
        streams: Streams,
        n_concepts: int,
        l1: Sequence[float],
        width: int,  # noqa: ARG002 - nothing is pruned to a number of concepts
    ) -> LogicNetwork:
        from logiclens.nn.psi import PsiNetwork

        return PsiNetwork(streams, n_concepts, self.hidden, l1, fan_in=self.fan_in)


@dataclass(kw_only=True, eq=False, repr=False)
class ReluClassifier(LENClassifier):
    """Full capacity, explained example by example (the paper's ReLU network, Sec. 5.3).

    No concept is pruned: relevance is read, row by row, off the affine map that the network is at the row
    (Theorem 4.1). The most accurate network, with the least faithful rules.

    Parameters
    ----------
    rule : {"iff", "if", "only_if"}, default "iff"
        Kind of rules (Sec. 4.2): IFF, the target exactly where the formula is true; IF, a
        necessary condition (``target -> formula``); ONLY IF, a sufficient one (``formula -> target``).
    distillation : float, default 0.5
        What rules are searched for: 0 the labels alone, 1 the network's predictions alone; in between, both.
        IF and ONLY IF rules are about the labels unless it is 1.
    literal_cost : float or "auto", default "auto"
        Price of a literal: accuracy on held-out rows that it must be worth to be shown. "auto": 0.001,
        divided by the number of targets where there are more than two.
    max_literals : int or "auto", default "auto"
        Literals of the longest rules on the front; "auto": 60 for two classes, 20 per target for more.
    literals : int or "auto", default "auto"
        Literals of the rules that are shown; "auto": those of the best accuracy on held-out rows, less the
        price of their literals. Other lengths come from ``explain(literals=...)``.
    class_weight : {"balanced", None} or mapping of label to weight, default None
        What a row of each target counts in the search for rules; "balanced": its inverse frequency. Networks
        are trained without it, so that they stay calibrated.
    goal : str, optional
        ``"recall=0.9"`` or ``"precision=0.9"``: of class weights from 1/64 to 64 and all lengths, the most
        accurate rules that reach it on held-out rows, or come nearest; see ``front_.goal``.
    positive : label, optional
        The class of the goal; the rarest one when missing.
    criterion : str or function, default "cross_entropy"
        What ties the network to the labels: cross-entropy (Eq. 6; of several classes that of a softmax),
        "if" (Eq. 4), "only_if" (Eq. 5), or a function of (logits, yes, no) of your own, see
        :mod:`logiclens.nn.criteria`. Any but cross-entropy is about each class against the rest. Penalties
        are chosen, and predictions calibrated, by cross-entropy whatever it is.
    hidden : sequence of int, default (20,)
        Sizes of the hidden layers.
    l1 : float or sequence of float, default (0.0003, 0.003)
        Strength of the parsimony penalty, as a share of the loss of a constant prediction; of several,
        the one of least cross-entropy on held-out rows.
    restarts : int, default 5
        Networks trained for each penalty, from different first weights and without different parts of the
        rows. The network is their mean.
    epochs : int, default 100
        Passes over the rows of a small table, fewer where there are many.
    learning_rate : float, default 0.02
        Of Adam, at its highest.
    batch_size : int, optional
        Rows in a mini-batch. When missing, all rows below 512 distinct ones, and 256 above.
    patience : int, default 30
        Epochs without a better validation loss after which a network is done.
    validation_fraction : float, default 0.25
        Share of the rows held out where there is one restart; of several, each leaves out a part of the rows.
    encoder : {"auto", None} or ConceptEncoder, default "auto"
        What turns the columns of a raw table into concepts. None: inputs are concepts in [0, 1]. "auto": they
        are where every value lies in [0, 1] and every column that varies has values on both sides of one
        half; otherwise Boolean and 0 / 1 columns stay as they are and the others are encoded.
    device : str, default "auto"
        "cpu", "cuda", ...; "auto" is CUDA where there is one.
    random_state : int, RandomState or None, default None
        The same number gives the same formulas.
    verbose : bool, default False
        Whether a line on a terminal, or in a notebook, says what is being done and for how long.
    """

    prunes: ClassVar[bool] = False

    l1: float | Sequence[float] = RELU_L1

    @classmethod
    def reference(cls, **settings: Any) -> ReluClassifier:
        """The paper's ReLU network as in its experiments."""
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


@dataclass(kw_only=True, eq=False, repr=False)
class EntropyClassifier(LENClassifier):
    """Attention that gathers on few concepts (the entropy-based LEN of Barbiero et al., 2022).

    Parameters
    ----------
    max_concepts : int or "auto", default "auto"
        Most concepts a target's network keeps. "auto": 10, 20, 40 or all, whichever has the least loss on
        held-out rows.
    tau : float, default 0.1
        Least attention, relative to the largest, of a concept that is kept.
    temperature : float, default 0.7
        Smaller makes attention sharper.
    rule : {"iff", "if", "only_if"}, default "iff"
        Kind of rules (Sec. 4.2): IFF, the target exactly where the formula is true; IF, a
        necessary condition (``target -> formula``); ONLY IF, a sufficient one (``formula -> target``).
    distillation : float, default 0.5
        What rules are searched for: 0 the labels alone, 1 the network's predictions alone; in between, both.
        IF and ONLY IF rules are about the labels unless it is 1.
    literal_cost : float or "auto", default "auto"
        Price of a literal: accuracy on held-out rows that it must be worth to be shown. "auto": 0.001,
        divided by the number of targets where there are more than two.
    max_literals : int or "auto", default "auto"
        Literals of the longest rules on the front; "auto": 60 for two classes, 20 per target for more.
    literals : int or "auto", default "auto"
        Literals of the rules that are shown; "auto": those of the best accuracy on held-out rows, less the
        price of their literals. Other lengths come from ``explain(literals=...)``.
    class_weight : {"balanced", None} or mapping of label to weight, default None
        What a row of each target counts in the search for rules; "balanced": its inverse frequency. Networks
        are trained without it, so that they stay calibrated.
    goal : str, optional
        ``"recall=0.9"`` or ``"precision=0.9"``: of class weights from 1/64 to 64 and all lengths, the most
        accurate rules that reach it on held-out rows, or come nearest; see ``front_.goal``.
    positive : label, optional
        The class of the goal; the rarest one when missing.
    criterion : str or function, default "cross_entropy"
        What ties the network to the labels: cross-entropy (Eq. 6; of several classes that of a softmax),
        "if" (Eq. 4), "only_if" (Eq. 5), or a function of (logits, yes, no) of your own, see
        :mod:`logiclens.nn.criteria`. Any but cross-entropy is about each class against the rest. Penalties
        are chosen, and predictions calibrated, by cross-entropy whatever it is.
    hidden : sequence of int, default (10,)
        Sizes of the hidden layers.
    l1 : float or sequence of float, default (0.001, 0.01)
        Strength of the entropy penalty, as a share of the loss of a constant prediction; of several,
        the one of least cross-entropy on held-out rows.
    restarts : int, default 4
        Networks trained for each penalty, from different first weights and without different parts of the
        rows. The best is kept.
    epochs : int, default 300
        Passes over the rows of a small table, fewer where there are many; pruning comes half-way.
    learning_rate : float, default 0.02
        Of Adam, at its highest.
    batch_size : int, optional
        Rows in a mini-batch. When missing, all rows below 512 distinct ones, and 256 above.
    patience : int, default 60
        Epochs without a better validation loss after which a network is done.
    validation_fraction : float, default 0.25
        Share of the rows held out where there is one restart; of several, each leaves out a part of the rows.
    encoder : {"auto", None} or ConceptEncoder, default "auto"
        What turns the columns of a raw table into concepts. None: inputs are concepts in [0, 1]. "auto": they
        are where every value lies in [0, 1] and every column that varies has values on both sides of one
        half; otherwise Boolean and 0 / 1 columns stay as they are and the others are encoded.
    device : str, default "auto"
        "cpu", "cuda", ...; "auto" is CUDA where there is one.
    random_state : int, RandomState or None, default None
        The same number gives the same formulas.
    verbose : bool, default False
        Whether a line on a terminal, or in a notebook, says what is being done and for how long.
    """

    prunes_inputs: ClassVar[bool] = True

    max_concepts: int | str = "auto"
    tau: float = 0.1
    temperature: float = 0.7
    hidden: Sequence[int] = (10,)
    l1: float | Sequence[float] = (0.001, 0.01)
    restarts: int = 4
    epochs: int = 300
    patience: int = 60

    @classmethod
    def reference(cls, **settings: Any) -> EntropyClassifier:
        """The settings of its authors, our training."""
        return ReferenceEntropyClassifier(**(ENTROPY | settings))

    def make_network(
        self, streams: Streams, n_concepts: int, l1: Sequence[float], width: int
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


# The classifiers of the paper's experiments: how they are trained is in _paper_training.py

_SPLIT_SEED = 0
_FAR_ENOUGH = 0.1  # less than this is too little for weights of sigmoids to move, which start at about 1

_PAPER: dict[str, Any] = {
    "class_weight": None,
    "l1": 1e-4,
    "restarts": 1,
    "epochs": 1000,
    "patience": 1000,
    "validation_fraction": 0.3,
}

MU: dict[str, Any] = _PAPER | {"max_concepts": 5, "hidden": (100, 30, 10), "learning_rate": 1e-4}
"""Settings of the paper's mu network for MIMIC-II. Training ignores ``patience`` and ``tau``."""
RELU: dict[str, Any] = _PAPER | {"hidden": (100, 50, 30, 10), "learning_rate": 1e-4}
"""Settings of the paper's ReLU network for MIMIC-II. Training ignores ``patience``."""
PSI: dict[str, Any] = _PAPER | {"fan_in": 3, "hidden": (10, 5), "learning_rate": 0.01}
"""Settings of the psi network."""
ENTROPY: dict[str, Any] = _PAPER | {
    "max_concepts": 1000,
    "tau": 0.5,
    "temperature": 0.7,
    "hidden": (20,),
    "l1": 1e-3,
    "epochs": 200,
    "learning_rate": 0.01,
    "patience": 200,
    "validation_fraction": 0.2,
}
"""Settings of the entropy-based network: concepts of at least half the largest attention stay."""


class _Aggregates(LENClassifier):
    """A classifier whose rules are made as the paper makes them, each class by itself."""

    row_by_row: ClassVar[bool] = True

    def recipe(self, inputs: Inputs, targets: Targets) -> Recipe:
        from logiclens.estimators._paper_training import paper_front

        if self.rule != "iff":
            raise InputError(
                f"The reference settings make equivalences. Got rule={shown(self.rule)}; use 'iff'."
            )
        if targets.unlabeled is not None:
            raise InputError("The reference settings learn from labels alone. Drop the rows without one.")
        return replace(super().recipe(inputs, targets), front=paper_front)


class _AsInPaper(_Aggregates):
    """A classifier that is trained as in the paper's experiments, too."""

    dropout: ClassVar[float] = 0.0
    shared: ClassVar[bool] = False
    """Whether one network has the outputs of all targets."""

    def read_data(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, unlabeled: Any = None
    ) -> tuple[Targets, FloatArray]:
        targets, weight = super().read_data(X, y, sample_weight, unlabeled)
        if targets.problem is Problem.BINARY and not self.shared:
            targets = replace(targets, problem=Problem.SINGLE_LABEL, outputs=targets.truth())
        return targets, weight

    def hold_out(self, x: FloatArray, targets: Targets, weight: FloatArray) -> RowSplit:  # noqa: ARG002
        """Set a validation part aside, at random, whatever the classes of the rows."""
        rows = np.flatnonzero(weight > 0)
        n_check = min(int(np.ceil(len(rows) * self.validation_fraction)), len(rows) - 1)
        check = np.zeros_like(weight)
        held = rows[check_random_state(_SPLIT_SEED).permutation(len(rows))[:n_check]]
        check[held] = weight[held]
        return RowSplit(weight - check, check)

    def recipe(self, inputs: Inputs, targets: Targets) -> Recipe:
        from logiclens.estimators._paper_training import train_folds_as_in_paper

        recipe = super().recipe(inputs, targets)
        if len(recipe.population.penalties) * recipe.population.restarts != 1 or self.batch_size is not None:
            raise InputError(
                "The reference settings train one network on all rows at once. "
                "Use one l1, restarts=1 and batch_size=None."
            )
        train = partial(train_folds_as_in_paper, dropout=self.dropout, shared=self.shared)
        return replace(recipe, train=train)

    def decision_function(self, X: Any) -> FloatArray:
        logits = super().decision_function(X)
        two = self.problem_ is Problem.SINGLE_LABEL and logits.shape[1] == 2
        return np.asarray(logits[:, 1] - logits[:, 0]) if two else logits


class ReferenceMuClassifier(_AsInPaper, MuClassifier):
    """The mu network of the paper's experiments; its settings are those of :class:`MuClassifier`."""


class ReferenceReluClassifier(_AsInPaper, ReluClassifier):
    """The ReLU network of the paper's experiments; its settings are those of a :class:`ReluClassifier`."""

    dropout: ClassVar[float] = 0.3
    shared: ClassVar[bool] = True


class ReferenceEntropyClassifier(_Aggregates, EntropyClassifier):
    """The entropy-based network with its authors' settings, which are those of :class:`EntropyClassifier`."""
