"""Rules evaluated from facts alone, as the page does it: what is in the facts has to be enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def concept_holds(concept: Mapping[str, Any], value: Any) -> bool:
    """Truth of a concept of a value; None is a missing one."""
    if value is None:
        return concept["or_missing"]
    test = concept["test"]
    match test["kind"]:
        case "above":
            return value > test["cut"]
        case "at_most":
            return value <= test["cut"]
        case "between":
            return test["low"] < value <= test["high"]
        case "one_of":
            return any(
                value == one and isinstance(value, str) == isinstance(one, str) for one in test["values"]
            )
        case "flag":
            return value > 0.5
        case "missing":
            return False
    raise AssertionError(test)


def tree_holds(tree: Mapping[str, Any], truth: list[bool]) -> bool:
    """Truth of a tree, given that of the concepts."""
    match tree["op"]:
        case "true" | "false":
            return tree["op"] == "true"
        case "var":
            return truth[tree["concept"]]
        case "not":
            return not tree_holds(tree["arg"], truth)
        case "and":
            return all(tree_holds(arg, truth) for arg in tree["args"])
        case "or":
            return any(tree_holds(arg, truth) for arg in tree["args"])
    raise AssertionError(tree)


def concept_truth(facts: Mapping[str, Any], row: Mapping[str, Any]) -> list[bool]:
    """Truth of each concept of the facts on a row, by the names of the inputs."""
    names = [one["name"] for one in facts["inputs"]]
    return [concept_holds(concept, row[names[concept["column"]]]) for concept in facts["concepts"]]


def predicted(facts: Mapping[str, Any], row: Mapping[str, Any]) -> Any:
    """The label that the rules predict, or in a multi-label set those that they do."""
    truth = concept_truth(facts, row)
    fired = [at for at, rule in enumerate(facts["rules"]) if tree_holds(rule["tree"], truth)]
    policy = facts["policy"]
    if policy["multi_label"]:
        return [facts["rules"][at]["label"] for at in fired]
    for step in policy["steps"]:
        own = facts["rules"][step["rule"]]["tree"]
        if tree_holds(own if step["tree"] is None else step["tree"], truth):
            return step["label"]
    return policy["default"]["label"]
