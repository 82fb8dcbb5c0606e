from __future__ import annotations

import base64
import hashlib
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from logiclens.reporting._page import isolated, script_hash, visible
from tests.strategies import names


@given(st.text())
def test_what_is_visible_turns_nothing_around(text: str):
    shown = visible(text)

    kinds = {unicodedata.bidirectional(sign) for sign in shown}
    assert not kinds & {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert shown.encode() is not None  # no half of a pair is left


def test_usual_text_stays_as_it_is():
    text = "Größe > 5 €\n\tשלום 数据 🙂"

    assert visible(text) == text


@given(names())
def test_isolated_text_is_the_text_once_it_is_read(text: str):
    assert Markup(str(isolated(text)).replace("<bdi>", "").replace("</bdi>", "")).unescape() == visible(text)
    assert "<script" not in isolated(text)


def test_words_from_right_to_left_are_kept_apart():
    assert isolated('"שלום עולם"(x) > 5') == "&#34;<bdi>שלום עולם</bdi>&#34;(x) &gt; 5"


def test_the_hash_of_a_script_is_that_of_its_bytes():
    kind, _, digest = script_hash("alert('ä')").partition("-")

    assert kind == "sha256"
    assert base64.b64decode(digest) == hashlib.sha256("alert('ä')".encode()).digest()
