"""Normal forms: negations at concepts only (NNF), disjunction of terms (DNF), conjunction of clauses (CNF).

Also here: :func:`simplify`, and :func:`substitute`, which puts formulas in the place of concepts. All normal
forms fold constants away, and the latter two go through packed covers, so that absorption happens at every
step. A formula whose normal form would blow up is refused with a
:class:`~logiclens.errors.LimitError`; one whose parts are shared is never written out along the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from logiclens.errors import InputError, LimitError, shown
from logiclens.logic.cover import MAX_TERMS, Cover
from logiclens.logic.data import check_count
from logiclens.logic.formula import FALSE, TRUE, And, Const, Formula, Not, Or, Var, check_formula

_SIMPLIFY_TERMS = 10_000  # terms up to which simplify() looks at the disjunctive normal form
_SIMPLIFY_FULLY = 200  # terms up to which it asks about every single literal


def to_nnf(formula: Formula) -> Formula:
    """Negation normal form: an equivalent formula where only concepts are negated.

    Constants fold away, chains of one connective become one node, repeated parts go, ``a | ~a`` becomes
    TRUE, ``a & ~a`` FALSE, and ``a | (a & b)`` just ``a``. The result never has more literals.

    Examples
    --------
    >>> to_nnf(~(Var("a") & ~Var("b")))
    Or(Not(Var('a')), Var('b'))
    """
    check_formula(formula, "to_nnf")
    return _fold_constant(formula, True)


def to_dnf(formula: Formula, max_terms: int = MAX_TERMS) -> Formula:
    """Disjunctive normal form: an equivalent disjunction of conjunctions of literals.

    Parameters
    ----------
    formula : Formula
        Any formula.
    max_terms : int, default 100 000
        Most terms of the result and of what is made on the way.

    Returns
    -------
    Formula
        No term implies another one; literals are sorted by name within a term.

    Raises
    ------
    LimitError
        More terms would be needed.

    Examples
    --------
    >>> to_dnf(Var("a") & (Var("b") | Var("c")))
    Or(And(Var('a'), Var('b')), And(Var('a'), Var('c')))
    """
    check_formula(formula, "to_dnf")
    limit = check_count(max_terms, "max_terms")
    return _limited_cover(_fold_constant(formula, True), formula.concepts, limit, "disjunctive").to_formula()


def to_cnf(formula: Formula, max_terms: int = MAX_TERMS) -> Formula:
    """Conjunctive normal form: an equivalent conjunction of disjunctions of literals.

    By De Morgan's law this is the disjunctive normal form of the negation, turned around. For the
    disjunction of class formulas ``phi_1 | ... | phi_r`` it yields the global explanation of Eq. (3),
    Sec. 4.1 of [1]_. The paper brings each ``phi_i`` to CNF first and then distributes, which is to
    multiply the negated ``phi_i`` here. Parts that are plain terms need no multiplication: they are
    complemented together, one concept at a time, which keeps what is made on the way shorter.

    Parameters
    ----------
    formula : Formula
        Any formula.
    max_terms : int, default 100 000
        Most clauses of the result and of what is made on the way.

    Raises
    ------
    LimitError
        More clauses would be needed.

    References
    ----------
    .. [1] G. Ciravegna et al.: "Logic Explained Networks".

    Examples
    --------
    >>> to_cnf((Var("a") & Var("b")) | Var("c"))
    And(Or(Var('a'), Var('c')), Or(Var('b'), Var('c')))
    """
    check_formula(formula, "to_cnf")
    limit = check_count(max_terms, "max_terms")
    negation = _limited_cover(_fold_constant(formula, False), formula.concepts, limit, "conjunctive")
    return _fold_constant(negation.to_formula(), False)


def simplify(formula: Formula) -> Formula:
    """Return an equivalent formula that is never longer and as a rule shorter.

    The shorter one of two is taken: the formula with constants, repetitions and absorbed parts folded
    away (see :func:`to_nnf`), and its disjunctive normal form without superfluous literals and terms
    (see :meth:`Cover.simplify <logiclens.logic.cover.Cover.simplify>`), unless that blows up.

    Examples
    --------
    >>> p, n = Var("p"), Var("n")
    >>> simplify((p & n) | (~p & n))
    Var('n')
    >>> simplify(p & (n | Var("m") | n))
    And(Var('p'), Or(Var('n'), Var('m')))
    """
    check_formula(formula, "simplify")
    folded = _fold_constant(formula, True)
    try:
        cover = _cover(folded, folded.concepts, _SIMPLIFY_TERMS, {})
        if len(cover) <= _SIMPLIFY_FULLY:
            cover = cover.simplify()
    except LimitError:
        return folded
    return cover.to_formula() if cover.n_literals <= folded.literals else folded


def substitute(formula: Formula, mapping: Mapping[str, Formula]) -> Formula:
    """Put formulas in the place of concepts, all at once; nothing is rewritten beyond that.

    Parameters
    ----------
    formula : Formula
    mapping : mapping of str to Formula
        What stands for each concept; concepts that are not in it stay.

    Returns
    -------
    Formula
        Parts that are the same stay shared, so that it takes little memory even where it is very long.

    Raises
    ------
    LimitError
        The result would be nested too deeply.

    Examples
    --------
    >>> a, b = Var("a"), Var("b")
    >>> substitute(a & ~b, {"a": b, "b": a | Var("c")})
    And(Var('b'), Not(Or(Var('a'), Var('c'))))
    """
    check_formula(formula, "substitute")
    if not isinstance(mapping, Mapping):
        raise InputError(f"substitute takes a mapping from concepts to formulas. Got {shown(mapping)}.")
    for part in mapping.values():
        check_formula(part, "substitute")
    done: dict[int, Formula] = {}

    def put(node: Formula) -> Formula:
        if id(node) not in done:
            done[id(node)] = build(node)
        return done[id(node)]

    def build(node: Formula) -> Formula:
        match node:
            case Var(name):
                return mapping.get(name, node)
            case Const():
                return node
            case _:
                return type(node)(*map(put, node.args))

    return put(formula)


def _fold_constant(formula: Formula, value: bool) -> Formula:
    """Negation normal form of the formula, or of its negation when ``value`` is False."""
    done: dict[tuple[int, bool], Formula] = {}

    def fold(node: Formula, value: bool) -> Formula:
        key = (id(node), value)
        if key not in done:
            done[key] = build(node, value)
        return done[key]

    def build(node: Formula, value: bool) -> Formula:
        match node:
            case Const(truth):
                return TRUE if truth == value else FALSE
            case Var():
                return node if value else Not(node)
            case Not(arg):
                return fold(arg, not value)
            case _:
                kind = And if isinstance(node, And) == value else Or
                return _join(kind, [fold(part, value) for part in node.args])

    return fold(formula, value)


def _join(kind: type[And] | type[Or], parts: Iterable[Formula]) -> Formula:
    """Conjunction or disjunction of folded parts, itself folded."""
    neutral, ruling, dual = (TRUE, FALSE, Or) if kind is And else (FALSE, TRUE, And)
    flat = (item for part in parts for item in (part.args if isinstance(part, kind) else (part,)))
    kept = dict.fromkeys(item for item in flat if item != neutral)
    if ruling in kept or any(isinstance(item, Not) and item.arg in kept for item in kept):
        return ruling
    return kind.of(
        item for item in kept if not (isinstance(item, dual) and any(part in kept for part in item.args))
    )


def _limited_cover(formula: Formula, names: Sequence[str], max_terms: int, which: str) -> Cover:
    try:
        cover = _cover(formula, names, max_terms, {})
    except LimitError as error:
        raise LimitError(f"No {which} normal form with max_terms={max_terms}. {error}") from None
    if len(cover) > max_terms:
        raise LimitError(f"No {which} normal form with max_terms={max_terms}: it has {len(cover)} terms.")
    return cover


def _cover(formula: Formula, names: Sequence[str], limit: int, done: dict[int, Cover]) -> Cover:
    """Absorbed cover of a folded formula."""
    key = id(formula)
    if key not in done:
        make = _conjunction if isinstance(formula, And) else _disjunction
        done[key] = make(formula, names, limit, done)
    return done[key]


def _disjunction(formula: Formula, names: Sequence[str], limit: int, done: dict[int, Cover]) -> Cover:
    """Cover of a disjunction, or of a literal or constant: its terms, and the covers of all other parts."""
    if formula == TRUE:
        return Cover.from_literals(names, [{}])
    parts = formula.args if isinstance(formula, Or) else () if formula == FALSE else (formula,)
    terms = [_literals(part, And, True) for part in parts]
    direct = Cover.from_literals(names, [term for term in terms if term is not None])
    nested = [part for part, term in zip(parts, terms, strict=True) if term is None]
    return direct.union(*(_cover(part, names, limit, done) for part in nested))


def _conjunction(formula: Formula, names: Sequence[str], limit: int, done: dict[int, Cover]) -> Cover:
    """Cover of a conjunction: its clauses are the complement of terms; other parts are multiplied in."""
    clauses = [_literals(part, Or, False) for part in formula.args]
    failures = Cover.from_literals(names, [clause for clause in clauses if clause is not None])
    nested = [part for part, clause in zip(formula.args, clauses, strict=True) if clause is None]
    factors = [failures.complement(limit), *(_cover(part, names, limit, done) for part in nested)]
    product, *others = sorted(factors, key=len)  # short factors first keep the products small
    for other in others:
        product = product.intersect(other, limit)
    return product


def _literals(part: Formula, kind: type[And] | type[Or], value: bool) -> dict[str, bool] | None:
    """Literals of a term or clause as name and value, all negated when ``value`` is False; None if nested."""
    found = {}
    for item in part.args if isinstance(part, kind) else (part,):
        match item:
            case Var(name):
                found[name] = value
            case Not(Var(name)):
                found[name] = not value
            case _:
                return None
    return found


def disjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The parts of a disjunction; a formula that is none is one part."""
    return formula.args if isinstance(formula, Or) else (formula,)


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The parts of a conjunction; a formula that is none is one part."""
    return formula.args if isinstance(formula, And) else (formula,)


def is_dnf(formula: Formula) -> bool:
    """Whether a formula is a constant or a disjunction of terms as it is written."""
    literals = (part for term in disjuncts(formula) for part in conjuncts(term))
    return isinstance(formula, Const) or all(
        isinstance(part.arg if isinstance(part, Not) else part, Var) for part in literals
    )


def dnf_terms(formula: Formula, max_terms: int = MAX_TERMS) -> tuple[Formula, ...]:
    """The terms of a formula: as written where it is in DNF, of its DNF otherwise; none of ``FALSE``.

    Examples
    --------
    >>> dnf_terms(Var("c") | (Var("b") & Var("a")))
    (Var('c'), And(Var('b'), Var('a')))
    >>> dnf_terms(Var("c") & (Var("b") | Var("a")))
    (And(Var('a'), Var('c')), And(Var('b'), Var('c')))
    """
    dnf = formula if is_dnf(formula) else to_dnf(formula, max_terms)
    return () if dnf == FALSE else disjuncts(dnf)


def dnf_literals(formula: Formula) -> int:
    """Number of literals of the terms of a formula, its complexity (Sec. 6.2).

    Examples
    --------
    >>> both = (Var("a") | Var("b")) & (Var("c") | Var("d"))
    >>> both.literals, dnf_literals(both)
    (4, 8)
    """
    return sum(term.literals for term in dnf_terms(formula))
