from __future__ import annotations

import json
from dataclasses import asdict, replace

from hypothesis import given

from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import Var
from logiclens.reporting._report import gather_facts
from tests.strategies import names

RULES = ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings", "fins"])


FIELDS = """title question target task kind kind_words data overall rules concepts inputs policy lengths
curve n_lengths lengths_on check rows n_rows_left_out left_out provenance compared stability grouped
n_grouped_left_out"""


@given(names())
def test_json_says_what_the_facts_say_and_cannot_end_a_script(text: str):
    facts = replace(gather_facts(RULES), title=text)

    written = facts.to_json()

    assert json.loads(written)["title"] == text
    assert not {"<", ">", "&"} & set(written)
    assert written.isascii()


def test_json_has_every_field_under_its_name():
    facts = gather_facts(RULES, [[1, 0], [0, 1]], ["bird", "fish"])

    written = json.loads(facts.to_json())

    assert written == json.loads(json.dumps(asdict(facts)))
    assert list(written) == FIELDS.split()
