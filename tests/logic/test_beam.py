"""Short formulas searched for among many concepts: against all there are, and against planted ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError
from logiclens.logic import TRUE, And, Formula, Not, Or, TruthTable, Var, equivalent
from logiclens.logic.beam import WIDTH, _best_first, short_formulas
from logiclens.logic.expand import Side
from logiclens.logic.lattice import read_terms
from tests.strategies import HOSTILE_NAMES, all_rows, labelled_rows


def right(formula: Formula, table: TruthTable) -> float:
    """Weight of the table that a formula is right about."""
    true = formula.evaluate(table.to_array(), names=table.names)
    return float(np.where(true, table.yes, table.no).sum())


@given(st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 2.0]), max_size=30), st.integers(1, 12))
def test_the_best_come_first_as_if_all_were_sorted(values, soon):
    given_values = np.array(values, dtype=np.float32)

    assert [*_best_first(given_values, soon)] == np.argsort(-given_values, kind="stable").tolist()


def terms_of(formula: Formula) -> list[list[Formula]]:
    """The literals of each term."""
    terms = formula.args if isinstance(formula, Or) else (formula,)
    return [list(term.args) if isinstance(term, And) else [term] for term in terms]


def is_literal(formula: Formula) -> bool:
    return isinstance(formula, Var) or (isinstance(formula, Not) and isinstance(formula.arg, Var))


@st.composite
def tables(draw, max_concepts: int = 6, names_from=None) -> TruthTable:
    x, y, weight, names = draw(labelled_rows(max_concepts, names_from=names_from))
    return TruthTable.from_data(x, y, names=names, sample_weight=weight)


# --- what is returned ---


@given(tables(), st.integers(1, 7), st.sampled_from([1, 3, WIDTH]))
def test_formulas_are_in_disjunctive_normal_form_and_short(table, longest, width):
    """Whatever the concepts are called. No term repeats a concept, and no formula repeats a term."""
    found = short_formulas(table, longest, width=width)

    assert all(1 <= formula.complexity <= longest for formula in found)
    assert len(found) <= longest
    for formula in found:
        terms = terms_of(formula)
        assert len({frozenset(term) for term in terms}) == len(terms)
        for term in terms:
            assert all(is_literal(part) for part in term)
            assert len(And.of(term).concepts) == len(term)
        assert set(formula.concepts) <= set(table.names)


@given(tables(), st.integers(1, 7), st.sampled_from([1, 3, WIDTH]))
def test_each_formula_is_longer_than_the_one_before_and_right_about_more(table, longest, width):
    found = short_formulas(table, longest, width=width)
    lengths = [formula.complexity for formula in found]
    shares = [float(table.no.sum()), *(right(formula, table) for formula in found)]

    assert lengths == sorted(set(lengths))
    assert shares == sorted(set(shares))


@given(tables(), st.integers(1, 6))
def test_what_is_allowed_does_not_change_what_is_shorter(table, longest):
    more = short_formulas(table, longest + 1)

    assert short_formulas(table, longest) == tuple(f for f in more if f.complexity <= longest)


@given(tables(), st.integers(1, 7), st.integers(1, 4))
def test_formulas_speak_of_no_more_concepts_than_are_allowed(table, longest, most):
    found = short_formulas(table, longest, max_concepts=most)

    free = short_formulas(table, longest)
    assert all(len(formula.concepts) <= most for formula in found)
    if all(len(formula.concepts) <= most for formula in free):
        assert {formula.complexity for formula in found} >= {formula.complexity for formula in free[:1]}
    assert short_formulas(table, longest, max_concepts=len(table.names) + 1) == free


def test_formulas_of_few_concepts_grow_on_where_longer_ones_would_crowd_them_out():
    """One of two, or the other, not both: beside concepts that each gain at once, that is found late."""
    rng = np.random.default_rng(0)
    x = rng.random((4000, 12)) < 0.5
    telling = x[:, 2:].sum(axis=1) >= 6
    y = np.where(rng.random(4000) < 0.55, x[:, 0] ^ x[:, 1], telling)
    table = TruthTable.from_data(x, y, names=[*"abcdefghijkl"])

    def best(**settings):
        return short_formulas(table, 6, width=12, **settings)[-1]

    one_of_two = (Var("a") & ~Var("b")) | (~Var("a") & Var("b"))
    assert equivalent(best(max_concepts=2), one_of_two)
    assert not equivalent(best(), one_of_two)


# --- how good it is ---


def literals_needed(n_concepts: int) -> dict[bytes, int]:
    """Fewest literals of a DNF for each truth over all tuples that at most four literals have."""
    terms = read_terms(np.arange(3**n_concepts), n_concepts)
    covered = Side(all_rows(n_concepts)).covered(terms)
    found = {np.zeros(2**n_concepts, dtype=bool).tobytes(): 0}
    for _ in range(4):  # terms
        for truth, size in list(found.items()):
            for term, rows in zip(terms, covered, strict=True):
                if not term.any():  # nothing is asked: no term of a formula
                    continue
                length = size + int(np.abs(term).sum())
                both = (np.frombuffer(truth, dtype=bool) | rows).tobytes()
                if 0 < length <= min(4, found.get(both, 5) - 1):
                    found[both] = length
    return found


NEEDED = literals_needed(3)
TRUTHS = np.array([np.frombuffer(truth, dtype=bool) for truth in NEEDED])


def reached(table: TruthTable, longest: int, width: int = WIDTH) -> float:
    """Weight that the best formula found is right about; FALSE is a formula, too."""
    found = short_formulas(table, longest, width=width)
    return right(found[-1], table) if found else float(table.no.sum())


def of_three() -> st.SearchStrategy[TruthTable]:
    """Weight of yes and of no on some tuples of three concepts."""
    numbers = st.lists(st.integers(0, 5), min_size=8, max_size=8)
    return st.builds(
        lambda yes, no: TruthTable.from_counts(
            all_rows(3), np.array(yes, float), np.array(no, float), [*"abc"]
        ),
        numbers,
        numbers.map(lambda found: [*found[:-1], found[-1] + 1]),
    )


@given(of_three(), st.integers(1, 4))
def test_nothing_is_missed_where_nothing_is_dropped(table, longest):
    """A beam of all formulas: of all that so many literals can say nothing is better."""
    short = TRUTHS[[needed <= longest for needed in NEEDED.values()]]
    best = float(table.no.sum())
    for truth in short:
        true = dict(zip(map(bytes, all_rows(3)), truth, strict=True))
        said = np.array([true[bytes(row)] for row in table.to_array()])
        best = max(best, float(np.where(said, table.yes, table.no).sum()))

    assert reached(table, longest, width=10**6) == best
    assert reached(table, longest, width=1) <= best


@given(tables(max_concepts=6), st.integers(0, 20))
def test_two_literals_are_exact_up_to_twenty_concepts(table, n_more):
    """All literals fit into the beam, so that all pairs are tried, be they joined by "and" or by "or"."""
    rows = table.to_array()
    more = noise(len(rows), min(n_more, 20 - rows.shape[1]), seed=n_more)
    rows = np.concatenate([rows, more], axis=1)
    names = [f"x{j}" for j in range(rows.shape[1])]
    wide = TruthTable.from_counts(rows, table.yes, table.no, names)
    literals = np.concatenate([rows, ~rows], axis=1).T
    gain = table.yes - table.no
    singles = literals @ gain
    both = (literals * gain) @ literals.T.astype(float)  # of two literals together
    either = singles[:, None] + singles - both
    no = float(table.no.sum())

    assert reached(wide, 1) == no + max(0.0, singles.max())
    assert reached(wide, 2) == no + max(0.0, singles.max(), both.max(), either.max())


def noise(n_rows: int = 1500, n_concepts: int = 40, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random((n_rows, n_concepts)) < 0.5


# --- among many concepts ---


NAMES = tuple(f"x{j}" for j in range(40))


@pytest.mark.parametrize(
    ("planted", "longest"),
    [
        (Var("x3") & ~Var("x17") & Var("x31"), 3),
        (Var("x3") & ~Var("x17") & Var("x31") & Var("x5"), 6),
        ((Var("x3") & Var("x8")) | (~Var("x20") & Var("x39")), 4),
        ((Var("x3") & Var("x8")) | ~Var("x20"), 5),
    ],
    ids=str,
)
def test_a_planted_formula_is_found_among_noise(planted, longest):
    x = noise()
    table = TruthTable.from_data(x, planted.evaluate(x, names=NAMES), names=NAMES)
    found = short_formulas(table, longest)

    assert equivalent(found[-1], planted)
    assert found[-1].complexity == planted.complexity


def test_a_planted_formula_is_found_though_one_label_in_ten_is_wrong():
    x = noise(seed=1)
    planted = Var("x3") & ~Var("x17") & Var("x31")
    flipped = np.random.default_rng(2).random(len(x)) < 0.1
    table = TruthTable.from_data(x, planted.evaluate(x, names=NAMES) ^ flipped, names=NAMES)

    assert equivalent(short_formulas(table, 3)[-1], planted)


def test_concepts_that_say_nothing_one_by_one_are_found_together():
    """Exactly one of two: each of them alone is right about half of the rows, as good as a toss."""
    x = noise(seed=3)
    planted = (Var("x3") & ~Var("x17")) | (~Var("x3") & Var("x17"))
    table = TruthTable.from_data(x, planted.evaluate(x, names=NAMES), names=NAMES)

    assert equivalent(short_formulas(table, 4, width=4000)[-1], planted)


# --- weights ---


@given(labelled_rows(max_concepts=4, max_rows=12), st.integers(1, 5))
def test_a_weight_is_a_number_of_rows(rows, longest):
    x, y, weight, names = rows
    times = weight.astype(int)
    weighted = TruthTable.from_data(x, y, names=names, sample_weight=weight)
    repeated = TruthTable.from_data(x.repeat(times, axis=0), y.repeat(times), names=names)

    assert short_formulas(weighted, longest) == short_formulas(repeated, longest)


@given(tables(max_concepts=4), st.integers(1, 5), st.sampled_from([2.0**-60, 0.5, 2.0**60]))
def test_the_unit_of_the_weights_does_not_matter(table, longest, unit):
    scaled = TruthTable.from_counts(table.to_array(), table.yes * unit, table.no * unit, table.names)

    assert short_formulas(scaled, longest) == short_formulas(table, longest)


def test_the_weight_decides():
    """Three rows of yes and one of no that counts as much as ten."""
    x = [[1, 0], [1, 1], [0, 1], [0, 0]]
    plain = TruthTable.from_data(x, [1, 0, 1, 1], names=["a", "b"])
    heavy = TruthTable.from_data(x, [1, 0, 1, 1], names=["a", "b"], sample_weight=[1, 1, 1, 10])

    assert right(short_formulas(plain, 1)[0], plain) == 3.0
    assert right(short_formulas(heavy, 1)[0], heavy) == 12.0
    for table in (plain, heavy):
        assert equivalent(short_formulas(table, 2)[-1], ~Var("a") | ~Var("b"))

    unlike = TruthTable.from_data(x, [1, 0, 1, 0], names=["a", "b"], sample_weight=[5, 2, 1, 1])
    assert [str(formula) for formula in short_formulas(unlike, 1)] == ["~b"]


# --- edges ---


@pytest.mark.parametrize("y", [[0, 0, 0, 0], [1, 0, 0, 0]])
def test_nothing_where_no_formula_is_better_than_false(y):
    table = TruthTable.from_data([[1], [1], [0], [0]], y, names=["a"])

    assert short_formulas(table, 3) == ()


def test_true_is_a_tautology():
    """It has no literal, so it is found as a literal or its negation."""
    table = TruthTable.from_data([[0, 0], [1, 0], [0, 1]], [1, 1, 1], names=["a", "b"])
    last = short_formulas(table, 4)[-1]

    assert equivalent(last, TRUE)
    assert last.complexity == 2


def test_nothing_of_a_table_without_concepts():
    table = TruthTable.from_counts(np.zeros((1, 0), dtype=bool), np.ones(1), np.zeros(1), [])

    assert short_formulas(table, 3) == ()


def test_rare_targets_are_found():
    """One row in two hundred, and every literal holds on far more rows of the rest than of the target."""
    x = noise(6000, 25, seed=8)
    y = x[:, 3] & ~x[:, 7] & x[:, 11] & ~x[:, 19] & x[:, 20] & x[:, 23] & x[:, 24] & (x[:, 1] | x[:, 2])
    table = TruthTable.from_data(x, y, names=NAMES[:25])

    best = short_formulas(table, 8)[-1]

    found = best.evaluate(x, names=NAMES[:25])
    assert y.mean() < 0.01
    assert (found & y).sum() >= 0.6 * y.sum()
    assert (found & y).sum() >= 0.6 * found.sum()


def test_names_are_data():
    """Every awkward name once as part of the planted formula, in its place among all the others."""
    x = noise(400, len(HOSTILE_NAMES), seed=4)
    for at, name in enumerate(HOSTILE_NAMES):
        other = HOSTILE_NAMES[at - 1]
        table = TruthTable.from_data(x, x[:, at] & ~x[:, at - 1], names=HOSTILE_NAMES)
        assert equivalent(short_formulas(table, 2)[-1], Var(name) & ~Var(other))


def test_equal_calls_give_equal_formulas():
    x = noise(200, 12, seed=5)
    y = np.random.default_rng(6).random(200) < 0.5
    table = TruthTable.from_data(x, y, names=NAMES[:12])

    assert short_formulas(table, 6) == short_formulas(table, 6)


ONE = TruthTable.from_data([[0], [1]], [0, 1], names=["a"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_literals": 0}, "max_literals must be at least 1. Got 0."),
        ({"max_literals": -1}, "max_literals must be a whole number of at least 0. Got -1."),
        ({"max_literals": 2.0}, "max_literals must be a whole number of at least 0. Got 2.0."),
        ({"max_literals": True}, "max_literals must be a whole number of at least 0. Got True."),
        ({"max_literals": 2, "max_concepts": 0}, "max_concepts must be at least 1. Got 0."),
        ({"max_literals": 2, "width": 0}, "width must be at least 1. Got 0."),
        ({"max_literals": 2, "width": "all"}, "width must be a whole number of at least 0. Got 'all'."),
    ],
)
def test_bad_input_is_refused(settings, message):
    with pytest.raises(InputError) as info:
        short_formulas(ONE, **settings)
    assert str(info.value) == message
