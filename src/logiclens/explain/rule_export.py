"""A set of rules for people and for other programs: Python source, LaTeX, Markdown, plain English.

The source predicts as the rules do: they are tried in the order of their priority, the first that is true
decides, and the default stands at the end. SQL has a module of its own, :mod:`logiclens.explain.rule_sql`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from logiclens.concepts.vocabulary import with_missing
from logiclens.explain.changes import target_named
from logiclens.logic.data import check_threshold
from logiclens.logic.export import check_function_name, python_condition, threshold_literal
from logiclens.logic.values import THRESHOLD

if TYPE_CHECKING:
    from logiclens.explain.explanation import Explanation
    from logiclens.explain.label import Label
    from logiclens.explain.rule_set import ExplanationSet


def rules_to_python(rules: ExplanationSet, name: str = "predict", threshold: float = THRESHOLD) -> str:
    """Source of a Python function that predicts one row exactly as :meth:`ExplanationSet.predict` does.

    It needs nothing but Python. Names and labels appear as literals only, so that they are data there, too.

    Parameters
    ----------
    rules : ExplanationSet
    name : str, default "predict"
        Name of the function.
    threshold : float, default 0.5
        A value counts as true when it is greater. With a vocabulary the function takes a row of the raw
        table, and the threshold has no part in it.

    Returns
    -------
    str
        The function takes a mapping from names to single values and returns the label; of a multi-label set
        a dictionary that says of each label whether its rule is true. Which values may be missing is said at
        :func:`logiclens.logic.to_python`.

    Raises
    ------
    InputError
        The name is not one that a function can have, or the threshold is not in [0, 1).
    LimitError
        A formula is nested too deep, or too long.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet(
    ...     [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))],
    ...     concept_names=["wings", "fins"],
    ...     default="fish",
    ...     priority=[0.9, 0.95],
    ... )
    >>> source = rules_to_python(rules)
    >>> print(source, end="")
    def predict(row):
        if (
            row['fins'] > 0.5
        ):
            return 'fish'
        if (
            row['wings'] > 0.5
        ):
            return 'bird'
        return 'fish'
    >>> scope = {}
    >>> exec(source, scope)
    >>> scope["predict"]({"wings": 1, "fins": 0})
    'bird'
    """
    check_function_name(name)
    cut = check_threshold(threshold)
    words = rules.vocabulary
    literal = threshold_literal(cut) if words is None else words.python_literal(name)
    conditions = {label: python_condition(rules[label].formula, literal) for label in rules}
    if rules.multi_label:
        indented = ((label, test.replace("\n", "\n    ")) for label, test in conditions.items())
        answers = (f"        {label!r}: True if {test} else False,\n" for label, test in indented)
        body = f"    return {{\n{''.join(answers)}    }}\n"
    else:
        cases = (f"    if {conditions[label]}:\n        return {label!r}\n" for label in by_priority(rules))
        body = f"{''.join(cases)}    return {rules.default!r}\n"
    source = f"def {name}(row):\n{body}"
    return source if words is None else with_missing(source)


def by_priority(rules: ExplanationSet) -> list[Label]:
    """The labels in the order in which their rules are tried: by priority, of equals the first."""
    rank = dict(zip(rules.labels, rules.priority, strict=True))
    return sorted(rules.labels, key=lambda label: -rank[label])


def rules_to_sentence(rules: ExplanationSet) -> str:
    """All rules in plain English, one a line, and who decides where several or none are true.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet(
    ...     [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))],
    ...     concept_names=["wings", "fins"],
    ...     default="fish",
    ...     priority=[0.9, 0.95],
    ... )
    >>> print(rules_to_sentence(rules))
    bird if and only if wings (a necessary and sufficient condition).
    fish if and only if fins (a necessary and sufficient condition).
    Where several are true the first of these decides: fish, bird; where none is, it is fish.
    """
    lines = [f"{explanation.to_sentence()}." for explanation in rules.values()]
    return "\n".join([*lines, policy_sentence(rules)])


def policy_sentence(rules: ExplanationSet) -> str:
    """What is predicted where several rules are true, or none, in plain English."""
    if rules.multi_label or rules.default is None:
        return "Each label is predicted where its rule is true; a row may have several, or none."
    default = target_named(rules[rules.default].rule)
    if len(rules) == 1:
        return f"Where it is not true, it is {default} as well."
    order = ", ".join(target_named(rules[label].rule) for label in by_priority(rules))
    return f"Where several are true the first of these decides: {order}; where none is, it is {default}."


def rules_to_latex(rules: ExplanationSet) -> str:
    r"""All rules as math-mode LaTeX, one a line; needs the amsmath package, or MathJax.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> print(rules_to_latex(ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings"])))
    \begin{aligned}
    & \forall x \colon \mathit{bird}(x) \leftrightarrow \mathit{wings}(x)
    \end{aligned}
    """
    lines = " \\\\\n".join(f"& {explanation.to_latex()}" for explanation in rules.values())
    return f"\\begin{{aligned}}\n{lines}\n\\end{{aligned}}"


def rules_to_markdown(rules: ExplanationSet) -> str:
    """All rules as Markdown: in plain English, and as logic in a block of code.

    Names are shown and do nothing: signs that Markdown acts on are written as entities.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> print(rules_to_markdown(ExplanationSet([Explanation(Rule("<b>", Var("wings")))], ["wings"])))
    “&lt;b&gt;” if and only if wings (a necessary and sufficient condition).
    <BLANKLINE>
    ```text
    ∀x: "<b>"(x) ↔ wings(x)
    ```
    <BLANKLINE>
    Where it is not true, it is “&lt;b&gt;” as well.
    """
    return "\n\n".join([*map(rule_to_markdown, rules.values()), _shown(policy_sentence(rules))])


def rule_to_markdown(explanation: Explanation) -> str:
    """One rule as Markdown; see :func:`rules_to_markdown`."""
    return f"{_shown(explanation.to_sentence())}.\n\n```text\n{explanation.rule.format('unicode')}\n```"


# An underscore between letters is one wherever Markdown is read.
_ACTIVE = re.compile(r"[&<>*`\[\]\\|~$#^={}]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def _shown(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _ACTIVE.sub(lambda found: _ENTITIES.get(found[0], f"&#{ord(found[0])};"), text)
