r"""What each part of the fit is worth: it is changed or switched off, and everything else stays.

    python -m benchmarks.ablations FOLDER ... [--variants a,b] [--tables a,b] [--folds 3] [--write]

For each table, fold and variant: accuracy of the network and of the rules that are shown on the test rows,
literals of a class, and the accuracy at fixed literals per class. Tables that are never used to choose a
setting are left out (:data:`benchmarks.fronts.HELD_BACK`), and of tables of many rows one fold has to do.
Rows are kept in the file of ``--out``, so that a run that was stopped goes on; start
a new one after a change. ``--write`` renews the table of
``docs/explanation/ablations.md``.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.fronts import HELD_BACK, TARGET, by_size
from logiclens.bench.experiments import table_files
from logiclens.bench.fronts import lead
from logiclens.errors import LogicLensError
from logiclens.estimators import MuClassifier, _parameters, fit, networks
from logiclens.files import read_table
from logiclens.logic import decision_list

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "ablations.md"
LENGTHS = (5, 10, 20)
"""Literals a class at which accuracy is compared."""
MANY = 3000
"""Rows from which on one fold has to do."""
BEGIN, END = "<!-- table -->", "<!-- end -->"


@dataclass(frozen=True)
class Variant:
    """The default fit but for one thing.

    Parameters
    ----------
    says : str
        What is different.
    settings : mapping of str to Any
        Of the classifier.
    patches : sequence of (module or class, str, Any)
        Names that stand for something else while it is fitted.
    """

    says: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    patches: Sequence[tuple[Any, str, Any]] = ()


def out_of_fold(recipe: Any, x: Any, targets: Any, folds: Any, trained: Any) -> Any:
    """Search for rules in what the restarts say about the rows that they did not learn from."""
    whole, *left = folds
    answers = sum(
        (whole.train + whole.check - part.train - part.check)[:, None]
        * networks.as_probabilities(networks.predict_logits(network, x), targets.problem)
        for part, network in zip(left, trained[1:], strict=True)
    )
    total = (whole.train + whole.check)[:, None]
    held_out = np.where(total > 0, answers / np.where(total > 0, total, 1.0), 0.0) if left else None
    own = fit.FrontSearch.soften

    def soften(rules: Any, probability: Any, answers: Any) -> Any:
        return own(rules, probability if held_out is None else held_out, answers)

    with patch.object(fit.FrontSearch, "soften", soften):
        return SEARCH_FRONT(recipe, x, targets, folds, trained)


def every_concept(recipe: Any, x: Any, targets: Any, folds: Any, trained: Any) -> Any:
    """Let rules use all concepts, whatever the networks read."""
    own, tuples = fit.FrontSearch.search, fit.FrontSearch.seen

    def search(rules: Any, soft: Any, allowed: Any) -> Any:
        return own(rules, soft, np.ones_like(allowed))

    def seen(rules: Any, kept: Any, answers: Any) -> Any:
        return tuples(rules, np.ones_like(kept), answers)

    with patch.object(fit.FrontSearch, "search", search), patch.object(fit.FrontSearch, "seen", seen):
        return SEARCH_FRONT(recipe, x, targets, folds, trained)


def one_standard_error(rules: Any, front: Any, gained: Any, weight: Any) -> int:
    """The shortest length within one standard error of the best, by the error of that difference."""
    if not weight.any():
        return int(CHOOSE(rules, front, gained, weight))
    share = weight / weight.sum()
    loss = gained[(gained @ share).argmax()] - gained
    mean = loss @ share
    error = np.sqrt(np.square(loss - mean[:, None]) @ share / rules.n_rows(weight))
    return int(np.flatnonzero(mean <= error)[0])


def no_guess(rules: Any, front: Any, gained: Any, weight: Any) -> int:
    """The length of the least J, also where no rules are nearly as good."""
    if not weight.any():
        return int(CHOOSE(rules, front, gained, weight))
    lengths = np.array([sum(each.literals for each in lists) for lists in front])
    return int((gained @ weight / weight.sum() - rules.recipe.literal_cost * lengths).argmax())


def no_pairs(*arguments: Any) -> tuple[float, int, int, int]:
    """Two terms in place of one are never tried."""
    del arguments
    return (-np.inf, 0, 0, 0)


def uncalibrated(work: Any, logits: Any) -> Any:
    """Leave logits as they are."""
    del work
    return np.ones(logits.shape[1])


SEARCH_FRONT, CHOOSE = fit.search_front, fit.FrontSearch.choose


def _cuts(**settings: Any) -> Mapping[str, Any]:
    from logiclens.concepts import ConceptEncoder

    return {"encoder": ConceptEncoder(**settings)}


VARIANTS: dict[str, Variant] = {
    "default": Variant("as it is"),
    "distillation 0": Variant("labels alone", {"distillation": 0.0}),
    "distillation 0.25": Variant("", {"distillation": 0.25}),
    "distillation 0.75": Variant("", {"distillation": 0.75}),
    "distillation 1": Variant("the network alone", {"distillation": 1.0}),
    "out-of-fold": Variant(
        "a row's answers are those of networks that did not learn from it",
        patches=[(fit, "search_front", out_of_fold)],
    ),
    "out-of-fold, 1": Variant(
        "the same, the network alone", {"distillation": 1.0}, [(fit, "search_front", out_of_fold)]
    ),
    "every concept": Variant(
        "rules may use concepts that the network does not keep",
        patches=[(fit, "search_front", every_concept)],
    ),
    "no pruning": Variant("the network keeps every concept", {"max_concepts": 10**6}),
    "ten concepts": Variant("the network keeps at most ten", {"max_concepts": 10}),
    "one penalty": Variant("the smaller one", {"l1": 0.001}),
    "hidden 10": Variant("half of the hidden units", {"hidden": (10,)}),
    "restarts 3": Variant("", {"restarts": 3}),
    "restarts 10": Variant("", {"restarts": 10}),
    "rate 0.05": Variant("learning rate", {"learning_rate": 0.05}),
    "epochs 300": Variant("", {"epochs": 300, "patience": 90}),
    "uncalibrated": Variant("no temperature", patches=[(networks._Work, "_scales", uncalibrated)]),
    "free literals": Variant("the most accurate length", {"literal_cost": 0.0}),
    "dear literals": Variant("three times the price", patches=[(_parameters, "LITERAL_COST", 0.003)]),
    "one standard error": Variant(
        "the shortest length within that of the best",
        patches=[(fit.FrontSearch, "choose", one_standard_error)],
    ),
    "no guess": Variant(
        "rules are shown where they are no better than none", patches=[(fit.FrontSearch, "choose", no_guess)]
    ),
    "8 cuts": Variant("of a column", _cuts(max_cuts=8)),
    "32 cuts": Variant("of a column", _cuts(max_cuts=32)),
    "supervised cuts": Variant("instead of quantiles", _cuts(cuts="supervised")),
    "one pass": Variant("over the steps at each price", patches=[(decision_list, "_ROUNDS", 1)]),
    "fewer prices": Variant("a third of the one before", patches=[(decision_list, "_RATIO", 0.36)]),
    "no pairs": Variant("never two terms for one", patches=[(decision_list, "_two_for_one", no_pairs)]),
}


def measure(variant: Variant, fold: Any, n_classes: int) -> dict[str, Any]:
    """Fit a variant to one fold, and test it."""
    with ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for where, name, value in variant.patches:
            stack.enter_context(patch.object(where, name, value))
        classifier = MuClassifier(random_state=0, **variant.settings).fit(fold["x"], fold["y"])
    test, truth = fold["test"], fold["truth"]
    rules = classifier.explain()
    found = {
        "network": float(np.mean(classifier.predict(test) == truth)),
        "rules": float(rules.score(test, truth)),
        "literals": rules.literals / _per(n_classes),
    }
    for n in LENGTHS:
        found[f"at {n}"] = float(classifier.explain(literals=round(n * _per(n_classes))).score(test, truth))
    return found


def _per(n_classes: int) -> float:
    """Literals of a list for each literal of a class: a list of two classes has one formula."""
    return 1.0 if n_classes == 2 else float(n_classes)


def folds_of(file: Path, n_folds: int, seed: int) -> Iterator[tuple[int, Mapping[str, Any], int]]:
    """Number, rows, and number of classes of each fold."""
    from sklearn.model_selection import StratifiedKFold

    table = read_table(file).table
    labels = table.column(TARGET).to_numpy(zero_copy_only=False).astype(str)
    columns = table.drop_columns([TARGET]).to_pandas()
    splits = StratifiedKFold(5, shuffle=True, random_state=seed).split(columns, labels)
    for number, (train, test) in enumerate(splits):
        if number < (n_folds if len(labels) < MANY else 1):
            fold = {"x": columns.iloc[train], "y": labels[train], "test": columns.iloc[test]}
            yield number, fold | {"truth": labels[test]}, len(set(labels))


def summary(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table in Markdown: means of the default, and what each variant changes, over tables.

    Parameters
    ----------
    rows : sequence of mapping
        As :func:`main` makes them.
    """
    figures = ["network", "rules", *(f"at {n}" for n in LENGTHS), "literals"]
    values: dict[str, dict[str, dict[str, list[float]]]] = {}
    for row in rows:
        tables = values.setdefault(row["variant"], {}).setdefault(row["table"], {})
        for name in figures:
            tables.setdefault(name, []).append(row[name])
    means = {
        variant: {
            name: {table: float(np.mean(each[name])) for table, each in tables.items()} for name in figures
        }
        for variant, tables in values.items()
    }
    head = ["variant", "what is different", *figures[:-1], "literals per class"]
    lines = [head, ["---", "---", *["---:"] * len(figures)]]
    default = means["default"]
    for variant, found in means.items():
        cells = [variant, VARIANTS[variant].says if variant in VARIANTS else ""]
        for name in figures:
            scale = 1.0 if name == "literals" else 100.0
            if variant == "default":
                cells.append(f"{scale * np.mean(list(found[name].values())):.1f}")
                continue
            mean, spread, _ = lead(found[name], default[name])
            cells.append(f"{scale * mean:+.1f} ± {scale * spread:.1f}")
        lines.append(cells)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def complete(rows: Sequence[Mapping[str, Any]], variants: set[str], seed: int) -> list[Mapping[str, Any]]:
    """The rows of these variants on the folds that all of them have."""
    rows = [row for row in rows if row["seed"] == seed and row["variant"] in variants]
    folds = [{(row["table"], row["fold"]) for row in rows if row["variant"] == each} for each in variants]
    shared = set.intersection(*folds)
    return [row for row in rows if (row["table"], row["fold"]) in shared]


def main(arguments: Sequence[str] | None = None, tell: Callable[[str], object] = print) -> None:
    """Run, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablations", description=main.__doc__)
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="tables whose classes are in 'target'")
    parser.add_argument("--variants", default="", help="names with commas; all by default")
    parser.add_argument("--tables", default="", help="names of files without their ends; all by default")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--fold-seed", type=int, default=5)
    parser.add_argument("--out", default="results/ablations.jsonl", help="file of the rows")
    parser.add_argument("--write", action="store_true", help="renew the table of the page")
    options = parser.parse_args(arguments)
    variants = [each for each in options.variants.split(",") if each] or list(VARIANTS)
    if unknown := set(variants) - set(VARIANTS):
        raise SystemExit(f"Unknown variant {sorted(unknown)[0]!r}. There are {', '.join(VARIANTS)}.")
    names = {each for each in options.tables.split(",") if each}
    kept = Path(options.out)
    kept.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    done = {(row["table"], row["fold"], row["seed"], row["variant"]) for row in rows}
    try:
        files = by_size(file for folder in options.folders for file in table_files(folder))
    except LogicLensError as error:
        raise SystemExit(str(error)) from None
    for file in files:
        table = file.name.partition(".")[0]
        if table in HELD_BACK or (names and table not in names):
            continue
        for number, fold, n_classes in folds_of(file, options.folds, options.fold_seed):
            for variant in variants:
                key = (table, number, options.fold_seed, variant)
                if key in done:
                    continue
                row = dict(zip(("table", "fold", "seed", "variant"), key, strict=True))
                rows.append(row | measure(VARIANTS[variant], fold, n_classes))
                with kept.open("a") as out:
                    out.write(json.dumps(rows[-1]) + "\n")
            print(f"{table}, fold {number}", file=sys.stderr)
    wanted = complete(rows, {"default", *variants}, options.fold_seed)
    text = summary(sorted(wanted, key=lambda row: list(VARIANTS).index(row["variant"])))
    tell(text)
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
