"""The report: its facts are gathered into one value without HTML, and then written as a page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from logiclens.concepts.table import Table
from logiclens.errors import InputError, count, shown
from logiclens.evaluation import Evaluation
from logiclens.evaluation._evaluate import BLACK_BOX as THE_BLACK_BOX
from logiclens.evaluation._evaluate import NETWORK, LabeledRows
from logiclens.explain.explanation import check_text
from logiclens.explain.front import LISTED, longer_words
from logiclens.explain.rule import RuleKind
from logiclens.files._storage import as_file, written_whole
from logiclens.logic.arrays import pack
from logiclens.logic.formula import MAX_DEPTH, Formula, check_writable
from logiclens.metrics.paired import Lead
from logiclens.reporting._about_data import concepts_and_inputs, data_facts, grouped_facts, row_facts
from logiclens.reporting._about_rules import (
    DETAILS,
    FULL,
    LEFT_OUT,
    LEFT_OUT_BY_CLASS,
    Detail,
    check_facts,
    curve_facts,
    curve_places,
    lengths_facts,
    policy_facts,
    rules_facts,
    shown_points,
)
from logiclens.reporting._facts import (
    ConceptFacts,
    Confusion,
    Facts,
    LeadFacts,
    Mistake,
    ModelFacts,
    OverallFacts,
    Rate,
    StabilityFacts,
)
from logiclens.reporting._subject import (
    BLACK_BOX,
    CLASSIFY,
    CLUSTER,
    Source,
    Subject,
    label_rows,
    provenance_of,
    question_of,
    subject_of,
)

if TYPE_CHECKING:
    from logiclens.estimators.comparison import Comparison
    from logiclens.estimators.stability import Stability
    from logiclens.explain.rule_set import ExplanationSet

_TITLES = {
    "rules": "the rules",
    "network": NETWORK,
    "boosting": "boosting",
    "guess": "always the most common class",
}
_HEIGHT = 800  # of the page in a notebook, in pixels
MOST_CHARACTERS = 800_000
"""Characters of the facts as JSON beyond which less is listed; fewer where many rules fill the page."""
_FEWEST_CHARACTERS = 300_000
_FEW_RULES, _RULE_CHARACTERS = 40, 500  # what each rule beyond the few takes from them
_LESS = "To keep the page small, shorter lists are shown of each rule."
_LEAST = (
    "To keep the page small, shorter lists are shown of each rule, and no SQL, Python or LaTeX: "
    "logiclens export writes them."
)
_KIND_WORDS = {
    RuleKind.IFF: "",
    RuleKind.IF: "a necessary condition: every row of the class is said to satisfy it",
    RuleKind.ONLY_IF: "a sufficient condition: every row that satisfies it is said to be of the class",
    RuleKind.CLUSTER: "a necessary condition: every row of the cluster is said to satisfy it",
}
HELD_OUT = "rows held out"
MOST_LABELS = 40
"""Labels up to which every pair is counted in a table."""
MOST_MISTAKES = 12
"""Pairs of labels mixed up that are listed."""


@dataclass(frozen=True)
class Report:
    """A report: a page to read, and its facts as values.

    In a notebook it shows itself.

    Attributes
    ----------
    html : str
        One HTML document that needs nothing else.
    facts : Facts
        All that it shows.
    """

    html: str = field(repr=False)
    facts: Facts = field(repr=False)

    def __repr__(self) -> str:
        n, size = len(self.facts.rules), len(self.html.encode()) / 1000
        return f"Report({self.facts.title!r}, {count(n, 'rule')}, {size:,.0f} KB)"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file; an old file is replaced whole or stays.

        Parameters
        ----------
        path : str or path

        Raises
        ------
        FileError
            The file cannot be written.
        """
        with written_whole(path) as file:
            file.write(self.html.encode())

    def _repr_html_(self) -> str:
        page = escape(self.html, quote=True)
        style = f"width: 100%; height: {_HEIGHT}px; border: 1px solid #8888"
        title = escape(self.facts.title, quote=True)
        return f'<iframe title="{title}" srcdoc="{page}" allow="clipboard-write" style="{style}"></iframe>'


def report(  # noqa: PLR0913 - all but the model are optional
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    target: str | None = None,
    rows: bool = False,
    source: Source | None = None,
    comparison: Comparison | Sequence[tuple[str, str, float, float | None, float | None]] = (),
    lead: Lead | None = None,
    stability: Stability | None = None,
    groups: Any = None,
) -> Report:
    """Make a report: rules as logic, sentence and picture, how good they are, and predictions for any row.

    Parameters
    ----------
    model : fitted classifier, BlackBoxExplainer or LENClusterer, or ExplanationSet
    X : data frame, array, sparse matrix or mapping, n rows, optional
        Rows to measure the rules on: rows held out, that the model was not fitted on. Without them the
        scores of the fit are shown, and named so.
    y : array of shape (n,), or of shape (n, n_targets), optional
        The truth about them. Without it the rules are compared with what they explain. Of a black box that
        cannot predict, since its rows are of another table or only its labels are known, its labels.
    path : str or path, optional
        File to write the page to.
    title : str, optional
        A question about the target when missing.
    target : str, optional
        What is decided; the name of ``y`` when missing, where it has one.
    rows : bool, default False
        Whether rows about which the rules are wrong are shown with their values. Otherwise no row is in the
        page, only counts, rounded ranges and typical values.
    source : Source, optional
        Where the data come from.
    comparison : Comparison, or sequence of (name, title, accuracy, low, high), optional
        Other ways to answer the same rows, as ``clf.compare`` returns them, or each with its accuracy and the
        ends of its interval, which may be None.
    lead : Lead, optional
        How far the rules are ahead of always predicting the most common class, where that is known; measured
        on the rows when missing.
    stability : Stability, optional
        What rules of resamples have in common with these, as ``clf.stability`` returns it.
    groups : data frame or mapping, n rows, optional
        More columns of the same rows, whose values the report compares as groups: those that must not decide.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        ``model`` is none of the above or not fitted, or the rows do not fit it.
    FileError
        The file cannot be written.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings", "fins"])
    >>> page = report(rules, [[1, 0], [0, 1]], ["bird", "bird"], target="animal")
    >>> page.facts.overall.explanation_accuracy_plain
    0.5
    """
    from logiclens.reporting._page import render

    if path is not None:
        as_file(path)  # a folder is refused before the work is done
    facts = gather_facts(
        model,
        X,
        y,
        title=title,
        target=target,
        rows=rows,
        source=source,
        comparison=comparison,
        lead=lead,
        stability=stability,
        groups=groups,
    )
    made = Report(render(facts), facts)
    if path is not None:
        made.save(path)
    return made


def gather_facts(  # noqa: PLR0913
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    title: str | None = None,
    target: str | None = None,
    rows: bool = False,
    source: Source | None = None,
    comparison: Comparison | Sequence[tuple[str, str, float, float | None, float | None]] = (),
    lead: Lead | None = None,
    stability: Stability | None = None,
    groups: Any = None,
) -> Facts:
    """All facts of a report; the parameters are those of :func:`~logiclens.reporting.report`.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings", "fins"])
    >>> facts = gather_facts(rules, [[1, 0], [0, 1]], ["bird", "bird"], target="animal")
    >>> facts.question, facts.rules[0].scores.precision.value, facts.rules[0].breaks.n_missed
    ('What decides animal?', 1.0, 1)
    """
    subject = subject_of(model)
    source = _check_facts(source, title, target)
    rivals = _as_models(comparison)
    if stability is not None and not hasattr(stability, "returns"):
        raise InputError(f"stability must be what clf.stability(X, y) returns. Got {shown(stability)}.")
    if lead is not None and not isinstance(lead, Lead):
        raise InputError(f"lead must be what Comparison.lead returns. Got {shown(lead)}.")
    if not isinstance(rows, bool | np.bool_):
        raise InputError(f"rows must be True or False. Got {shown(rows)}.")
    if X is None and y is not None:
        raise InputError("y is the truth about rows. Pass the rows as X, too.")
    if source.task is not None:
        subject = replace(subject, task=source.task)
    if source.held_out is not None:
        subject = replace(subject, part=HELD_OUT if source.held_out else "training rows")
    for explanation in subject.rules.values():
        check_writable(explanation.formula, MAX_DEPTH)
    drawn_at = curve_places(subject.front, shown_points(subject.front, FULL.literals))
    measured = X if X is None or isinstance(X, LabeledRows) else None
    if measured is not X:
        measured = label_rows(subject, X, y, _formulas(subject, drawn_at))
    more = None if groups is None else Table(groups)
    if more is not None and measured is not None and more.names and more.n_rows != measured.n_distinct:
        n_rows = count(measured.n_distinct, "row")
        raise InputError(
            f"groups must have the {n_rows} of X. Got {more.n_rows}; pass columns of these rows."
        )
    if target is None:
        named = getattr(y, "name", None)
        target = named if isinstance(named, str) and named else None
    question = question_of(subject.task, target)
    what = target or ("the cluster" if subject.task == CLUSTER else "the class")
    kind = next(iter(subject.rules.values())).kind
    listed = _listed(subject, measured, stability, more, FULL)
    wrong, n_more = row_facts(measured, listed["inputs"], source.row_numbers) if rows else (None, 0)
    facts = Facts(
        title=title or question,
        question=question,
        target=what,
        task=subject.task,
        kind=str(kind),
        kind_words=_KIND_WORDS[kind],
        data=data_facts(subject, source, listed["inputs"], measured),
        overall=_stored(subject) if measured is None else _measured(subject, measured, lead),
        curve=curve_facts(subject, drawn_at, measured),
        n_lengths=0 if subject.front is None else len(subject.front),
        lengths_on=subject.part
        if measured is not None
        else LEFT_OUT
        if _is_joint(subject)
        else LEFT_OUT_BY_CLASS,
        check=check_facts(subject.rules),
        rows=wrong,
        n_rows_left_out=n_more,
        provenance=provenance_of(subject, source),
        compared=() if measured is None else _compared(subject, measured, rivals),
        stability=None if stability is None else StabilityFacts(stability.n_resamples, stability.agreement),
        **listed,
    )
    less = 0
    most = MOST_CHARACTERS - _RULE_CHARACTERS * max(len(facts.rules) - _FEW_RULES, 0)
    most = max(most, min(_FEWEST_CHARACTERS, MOST_CHARACTERS))
    while (n := len(facts.to_json())) > most and less < len(DETAILS) - 1:
        less = min(less + (1 if n < 2 * most else 2), len(DETAILS) - 1)
        facts = replace(facts, **_listed(subject, measured, stability, more, DETAILS[less]))
    return facts


def _check_facts(source: Source | None, title: str | None, target: str | None) -> Source:
    if source is not None and not isinstance(source, Source):
        raise InputError(f"source must be a Source. Got {shown(source)}; write Source('patients.csv').")
    for name, text in (("title", title), ("target", target)):
        if text is not None:
            check_text(text, name)
    return Source() if source is None else source


def _formulas(subject: Subject, shown_at: Sequence[int]) -> list[Formula]:
    """All formulas of the page: of the rules, of what decides, and of the other lengths."""
    rules, front = subject.rules, subject.front
    points = [] if front is None else [front[at] for at in shown_at]
    others = (step.formula for point in points for step in point.steps)
    return [*rules.formulas.values(), *rules.conditions.values(), *others]


def _as_models(given: Any) -> list[ModelFacts]:
    """Other ways to answer the rows; what is none is refused."""
    if hasattr(given, "right"):
        accuracies = {name: given.accuracy(name) for name in given.right}
        titles = _TITLES | {"tree": f"a tree with {count(given.splits, 'split')}"}
        given = [(name, titles.get(name, name), rate, *ends) for name, (rate, ends) in accuracies.items()]
    found = []
    for each in given if isinstance(given, Sequence) else [given]:
        match each:
            case (str(name), str(title), accuracy, low, high) if _is_share(accuracy) and all(
                end is None or _is_share(end) for end in (low, high)
            ):
                found.append(ModelFacts(name, title, Rate(accuracy, low, high)))
            case _:
                raise InputError(
                    "comparison must be a sequence of (name, title, accuracy, low, high). "
                    f"Got {shown(each)}; write [('tree', 'a tree', 0.9, 0.8, 0.95)]."
                )
    return found


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 1


def _compared(subject: Subject, rows: LabeledRows, rivals: Sequence[ModelFacts]) -> tuple[ModelFacts, ...]:
    """The rules, what they explain, the other models, and a guess, as far as they answer to the truth."""
    truth, judged = rows.truth, rows.with_known_truth()
    if truth is None or truth.codes is None or not judged.n_rows:
        return ()
    known = {"rules": (_TITLES["rules"], rows.predicted), "network": (NETWORK, rows.network)}
    if rows.black_box is not None:
        known = {"black box": (THE_BLACK_BOX, rows.black_box), "rules": known["rules"]}
    found = {
        name: ModelFacts(name, title, Rate.of(*judged.share(right)))
        for name, (title, labels) in known.items()
        if (right := judged.alike(labels, truth)) is not None
    }
    usual = judged.share(pack(truth.codes == _guess(subject, rows)))
    guess = ModelFacts("guess", _TITLES["guess"], Rate.of(*usual))
    found |= {rival.name: rival for rival in rivals}
    return tuple((found if "guess" in found else found | {"guess": guess}).values())


def _is_joint(subject: Subject) -> bool:
    """Whether the front rates what the rules decide together, and not each rule by itself."""
    return subject.front is None or (subject.front.kind in LISTED and not subject.front.multi_label)


def _guess(subject: Subject, rows: LabeledRows) -> int:
    """Place of the most common class of the training rows or, where these are not known, of the rows."""
    seen, truth = None if subject.front is None else subject.front.seen, rows.truth
    if seen is not None and subject.task == CLASSIFY:
        return int(seen.truth.sum(axis=0).argmax())
    assert truth is not None
    assert truth.codes is not None
    return int(rows.with_known_truth().tally(truth.codes, len(rows.rules) + len(truth.others)).argmax())


def _lead(subject: Subject, rows: LabeledRows, known: Lead | None) -> LeadFacts | None:
    """How far the rules are ahead of always predicting the most common class."""
    if rows.truth is None or rows.truth.codes is None:
        return None
    cross_fitted = None if subject.front is None or subject.task == BLACK_BOX else subject.front.lead
    held_out = rows.lead_over(_guess(subject, rows)) if subject.part == HELD_OUT else None
    lead = Lead.pooled(cross_fitted, held_out) if known is None else known
    if not lead.n_rows:
        return None
    claimed = lead.is_ahead and subject.rules.literals > 0
    return LeadFacts(lead.size, *lead.interval, lead.p_value, claimed, cross_fitted is not None)


def _answer_lead(subject: Subject, rows: LabeledRows) -> LeadFacts | None:
    """The same of the answers of a black box, as if these were the truth."""
    if subject.task != BLACK_BOX or rows.black_box is None:
        return None
    return _lead(replace(subject, task=CLASSIFY), replace(rows, truth=rows.black_box), None)


def _longer(subject: Subject) -> str:
    """What longer rules would gain."""
    rules, front = subject.rules, subject.front
    if front is None or subject.task != CLASSIFY or rules.multi_label:
        return ""
    none = rules.literals == 0 and rules.is_list and subject.settings.get("literals") == "auto"
    return longer_words(front, rules, none=none)


def _network_lead(subject: Subject, rows: LabeledRows) -> LeadFacts | None:
    """How far the network is ahead of the rules on rows that were held out."""
    lead = rows.lead_of_network() if subject.task == CLASSIFY and subject.part == HELD_OUT else None
    if lead is None or not lead.n_rows:
        return None
    return LeadFacts(lead.size, *lead.interval, lead.p_value, lead.is_real, cross_fitted=False)


def _with_returns(concepts: Sequence[ConceptFacts], stability: Stability | None) -> tuple[ConceptFacts, ...]:
    """Concepts with the share of the resamples in which each returns."""
    returns = {} if stability is None else stability.returns
    shares = {name: share for literal, share in returns.items() for name in literal.concepts}
    return tuple(replace(concept, returns=shares.get(concept.name)) for concept in concepts)


def _listed(
    subject: Subject,
    measured: LabeledRows | None,
    stability: Stability | None,
    groups: Table | None,
    detail: Detail,
) -> dict[str, Any]:
    """The facts that are fewer where the page has to be small; shorter lists may use fewer concepts."""
    rules, shown_at = subject.rules, shown_points(subject.front, detail.literals)
    used = {name for formula in _formulas(subject, shown_at) for name in formula.concepts}
    names = tuple(name for name in rules.concept_names if name in used)
    places = {name: at for at, name in enumerate(names)}
    concepts, inputs = concepts_and_inputs(rules, names, None if measured is None else measured.table)
    grouped, n_grouped = grouped_facts(measured, groups, detail.groups)
    return {
        "rules": rules_facts(subject, places, measured, detail),
        "concepts": _with_returns(concepts, stability),
        "grouped": grouped,
        "n_grouped_left_out": n_grouped - len(grouped),
        "inputs": inputs,
        "policy": policy_facts(rules, places, measured, detail),
        "lengths": lengths_facts(subject, shown_at, places, measured),
        "left_out": "" if detail == FULL else _LESS if detail.exports else _LEAST,
    }


def _measured(subject: Subject, rows: LabeledRows, lead: Lead | None) -> OverallFacts:
    """The scores of all rules together on rows."""
    wanted, truth, model = map(rows.against, (rows.reference, rows.truth, rows.model))
    confusion, mistakes = (None, ()) if wanted is None else _confused(wanted)
    several, judged = subject.rules.multi_label, rows.with_known_truth()
    return OverallFacts(
        part=subject.part,
        n=rows.n_rows,
        n_truth=None if rows.truth is None else judged.n_rows,
        against="" if rows.reference is None else rows.reference.by,
        faithful_to="" if rows.model is None else rows.model.by,
        network_accuracy=judged.share_alike(rows.network, rows.truth),
        rules_accuracy=None if truth is None else truth.accuracy,
        black_box_accuracy=judged.share_alike(rows.black_box, rows.truth),
        baseline=None if truth is None or several else _prevalence(truth, _guess(subject, rows)),
        lead=_lead(subject, rows, lead),
        network_lead=_network_lead(subject, rows),
        answer_lead=_answer_lead(subject, rows),
        longer=_longer(subject),
        joint_fidelity=None if model is None else model.accuracy,
        fidelity=None if model is None else model.explanation_accuracy,
        fidelity_plain=None if model is None else model.explanation_accuracy_plain,
        explanation_accuracy=None if truth is None else truth.explanation_accuracy,
        explanation_accuracy_plain=None if truth is None else truth.explanation_accuracy_plain,
        literals=_literals_of_a_rule(subject.rules),
        n_uncovered=rows.resolution.n_uncovered,
        confusion=confusion,
        mistakes=mistakes,
    )


def _prevalence(truth: Evaluation, at: int) -> float:
    """Share of the rows that have a label, by its place."""
    return truth.prevalence_of(truth.labels[at])


def _confused(found: Evaluation) -> tuple[Confusion | None, tuple[Mistake, ...]]:
    """The table of what the rules take for what, and its largest entries off the diagonal."""
    if found.confusion.ndim == 3:
        return None, ()
    labels = tuple(map(str, found.labels))
    table = found.confusion.astype(np.intp)
    mixed = [
        Mistake(labels[at], labels[other], int(table[at, other]))
        for at, other in np.argwhere(table).tolist()
        if at != other
    ]
    mixed.sort(key=lambda mistake: -mistake.n)
    small = len(labels) <= MOST_LABELS
    return Confusion(labels, tuple(map(tuple, table.tolist()))) if small else None, tuple(
        mixed[:MOST_MISTAKES]
    )


def _stored(subject: Subject) -> OverallFacts:
    """The scores of the fit: of a black box on rows held out, else the means of the rules' own scores."""
    rules, box = subject.rules, subject.imitation
    scores = [explanation.scores for explanation in rules.values() if explanation.scores is not None]
    parts = {f"{scores.part} rows" for scores in scores}
    part = parts.pop() if len(parts) == 1 else ""
    fidelity = _mean([score.fidelity for score in scores])
    accuracy = _mean([score.accuracy for score in scores])
    model = "" if fidelity is None else "the clusters" if subject.task == CLUSTER else "the network"
    n: int | None = max((score.n_rows for score in scores), default=None)
    if box is not None:
        part, n, model = f"rows {box.part}", box.n_rows, "the black box"
    return OverallFacts(
        part=part,
        n=n,
        against="the truth" if accuracy is not None and subject.task != BLACK_BOX else model,
        faithful_to=model,
        rules_accuracy=None if box is None else box.rules_accuracy,
        black_box_accuracy=None if box is None else box.black_box_accuracy,
        joint_fidelity=None if box is None else box.rules_agree,
        fidelity=None if box is None else box.macro_f1,
        fidelity_plain=fidelity if box is None else box.plain,
        explanation_accuracy_plain=accuracy if box is None else None,
        literals=_literals_of_a_rule(rules),
    )


def _literals_of_a_rule(rules: ExplanationSet) -> float:
    return sum(explanation.literals for explanation in rules.explanations) / len(rules)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
