"""The methods that are compared: our networks, trees, rule lists, rule sets, and models without rules.

- Our networks. Folds with the same concepts are trained as one population. They share most of their rows, so
  the rows of all are pooled: a row that several folds have is one row, with a weight in each of them. Folds
  that do not share their concepts, as each is encoded by its own training rows, are trained in turn. Networks
  with the paper's settings are fitted fold by fold, as there: fold k has k as its seed. They draw the weights
  of their last output first, so classes are handed over in reverse: the first class draws first, as in the
  paper, and with the same seed has the same weights. Without labels (Sec. 6.1, ICLU), clusters come first,
  then a match of clusters and classes.
- The decision tree, whose leaves are read as formulas (a baseline of Sec. 6.2).
- Bayesian rule lists (Letham et al., 2015; a baseline of Sec. 6.2), by the package imodels. A list is sampled
  for one class against the rest; of two classes, for the second. Rules speak of concepts that are true.
  imodels asks for a least support among all rows, the authors of the method among the rows of a class. We
  multiply by the share of the rarer side, so that nothing frequent within it is passed over.
- RIPPER (Cohen, 1995), by the package wittgenstein: a rule set for one class against the rest. Of two classes
  the rarer one is learned and the other is its complement. Of more, each is learned. If the rules of several
  fire, the most precise ones in training decide; if none fires, the class decides that is most frequent among
  the training rows where none does.
- Models without rules, on the degrees of the concepts: how accurate one can get with these concepts.

Packages that a method needs, ours included, are imported when it is fitted.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from logiclens.bench._formula_length import tree_paths
from logiclens.bench.method import (
    FoldByFold,
    Method,
    Outcome,
    Stopwatch,
    by_class,
    isolation,
    named_method,
    object_at,
    one_hot,
    package_for,
)
from logiclens.errors import InputError, LimitError, shown
from logiclens.logic import to_dnf, to_nnf
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import THRESHOLD
from logiclens.logic.formula import FALSE, And, Const, Formula, Not, Or, Var

if TYPE_CHECKING:
    from logiclens.bench.experiments import Fold, HasFolds
    from logiclens.estimators.base import LENClassifier
    from logiclens.estimators.validation import FittedPart


# Our networks


@dataclass(frozen=True)
class LENMethod:
    """One of our classifiers with its defaults or, as ``reference``, with the settings of the paper.

    Parameters
    ----------
    name : str
        "mu", "psi", "relu" or "entropy", whatever follows a hyphen.
    title : str
    reference : bool, default False
    """

    # Where the class once stood, here and below: work is kept under that name, and found by it.
    identity: ClassVar[str] = "logiclens.bench.methods.networks.Network"
    name: str
    title: str
    reference: bool = False

    together = True
    has_rules = True
    slow = False
    package = ""

    @property
    def kind(self) -> str:
        """Kind of the network."""
        return self.name.partition("-")[0]

    def fit(self, folds: Sequence[Fold], seed: int) -> list[Outcome]:
        """Train and explain all folds, and predict their test rows; see :meth:`Method.fit`."""
        found: dict[int, Outcome] = {}
        for alike in self._groups(folds):
            outcomes = self._fit_alike([folds[at] for at in alike], seed)
            found |= dict(zip(alike, outcomes, strict=True))
        return [found[at] for at in range(len(folds))]

    def _groups(self, folds: Sequence[Fold]) -> list[list[int]]:
        """Positions of folds that are trained as one population, together."""
        if self.reference or any(fold.confidence is not None for fold in folds):
            return [[at] for at in range(len(folds))]
        names = [(fold.concept_names, fold.class_names) for fold in folds]
        return [[at for at, each in enumerate(names) if each == shared] for shared in dict.fromkeys(names)]

    def _fit_alike(self, folds: Sequence[Fold], seed: int) -> list[Outcome]:
        """Train folds with the same concepts and classes at once."""
        from logiclens.estimators.validation import fit_parts

        watch = Stopwatch("logiclens.estimators.fit")
        x, y, weights = pool_rows(folds)
        columns = dict(zip(folds[0].concept_names, x.T, strict=True))
        classifier = self._classifier(seed + folds[0].number if self.reference else seed)
        sign = -1 if self.reference else 1
        targets, _ = classifier.read_data(columns, sign * y, None)
        if folds[0].confidence is not None:
            targets = replace(targets, outputs=_soft_targets(targets.outputs, folds[0].confidence))
        parts = fit_parts(classifier, columns, targets, weights)
        seconds = watch.lap() / len(folds)
        present = sign * np.asarray(targets.labels, dtype=np.intp)
        return [_outcome(part, fold, present, seconds) for part, fold in zip(parts, folds, strict=True)]

    def _classifier(self, seed: int) -> LENClassifier:
        from logiclens.estimators import classifiers

        kinds: dict[str, Any] = {
            "mu": classifiers.MuClassifier,
            "psi": classifiers.PsiClassifier,
            "relu": classifiers.ReluClassifier,
            "entropy": classifiers.EntropyClassifier,
        }
        make = kinds[self.kind].reference if self.reference else kinds[self.kind]
        made: LENClassifier = make(encoder=None, random_state=seed)
        return made


@dataclass(frozen=True)
class OwnLEN(LENMethod):
    """A classifier that is one of our networks, with its settings.

    Parameters
    ----------
    classifier : LENClassifier
        It is not changed; its ``random_state`` and ``encoder`` are set for each experiment.
    """

    classifier: Any = None

    def _classifier(self, seed: int) -> LENClassifier:
        from sklearn.base import clone

        made: LENClassifier = clone(self.classifier).set_params(encoder=None, random_state=seed)
        return made


def as_method(value: Any) -> Method:
    """A method of one's own: an instance or class of one, or a classifier of this package or its class.

    Raises
    ------
    InputError
        It is something else.

    Examples
    --------
    >>> from logiclens import MuClassifier
    >>> as_method(MuClassifier(hidden=(5,))).name, as_method(Tree).name
    ('MuClassifier', 'tree')
    """
    from logiclens.estimators.base import LENClassifier

    try:
        made = value() if isinstance(value, type) else value
    except TypeError as error:
        raise InputError(f"{value.__name__} cannot be made without arguments: {error}. Pass one.") from None
    if isinstance(made, LENClassifier):
        name = type(made).__name__
        return OwnLEN(name, name, classifier=made)
    if not all(hasattr(made, name) for name in _OF_A_METHOD):
        raise InputError(
            "A method is a logiclens.bench.FoldByFold, a classifier of this package, or a class of these. "
            f"Got {shown(value)}."
        )
    return cast("Method", made)


_OF_A_METHOD = ("fit", "name", "title", "together", "has_rules", "slow", "package")


def _soft_targets(outputs: FloatArray, confidence: FloatArray) -> FloatArray:
    """Soft targets: the probability of each label, the rest shared equally among the other labels."""
    others = max(outputs.shape[1] - 1, 1)
    return np.asarray(outputs * confidence[:, None] + (1.0 - outputs) * (1.0 - confidence[:, None]) / others)


def pool_rows(folds: Sequence[Fold]) -> tuple[FloatArray, IndexArray, list[FloatArray]]:
    """The training rows of all folds in their order; a row that several folds share appears once.

    A row that a fold has twice is in the pool twice, so every weight is 0 or 1.

    Parameters
    ----------
    folds : sequence of Fold
        With the same concepts.

    Returns
    -------
    x : ndarray of shape (n, n_concepts)
    y : ndarray of int, shape (n,)
    weights : list of ndarray of shape (n,)
        1 for the rows that the fold has.
    """
    from logiclens.estimators.folds import Distinct

    sizes = [len(fold.y_train) for fold in folds]
    x = np.concatenate([fold.x_train for fold in folds])
    y = np.concatenate([fold.y_train for fold in folds])
    of_fold = np.repeat(np.arange(len(folds)), sizes)
    place = Distinct.of(x, y[:, None].astype(np.float64)).place
    # Rows that are equal to others of their fold are told apart by counting them.
    group = place * len(folds) + of_fold
    order = np.argsort(group, kind="stable")
    copy = np.empty(len(y), dtype=np.intp)
    copy[order] = np.arange(len(y)) - np.searchsorted(group[order], group[order])
    _, first, row = np.unique(place * (copy.max() + 1) + copy, return_index=True, return_inverse=True)
    weights = np.zeros((len(folds), len(first)))
    weights[of_fold, row] = 1.0
    order = np.argsort(first)
    return x[first[order]], y[first[order]], list(weights[:, order])


def _outcome(part: FittedPart, fold: Fold, present: IndexArray, seconds: float) -> Outcome:
    """A network's predictions and rules for a fold's test rows; classes it never saw are never predicted."""
    said = part.predict(fold.x_test.copy())  # torch wants arrays that it may write to
    above = np.zeros((len(fold.y_test), len(fold.class_names)), dtype=np.bool_)
    above[:, present] = said.above
    probability = np.zeros(above.shape)
    probability[:, present] = said.probability
    formulas = dict(zip(present.tolist(), part.rules.formulas.values(), strict=True))
    rules: dict[str, Formula] = {name: formulas.get(at, FALSE) for at, name in enumerate(fold.class_names)}
    place = {label: at for label, at in zip(part.rules.labels, present.tolist(), strict=True)}
    decided = [place[label] for label in part.rules.predict(fold.x_test, fold.concept_names).tolist()]
    return Outcome(
        present[said.chosen],
        above,
        rules,
        seconds,
        0.0,
        list_literals=part.rules.literals / len(rules),
        decided=np.array(decided, dtype=np.intp),
        probability=probability,
    )


@dataclass(frozen=True)
class Clusterer(FoldByFold):
    """Cluster a fold's training rows into as many clusters as there are classes.

    The labels are looked at when clusters and rules are made: to say which cluster is called what. Folds are
    trained with seeds one after another.
    """

    identity: ClassVar[str] = "logiclens.bench.methods.clusterers.Clusterer"

    def fit_fold(self, fold: Fold, seed: int) -> Outcome:
        from sklearn.exceptions import ConvergenceWarning

        from logiclens.estimators.clusterer import LENClusterer

        n_classes = len(fold.class_names)
        watch = Stopwatch("logiclens.estimators._clustering")
        clusterer = LENClusterer(n_classes, network=self.name, encoder=None, random_state=seed + fold.number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clusterer.fit(dict(zip(fold.concept_names, fold.x_train.T, strict=True)))
        seconds = watch.lap()
        class_of = match_clusters(clusterer.labels_, fold.y_train, n_classes)
        answers = class_of[clusterer.predict(fold.x_test)]
        cluster_of = np.argsort(class_of)
        formulas = clusterer.explain().formulas
        rules = {
            name: formulas.get(int(cluster), FALSE)
            for name, cluster in zip(fold.class_names, cluster_of, strict=True)
        }
        return Outcome(answers, one_hot(answers, n_classes), rules, seconds, 0.0)


def match_clusters(clusters: IndexArray, classes: IndexArray, n: int) -> IndexArray:
    """Assign a class to each of n clusters, one to one, so that most rows are in the right class.

    Parameters
    ----------
    clusters, classes : ndarray of int, shape (n_rows,)
        From 0 to n - 1.
    n : int

    Examples
    --------
    >>> match_clusters(np.array([0, 0, 1, 1]), np.array([1, 1, 1, 0]), 2)
    array([1, 0])
    """
    from scipy.optimize import linear_sum_assignment

    together = np.bincount(clusters * n + classes, minlength=n * n).reshape(n, n)
    found: IndexArray = linear_sum_assignment(together, maximize=True)[1]
    return found


# Trees, rule lists, rule sets, and models without rules


@dataclass(frozen=True)
class Tree(FoldByFold):
    """scikit-learn's decision tree on the truth values of the concepts.

    A class is the disjunction of the ways to its leaves, as they are read off the tree: nothing is merged or
    shortened. So the rules say what the tree says.

    Parameters
    ----------
    max_depth : int, default 5
    """

    identity: ClassVar[str] = "logiclens.bench.methods.tree.Tree"
    name: str = "tree"
    title: str = "decision tree"
    max_depth: int = 5

    def fit_fold(self, fold: Fold, seed: int) -> Outcome:
        from sklearn.tree import DecisionTreeClassifier

        watch = Stopwatch()
        tree = DecisionTreeClassifier(max_depth=self.max_depth, random_state=seed)
        tree.fit(fold.x_train > THRESHOLD, fold.y_train)
        seconds = watch.lap()
        ways = tree_ways(tree, fold.concept_names)
        rules = {name: Or.of(ways.get(at, [])) for at, name in enumerate(fold.class_names)}
        extracting = watch.lap()
        bits = fold.x_test > THRESHOLD
        answers = tree.predict(bits)
        said, probability = one_hot(answers, len(fold.class_names)), by_class(tree, bits, fold)
        return Outcome(answers, said, rules, seconds, extracting, probability=probability)


def tree_ways(tree: Any, names: tuple[str, ...]) -> dict[int, list[Formula]]:
    """The paths from the root to the leaves of each class, left to right, as conjunctions.

    Parameters
    ----------
    tree : DecisionTreeClassifier
        Fitted on truth values.
    names : tuple of str
        Of its inputs.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(random_state=0).fit([[0, 0], [0, 1], [1, 1]], [0, 1, 1])
    >>> {label: [str(way) for way in ways] for label, ways in tree_ways(tree, ("a", "b")).items()}
    {0: ['~b'], 1: ['b']}
    """
    found: dict[int, list[Formula]] = {}
    for label, path in tree_paths(tree):
        concepts = [(Var(names[tree.tree_.feature[node]]), right) for node, right in path]
        found.setdefault(label, []).append(And.of(each if right else Not(each) for each, right in concepts))
    return found


MOST_TERMS = 20_000
"""Terms of a normal form up to which it is written out."""


@dataclass(frozen=True)
class RuleList:
    """Rules that are read in order: the first one that fires says how probable yes is.

    Parameters
    ----------
    rules : tuple of tuple of (int, bool)
        Positions of concepts and the values they must have for each rule to fire.
    yes : tuple of float
        The probability of yes for each rule, and for the rows that none fires on.

    Examples
    --------
    >>> found = RuleList((((0, True), (1, True)), ((2, True),)), (0.2, 0.9, 0.1))
    >>> str(found.formula(("a", "b", "c")))
    '(~a & c) | (~b & c)'
    """

    rules: tuple[tuple[tuple[int, bool], ...], ...]
    yes: tuple[float, ...]

    @classmethod
    def any_of(cls, rules: Iterable[Sequence[tuple[int, bool]]]) -> RuleList:
        """A set of rules: it says yes if any of them fires.

        Examples
        --------
        >>> found = RuleList.any_of([[(0, True), (1, False)], [(2, True)]])
        >>> str(found.formula(("a", "b", "c"))), str(found.formula(("a", "b", "c"), value=False))
        ('(a & ~b) | c', '(~a & ~c) | (b & ~c)')
        """
        kept = tuple(map(tuple, rules))
        return cls(kept, (*[1.0] * len(kept), 0.0))

    @property
    def n_literals(self) -> int:
        """Literals of all rules as they are read."""
        return sum(map(len, self.rules))

    def formula(self, names: Sequence[str], value: bool = True) -> Formula:
        """The DNF that is true where yes has a probability of at least one half; or else, where it has less.

        Terms that contradict themselves or imply another are left out, nothing else is. A list whose normal
        form has more than :data:`MOST_TERMS` terms is left as it is read.
        """
        *says, otherwise = ((chance >= 0.5) == value for chance in self.yes)
        formula: Formula = Const(otherwise)
        for rule, says_so in zip(reversed(self.rules), reversed(says), strict=True):
            fires = And.of(Var(names[at]) if wanted else Not(Var(names[at])) for at, wanted in rule)
            formula = Or(fires, formula) if says_so else And(Not(fires), formula)
        try:
            return to_dnf(formula, MOST_TERMS)
        except LimitError:
            return to_nnf(formula)

    def chances(self, x: BoolArray) -> FloatArray:
        """The probability of yes for each row, (n,)."""
        found = np.full(len(x), self.yes[-1])
        for rule, chance in zip(reversed(self.rules), reversed(self.yes[:-1]), strict=True):
            found[np.logical_and.reduce([x[:, at] == wanted for at, wanted in rule], axis=0)] = chance
        return found

    def fires(self, x: BoolArray) -> BoolArray:
        """True for each row, (n,), where yes has a probability of at least one half."""
        yes: BoolArray = self.chances(x) >= 0.5
        return yes


def _lists_outcome(
    fold: Fold, lists: Sequence[RuleList], learned: int, answers: IndexArray, watch: Stopwatch, seconds: float
) -> Outcome:
    """The outcome of a list for each class or, of two classes, of one for the class that was learned."""
    names, x = fold.concept_names, fold.x_test > THRESHOLD
    if len(fold.class_names) == 2:
        formulas = [lists[0].formula(names, at == learned) for at in range(2)]
        said = np.column_stack([lists[0].fires(x) == (at == learned) for at in range(2)])
    else:
        formulas = [each.formula(names) for each in lists]
        said = np.column_stack([each.fires(x) for each in lists])
    return Outcome(
        answers,
        said,
        dict(zip(fold.class_names, formulas, strict=True)),
        seconds,
        watch.lap(),
        list_literals=float(np.mean([each.n_literals for each in lists])),
    )


_SUPPORT = 0.1  # least share of the rarer side's rows that a rule is about


@dataclass(frozen=True)
class BayesianRuleList(FoldByFold):
    """Lists of rules with a probability each, sampled from their posterior.

    Parameters
    ----------
    iterations : int, default 50000
        Steps of each of the three chains.
    """

    identity: ClassVar[str] = "logiclens.bench.methods.brl.BayesianRuleList"
    name: str = "brl"
    title: str = "BRL"
    slow: bool = True
    package: str = "imodels"
    iterations: int = 50_000

    def fit_fold(self, fold: Fold, seed: int) -> Outcome:
        imodels = package_for(self.title, self.package)
        watch = Stopwatch()
        x, n_classes = fold.x_train > THRESHOLD, len(fold.class_names)
        learned = (1,) if n_classes == 2 else range(n_classes)
        lists = [self._learn(imodels, x, fold.y_train == at, seed) for at in learned]
        seconds = watch.lap()
        chances = np.column_stack([each.chances(fold.x_test > THRESHOLD) for each in lists])
        answers = (chances[:, 0] >= 0.5).astype(np.intp) if n_classes == 2 else chances.argmax(axis=1)
        return _lists_outcome(fold, lists, 1, answers, watch, seconds)

    def _learn(self, imodels: Any, x: BoolArray, y: BoolArray, seed: int) -> RuleList:
        share = float(y.mean())
        if share in (0.0, 1.0):
            return RuleList((), (share,))
        support = _SUPPORT * min(share, 1.0 - share)
        with isolation(seed):
            model = imodels.BayesianRuleListClassifier(
                max_iter=self.iterations, minsupport=support, random_state=seed
            )
            try:
                model.fit(x.astype(np.float64), y.astype(np.int64))
            except (ValueError, ZeroDivisionError):  # no concept is frequent enough, or no list has a rule
                return RuleList((), (share,))
        return read_list(model)


def read_list(model: Any) -> RuleList:
    """Read the rule list from a fitted model of imodels.

    Parameters
    ----------
    model : BayesianRuleListClassifier
        Fitted without names of features.
    """
    place: Mapping[str, int] = {name: at for at, name in enumerate(model.feature_placeholders)}
    chosen = [model.itemsets[at] for at in model.d_star[:-1]]
    return RuleList(
        tuple(tuple((at, True) for at in sorted(place[name] for name in items)) for items in chosen),
        tuple(float(chance) for chance in model.theta),
    )


@dataclass(frozen=True)
class Ripper(FoldByFold):
    """Rules that are grown, pruned and optimized one by one."""

    identity: ClassVar[str] = "logiclens.bench.methods.ripper.Ripper"
    name: str = "ripper"
    title: str = "RIPPER"
    slow: bool = True
    package: str = "wittgenstein"

    def fit_fold(self, fold: Fold, seed: int) -> Outcome:
        package = package_for(self.title, self.package)
        watch = Stopwatch()
        found = learn_rules(package, fold.x_train > THRESHOLD, fold.y_train, len(fold.class_names), seed)
        seconds = watch.lap()
        answers = found.predict(fold.x_test > THRESHOLD)
        return _lists_outcome(fold, found.sets, found.learned[0], answers, watch, seconds)


@dataclass(frozen=True, eq=False)
class ClassRules:
    """The rule sets of several classes, and which one decides.

    Parameters
    ----------
    sets : tuple of RuleList
        Those of each class that was learned: of two classes, of the rarer one.
    learned : tuple of int
        Which classes these are.
    precision : ndarray of shape (n_sets,)
        How often the rules of each were right where they fired in training.
    fallback : int
        The class where none fires.
    """

    sets: tuple[RuleList, ...]
    learned: tuple[int, ...]
    precision: FloatArray
    fallback: int

    def predict(self, x: BoolArray) -> IndexArray:
        """The class of each row, (n,): of the sets that fire, the most precise one decides."""
        fired = np.column_stack([each.fires(x) for each in self.sets])
        best = np.array(self.learned)[np.where(fired, self.precision, -1.0).argmax(axis=1)]
        return np.where(fired.any(axis=1), best, self.fallback)


def learn_rules(
    package: Any, x: BoolArray, y: IndexArray, n_classes: int, seed: int, **limits: int | None
) -> ClassRules:
    """Learn rules for the rarer of two classes, or for each of several against the rest.

    Parameters
    ----------
    package : module
        wittgenstein.
    x : ndarray of bool, shape (n, n_concepts)
    y : ndarray of int, shape (n,)
    n_classes, seed : int
    **limits : int or None
        Settings of the package's RIPPER, such as ``max_rules``.
    """
    if n_classes == 2:
        rarer = int(2 * np.count_nonzero(y) <= len(y))
        found = (_learn(package, x, y == rarer, seed, limits),)
        return ClassRules(found, (rarer,), np.ones(1), 1 - rarer)
    sets = tuple(_learn(package, x, y == at, seed, limits) for at in range(n_classes))
    fired = np.column_stack([each.fires(x) for each in sets])
    return ClassRules(sets, tuple(range(n_classes)), *_precision_and_fallback(fired, y))


def _learn(package: Any, x: BoolArray, y: BoolArray, seed: int, limits: Mapping[str, int | None]) -> RuleList:
    """Rules for the rows where ``y`` is true."""
    if y.all() or not y.any():
        return RuleList.any_of([()] if y.all() else [])
    pandas = package_for("RIPPER", "pandas")
    with isolation(seed):
        model = package.RIPPER(random_state=seed, n_discretize_bins=None, **limits)
        # Names are positions: their hashes are the same in every process, and so are the rules.
        model.fit(pandas.DataFrame(x.astype(np.int64)), y.astype(np.int64), pos_class=1)
    return read_rules(model)


def read_rules(model: Any) -> RuleList:
    """Read the rules from a fitted model of wittgenstein.

    Parameters
    ----------
    model : RIPPER
        Fitted on 0 and 1, in columns that are named by their positions.
    """
    return RuleList.any_of(
        [(int(each.feature), bool(each.val)) for each in rule.conds] for rule in model.ruleset_.rules
    )


def _precision_and_fallback(fired: BoolArray, y: IndexArray) -> tuple[FloatArray, int]:
    """Precision of the rules of each class in training, and the class to fall back on."""
    n_classes = fired.shape[1]
    right = fired & (y[:, None] == np.arange(n_classes))
    left = y[~fired.any(axis=1)]
    fallback = np.bincount(left if len(left) else y, minlength=n_classes).argmax()
    return (right.sum(axis=0) + 1.0) / (fired.sum(axis=0) + 2.0), int(fallback)


@dataclass(frozen=True)
class Ceiling(FoldByFold):
    """A classifier of scikit-learn without rules."""

    has_rules: bool = False

    def fit_fold(self, fold: Fold, seed: int) -> Outcome:
        watch = Stopwatch()
        model = self.train(fold.x_train, fold.y_train, seed)
        seconds = watch.lap()
        answers = model.predict(fold.x_test)
        said = one_hot(answers, len(fold.class_names))
        return Outcome(answers, said, None, seconds, 0.0, probability=by_class(model, fold.x_test, fold))

    def train(self, x: FloatArray, y: IndexArray, seed: int) -> Any:
        """Fit the classifier."""
        from sklearn.exceptions import ConvergenceWarning

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return self.model(seed).fit(x, y)

    @abstractmethod
    def model(self, seed: int) -> Any:
        """The unfitted classifier."""


@dataclass(frozen=True)
class Logistic(Ceiling):
    """Logistic regression."""

    identity: ClassVar[str] = "logiclens.bench.methods.ceilings.Logistic"
    name: str = "logistic"
    title: str = "logistic regression"

    def model(self, seed: int) -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000, random_state=seed)


@dataclass(frozen=True)
class Perceptron(Ceiling):
    """A multilayer perceptron with the settings of scikit-learn."""

    identity: ClassVar[str] = "logiclens.bench.methods.ceilings.Perceptron"
    name: str = "mlp"
    title: str = "multilayer perceptron"

    def model(self, seed: int) -> Any:
        from sklearn.neural_network import MLPClassifier

        return MLPClassifier(random_state=seed)


@dataclass(frozen=True)
class Boosting(Ceiling):
    """Gradient boosting of trees, by histograms."""

    identity: ClassVar[str] = "logiclens.bench.methods.ceilings.Boosting"
    name: str = "boosting"
    title: str = "gradient boosting"

    def model(self, seed: int) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(random_state=seed)


ENTRY_POINTS = "logiclens.methods"
"""Group of the entry points by which packages offer methods."""


def every_method(tell: Callable[[str], object]) -> dict[str, Method]:
    """All of :data:`METHODS`, and those that installed packages offer, by name.

    Parameters
    ----------
    tell : callable
        Is told, in a line, of each that cannot be used.
    """
    found = dict(METHODS)
    for each in entry_points(group=ENTRY_POINTS):
        if each.name not in METHODS:
            try:
                found[each.name] = as_method(object_at(each.value))
            except InputError as error:
                tell(f"{each.name} is left out: {error}")
    return found


DEFAULT = "mu"
"""Name of the method that the package itself starts with."""

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        method.name: method
        for method in (
            LENMethod("mu", "mu"),
            LENMethod("psi", "psi"),
            LENMethod("relu", "ReLU"),
            LENMethod("entropy", "entropy"),
            LENMethod("mu-reference", "mu (reference)", reference=True),
            LENMethod("psi-reference", "psi (reference)", reference=True),
            LENMethod("relu-reference", "ReLU (reference)", reference=True),
            LENMethod("entropy-reference", "entropy (reference)", reference=True),
            Tree(),
            BayesianRuleList(),
            Ripper(),
            Logistic(),
            Perceptron(),
            Boosting(),
        )
    }
)
"""Every method by name, for experiments with classes to learn."""

CLUSTERERS: Mapping[str, Method] = MappingProxyType(
    {
        method.name: method
        for method in (
            Clusterer("mu", "mu"),
            Clusterer("psi", "psi"),
            Clusterer("relu", "ReLU"),
            Clusterer("entropy", "entropy"),
        )
    }
)
"""Those for experiments without, under the names of their networks."""


def methods_for(experiment: HasFolds) -> Mapping[str, Method]:
    """The methods that apply to an experiment, by name, with what the experiment says about them.

    Parameters
    ----------
    experiment : Experiment
    """
    if not experiment.supervised:
        return CLUSTERERS
    tree = Tree(max_depth=experiment.tree_depth)
    return MappingProxyType({**METHODS, tree.name: tree})


def method_for(name: str, experiment: HasFolds) -> Method:
    """One of :func:`methods_for`.

    Parameters
    ----------
    name : str
    experiment : Experiment

    Raises
    ------
    InputError
        There is none of that name.
    """
    return named_method(methods_for(experiment), name, f" for {experiment.title}")
