"""The report in a real browser: what it computes, what it copies, how it looks, what it lets names do."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from logiclens.concepts import Above, Missing, OneOf, Vocabulary
from logiclens.errors import percent
from logiclens.estimators.stability import Stability
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.logic import FALSE, TRUE, Formula, Var
from logiclens.reporting import report
from tests.reporting import pages

CHROMIUM = os.environ.get("LOGICLENS_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium: install Debian's package chromium, or set LOGICLENS_CHROMIUM"
)

SET_ROW = """(row) => row.forEach(([at, value]) => {
  const control = document.getElementById(`input-${at}`);
  const field = control.closest('.field');
  const fire = (element, name) => element.dispatchEvent(new Event(name, { bubbles: true }));
  const missing = field.querySelector('.absent input');
  if (missing && missing.checked !== (value === null)) {
    missing.checked = value === null;
    fire(missing, 'change');
  }
  if (value === null && missing) return;
  if (control.tagName === 'SELECT') {
    const options = [...control.options].map((option) => option.text);
    const wanted = options.indexOf(value === null ? '(missing)' : String(value));
    control.selectedIndex = wanted < 0 ? options.indexOf('(other)') : wanted;
    fire(control, 'change');
  } else if (control.type === 'checkbox') { control.checked = Boolean(value); fire(control, 'change'); }
  else { control.value = String(value); fire(control, 'input'); }
})"""

OPEN_ALL = "() => document.querySelectorAll('details').forEach((part) => { part.open = true; })"

VERDICT = "() => ({ ...document.querySelector('.verdict').dataset })"

READ_ROW = """() => [...document.querySelectorAll('.inputs .field')].map((field) => {
  const control = field.querySelector('[id^="input-"]');
  const missing = field.querySelector('.absent input');
  if (missing && missing.checked) return null;
  if (control.tagName === 'SELECT') return control.selectedOptions[0].text;
  return control.type === 'checkbox' ? control.checked : Number(control.value);
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def own() -> ExplanationSet:
    return pages.rules()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, own: ExplanationSet) -> Path:
    """Reports as files: with plain names, and with hostile ones."""
    made = tmp_path_factory.mktemp("reports")
    for name, rules in (("own", own), ("hostile", pages.renamed(own))):
        rows = pages.table(200, 0, rules.vocabulary)
        truth = rules.predict(pages.table(200, 1, rules.vocabulary))
        report(pages.front(rules), rows, truth, path=made / f"{name}.html", rows=True, target="fate")
    return made


def opened(browser: Any, path: Path, **options: Any) -> Any:
    """Open a report in a context of its own; what went wrong is kept in ``page.wrong``."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    page = context.new_page()
    page.set_default_timeout(10_000)
    page.wrong = []
    page.on("console", lambda message: page.wrong.append(message.text))
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("dialog", lambda dialog: (page.wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on(
        "request", lambda request: page.wrong.append(request.url) if request.url != path.as_uri() else None
    )
    page.goto(path.as_uri())
    return page


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Open a report, or make one of rules; nothing may have gone wrong at the end."""
    found = []

    def shown(what: Path | ExplanationSet, *rows: Any, **options: Any) -> Any:
        if isinstance(what, ExplanationSet):
            report(what, *rows, path=tmp_path / "page.html")
            what = tmp_path / "page.html"
        found.append(opened(browser, what, **options))
        return found[-1]

    yield shown
    for page in found:
        assert page.wrong == []
        page.context.close()


@pytest.fixture
def page(show: Any, folder: Path) -> Any:
    """The report with plain names."""
    return show(folder / "own.html")


def set_row(page: Any, row: Iterable[Any]) -> None:
    page.evaluate(SET_ROW, [*map(list, enumerate(row))])


def row_of(rows: dict[str, list[Any]], at: int) -> list[Any]:
    return [rows[column][at] for column in pages.COLUMNS]


def verdicts(page: Any, rows: dict[str, list[Any]]) -> list[dict[str, str]]:
    """What the page says of each row."""
    given = [[*map(list, enumerate(row_of(rows, at)))] for at in range(len(rows["age"]))]
    return page.evaluate(f"(rows) => rows.map((row) => {{ ({SET_ROW})(row); return ({VERDICT})(); }})", given)


def settled(page: Any) -> str:
    """Wait for the counterfactual, and return the number of its changes."""
    page.wait_for_function("() => document.querySelector('.counterfactual').ariaBusy === 'false'")
    return page.evaluate("() => document.querySelector('.counterfactual').dataset.changes")


def overflow(page: Any) -> int:
    return page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")


def test_the_page_asks_for_nothing_and_complains_of_nothing(page: Any):
    page.mouse.wheel(0, 20000)
    settled(page)

    assert page.title() == "What decides fate?"
    assert page.locator("h1").count() == 1


def test_what_if_says_what_python_says(page: Any, own: ExplanationSet):
    rows = pages.table(200, 2, own.vocabulary)
    expected = own.predict(rows)
    places = own.decided_by(rows)
    assert set(places) == {0, 1, 2, 3}  # each step, and the default

    said = verdicts(page, rows)

    assert [one["prediction"] for one in said] == list(expected)
    assert [one["mark"] for one in said] == ["default" if at == 3 else "" for at in places]


def test_counterfactuals_change_as_few_columns_as_can_be(page: Any, own: ExplanationSet):
    rows = pages.table(20, 3, own.vocabulary)
    sizes = []
    for at in range(20):
        row = {column: rows[column][at] for column in pages.COLUMNS}
        set_row(page, row.values())
        sizes.append(int(settled(page)))
        before = page.evaluate(VERDICT)["prediction"]

        assert sizes[-1] == pages.fewest_changes(own, row)

        shown = page.evaluate(READ_ROW)
        page.locator(".counterfactual button").click()
        after = page.evaluate(READ_ROW)
        assert sum(old != new for old, new in zip(shown, after, strict=True)) == sizes[-1]
        assert page.evaluate(VERDICT)["prediction"] != before
    assert set(sizes) >= {1, 2}


def test_a_fixed_column_stays_as_it_is(show: Any):
    page = show(
        ExplanationSet(
            [
                Explanation(Rule("yes", Var("a") | (Var("b") & Var("c")))),
                Explanation(Rule("no", ~Var("a") & ~(Var("b") & Var("c")))),
            ],
            ["a", "b", "c"],
        )
    )
    set_row(page, [0, 0, 0])
    assert settled(page) == "1"

    page.locator(".field .keep input").nth(0).check()
    assert settled(page) == "2"
    page.locator(".field .keep input").nth(1).check()
    settled(page)
    assert page.locator(".counterfactual p").inner_text() == (
        "Nothing changes the answer while a, b are fixed: every combination of the other values was tried."
    )


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (
            3,
            "The prediction would be yes if a were true and b were true and c were true.",
        ),
        (4, "No change of one, two or three columns changes the answer: none found with up to 3 changes."),
    ],
)
def test_counterfactuals_of_three_changes_and_of_too_many(show: Any, n: int, said: str):
    names = "abcd"[:n]
    yes = Var("a")
    for name in names[1:]:
        yes = yes & Var(name)
    page = show(ExplanationSet([Explanation(Rule("yes", yes)), Explanation(Rule("no", ~yes))], list(names)))
    set_row(page, [0] * n)
    settled(page)

    assert page.locator(".counterfactual p").inner_text().replace(" (now\u00a00)", "") == said


def rules_in(words: Vocabulary, **formulas: Formula) -> ExplanationSet:
    explanations = [Explanation(Rule(label, one, vocabulary=words)) for label, one in formulas.items()]
    return ExplanationSet(explanations, words.names)


def test_what_is_asked_of_several_columns_is_enough_wherever_they_are(show: Any):
    words = Vocabulary(("x", "y"), tuple(Above(column, cut) for column in "xy" for cut in (1, 2)))
    far = Var("x > 2") & Var("y > 2")
    yes = Var("x > 1") & Var("y > 1") & ~far
    page = show(rules_in(words, yes=yes, no=~yes), {"x": [0, 5], "y": [0, 5]}, ["no", "no"])
    set_row(page, [0, 0])
    settled(page)

    assert page.locator(".counterfactual p").inner_text().replace("\u00a0", " ") == (
        "The prediction would be yes if x were above 1 (now 0) and y were above 1 and at most 2 (now 0)."
    )


def test_a_condition_that_needs_a_value_does_not_speak_of_missing_ones(show: Any):
    words = Vocabulary(("age",), (Above("age", 62), Missing("age")))
    rules = rules_in(words, young=~Var("age > 62") & ~Var("age is missing"), other=Var("age > 62"))
    page = show(rules, {"age": [30, 70, None]})

    assert page.locator(".decision .step .chip:visible").all_inner_texts() == ["age ≤ 62", "age > 62"]
    for age, says, sign in ((30, "decides", "✓"), (None, "does not hold (0 of 1)", "✗")):
        set_row(page, [age])
        first = page.locator(".verdicts li").first
        assert (first.locator(".says").inner_text(), first.locator(".sign").inner_text()) == (says, sign)
    set_row(page, [70])
    settled(page)
    assert "be young if age were at most 62 (now" in page.locator(".counterfactual p").inner_text()


def test_a_category_starts_at_its_most_common_value(show: Any):
    words = Vocabulary(("sex",), (OneOf("sex", ("female",)),))
    page = show(
        rules_in(words, yes=Var("sex = female"), no=~Var("sex = female")), {"sex": ["male", "male", "female"]}
    )
    settled(page)

    assert page.locator("#input-0 option").all_inner_texts() == ["female", "male", "(other)"]
    assert page.evaluate(VERDICT)["prediction"] == "no"
    assert page.evaluate(READ_ROW) == ["male"]
    page.locator(".counterfactual button").click()
    settled(page)
    assert "if sex were not female (now\u00a0female)" in page.locator(".counterfactual p").inner_text()


def test_columns_are_offered_when_rules_use_them(page: Any):
    crew = page.locator(".field", has_text="crew")
    assert not crew.is_visible()
    assert page.locator(".inputs .note").inner_text() == (
        "1 other column can be set once shorter or longer rules use it."
    )

    page.locator("#length").fill("0")

    assert crew.is_visible()


def test_a_goal_can_be_named(page: Any, own: ExplanationSet):
    rows = pages.table(30, 3, own.vocabulary)
    set_row(page, row_of(rows, 0))
    page.locator("#goal").select_option(label="lived")
    settled(page)

    page.locator(".counterfactual button").click()

    assert page.evaluate(VERDICT)["prediction"] == "lived"


def test_the_slider_changes_the_list_and_what_follows_from_it(page: Any, own: ExplanationSet):
    shorter = pages.front(own).rules(2)
    before = page.locator(".decision .steps").inner_text()

    page.locator("#length").focus()
    page.keyboard.press("ArrowLeft")

    lines = page.locator(".decision .in-logic .logic").all_text_contents()
    assert lines == shorter.format("unicode").split("\n")
    assert page.locator(".decision .says").all_inner_texts() == [
        *(f"predicts {step.label}" for step in shorter.steps),
        f"otherwise predicts {shorter.default}",
    ]
    assert page.locator(".slid").inner_text().startswith("2 literals · accuracy ")
    assert page.evaluate("() => document.querySelector('circle.now').dataset.length") == "0"
    rows = pages.table(50, 4, own.vocabulary)
    assert [one["prediction"] for one in verdicts(page, rows)] == list(shorter.predict(rows))

    page.locator(".verdict button").click()

    assert page.locator(".decision .steps").inner_text() == before


def test_each_length_is_scored_on_the_rows_of_the_report(page: Any, own: ExplanationSet):
    rows = pages.table(200, 0, own.vocabulary)
    truth = own.predict(pages.table(200, 1, own.vocabulary))
    front = pages.front(own)

    for at in range(3):
        page.locator("#length").fill(str(at))
        right = front.rule_set(front[at]).score(rows, truth)
        assert f" · accuracy {percent(right)}" in page.locator(".slid").inner_text()


def test_the_points_of_the_chart_can_be_clicked(page: Any):
    page.locator("circle.accuracy[data-length='2']").click()

    assert page.locator(".slid").inner_text().endswith(" · a trial")
    page.locator(".back").click()
    assert page.locator(".slid").inner_text().endswith(" · the report’s rules")


def test_what_is_said_of_the_whole_report_stays_when_another_length_is_tried(page: Any):
    kept = ("header.page", "#checks", "#data", "#rule-0", "#rule-1", "#rule-2")
    before = {part: page.locator(part).inner_text() for part in kept}
    trial = page.locator(".trial")
    assert trial.is_hidden()
    assert page.locator(".verdict .tried").count() == 0

    page.locator("#length").fill("0")

    assert {part: page.locator(part).inner_text() for part in kept} == before
    assert trial.inner_text().startswith("Trying another length: the rules here and under “What if” are of ")
    assert (
        page.locator(".verdict .tried")
        .inner_text()
        .startswith("This follows your trial: rules of 2 literals.")
    )
    assert page.locator(".verdicts .mark").count() == 2  # one class has no step

    page.locator(".back").click()

    assert trial.is_hidden()
    assert page.locator(".verdict .tried, .verdicts .mark").count() == 0
    assert page.evaluate("() => document.activeElement.type") == "range"


@pytest.mark.parametrize("language", ["sql", "python", "latex"])
def test_copy_buttons_copy(show: Any, folder: Path, own: ExplanationSet, language: str):
    page = show(folder / "own.html", permissions=["clipboard-read", "clipboard-write"])
    page.evaluate(OPEN_ALL)
    button = page.locator(f"#rule-1 [data-copy={language}]")

    button.click()
    page.wait_for_function("() => document.querySelector('#rule-1 .copy.done')")

    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied == getattr(own["lived"], f"to_{language}")()
    assert button.inner_text() == "Copied"
    assert "copied" in page.locator("#said").inner_text()


def test_copying_works_without_the_modern_way(show: Any, folder: Path, own: ExplanationSet):
    page = show(folder / "own.html", permissions=["clipboard-read"])
    page.evaluate(OPEN_ALL)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")

    page.locator("#rule-1 [data-copy=sql]").click()
    page.wait_for_function("() => document.querySelector('#rule-1 .copy.done')")

    assert page.evaluate("() => navigator.clipboard.readText()") == own["lived"].to_sql()


def test_a_page_that_may_not_copy_shows_the_text_instead(page: Any):
    page.evaluate(OPEN_ALL)
    page.evaluate(
        "() => document.querySelectorAll('[data-language]').forEach((one) => { one.open = false; })"
    )
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    page.evaluate("() => { document.execCommand = () => false; }")

    page.locator("#rule-1 [data-copy=sql]").click()
    page.wait_for_function("() => document.querySelector('#rule-1 [data-language=sql]').open")

    assert page.locator("#rule-1 [data-copy=sql]").inner_text() == "Select and copy"


CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const bytes = (color) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = (color) => {
    const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = [...bytes(color)].map((x) => linear(x / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (bytes(color)[3] > 250) return color;
    }
    return 'white';
  };
  const low = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let n = 0;
  while (texts.nextNode()) {
    const text = texts.currentNode.data;
    const element = texts.currentNode.parentElement;
    if (!text.trim() || !element.checkVisibility() || element.closest('script, svg, .skip')) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    n += 1;
    if (contrast < 4.5) low.push([element.className, text, contrast]);
  }
  return [n, low.slice(0, 5)];
}"""


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [("own", 1280, "light"), ("own", 375, "dark"), ("hostile", 1280, "dark"), ("hostile", 375, "light")],
)
def test_it_fits_and_can_be_read(show: Any, folder: Path, scheme: str, width: int, name: str):
    page = show(folder / f"{name}.html", color_scheme=scheme, viewport={"width": width, "height": 800})
    settled(page)
    assert overflow(page) <= 0
    page.evaluate(OPEN_ALL)
    assert overflow(page) <= 0

    n, low = page.evaluate(CONTRAST)

    assert n > 200
    assert low == []


def test_colors_can_be_chosen_and_are_kept(show: Any, folder: Path):
    page = show(folder / "own.html", color_scheme="light")
    paper = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)

    page.locator(".theme").click()

    dark = page.evaluate(paper)
    assert dark != light
    assert page.locator(".theme").get_attribute("aria-pressed") == "true"
    page.reload()
    assert page.evaluate(paper) == dark


def test_names_are_inert(show: Any, folder: Path):
    page = show(folder / "hostile.html")
    settled(page)
    page.locator("#length").fill("2")
    page.locator(".counterfactual button").click()
    settled(page)

    assert page.locator("script").count() == 3
    assert page.locator("#rule-0 h3").inner_text() == f"fate = {pages.SCRIPT}"
    assert page.locator("#rule-2 h3 .is").inner_text() == pages.HEBREW
    assert json.loads(page.locator("#facts").inner_text())["rules"][1]["label"] == pages.DROP
    assert "\u202e" not in page.content().split("<script", 1)[0]


def test_no_script_but_its_own_may_run(browser: Any, folder: Path, tmp_path: Path):
    text = (folder / "own.html").read_text(encoding="utf-8")
    (tmp_path / "more.html").write_text(
        text.replace("</body>", "<script>window.ran = 1</script></body>"), encoding="utf-8"
    )
    page = opened(browser, tmp_path / "more.html")

    assert page.evaluate("() => window.ran") is None
    assert len(page.wrong) == 1
    assert "Content Security Policy" in page.wrong[0]
    page.context.close()


REACHABLE = """() => {
  const shown = [...document.querySelectorAll('a[href], button, input, select, summary')];
  window.wanted = new Set(shown.filter((element) =>
    element.checkVisibility() && !element.disabled && !element.closest('.counterfactual')));
  return window.wanted.size;
}"""

REACHED = """() => {
  const element = document.activeElement;
  window.wanted.delete(element);
  const ring = element === document.body || parseFloat(getComputedStyle(element).outlineWidth) > 0;
  return [window.wanted.size, ring];
}"""


def test_everything_is_reached_with_the_keyboard(page: Any):
    page.evaluate(OPEN_ALL)
    left = page.evaluate(REACHABLE)
    assert left > 30
    for _ in range(3 * left):
        page.keyboard.press("Tab")
        left, ringed = page.evaluate(REACHED)
        assert ringed
        if not left:
            break

    assert left == 0


UNNAMED = """() => [...document.querySelectorAll('button, input, select')].filter((element) =>
  !element.labels?.length && !element.ariaLabel && !element.textContent.trim()
  && !element.getAttribute('aria-labelledby')).map((element) => element.outerHTML)"""


def test_headings_and_controls_have_their_names(page: Any):
    levels = page.evaluate(
        "() => [...document.querySelectorAll('h1,h2,h3,h4')].map((head) => Number(head.tagName[1]))"
    )

    assert levels[0] == 1
    assert all(deeper <= level + 1 for level, deeper in pairwise(levels))
    assert page.evaluate(UNNAMED) == []
    assert page.locator("main").count() == page.locator("nav").count() == 1


def test_paper_shows_everything_and_no_buttons(page: Any):
    page.evaluate("() => document.querySelectorAll('details').forEach((part) => { part.open = false; })")
    page.emulate_media(media="print")

    assert page.locator("button:visible, input:visible").count() == 0
    assert page.locator("#rule-2 pre >> nth=0").bounding_box()["height"] > 20
    assert page.locator("#rule-1 .terms .chip >> nth=0").bounding_box()["height"] > 10
    assert overflow(page) <= 0
    page.emulate_media(media="screen")
    assert page.pdf().startswith(b"%PDF")


def test_it_reads_without_a_script(show: Any, folder: Path):
    page = show(folder / "own.html", java_script_enabled=False)

    assert page.locator(".decision .steps .chip >> nth=0").is_visible()
    page.locator("#rule-0 > summary").click()
    page.locator("#rule-0 .in-logic summary").click()
    assert page.locator("#rule-0 .logic").inner_text().startswith("∀x: died(x)")
    assert not page.locator("#try").is_visible()
    assert page.locator("button:visible").count() == 0


def test_many_classes_can_be_found(show: Any):
    names = [f"bit {at}" for at in range(8)]
    explanations = []
    for at in range(200):
        literals = [Var(name) if at >> place & 1 else ~Var(name) for place, name in enumerate(names)]
        formula = literals[0]
        for literal in literals[1:]:
            formula = formula & literal
        explanations.append(Explanation(Rule(f"number {at}", formula)))
    page = show(ExplanationSet(explanations, names))
    settled(page)

    assert page.locator(".rule[open], .step details[open]").count() == 0
    page.locator("[data-steps=open]").click()
    assert page.locator(".step details[open]").count() == 200
    page.locator("#picker").fill("number 137")
    assert page.locator(".rule:visible").count() == 1
    assert page.locator(".picker .found").inner_text() == "1 class"
    page.locator("[data-open=all]").click()
    assert page.locator("#rule-137 .chip").first.is_visible()
    set_row(page, [137 >> at & 1 for at in range(8)])
    assert page.evaluate(VERDICT)["prediction"] == "number 137"
    assert settled(page) == "1"
    assert page.locator(".verdicts > li").count() == 6


def test_labels_that_go_together(show: Any):
    formulas = {"x": Var("a") & Var("b"), "y": ~Var("b"), "z": Var("c")}
    rules = ExplanationSet(
        [Explanation(Rule(label, formula)) for label, formula in formulas.items()],
        list("abc"),
        multi_label=True,
    )
    page = show(rules)
    rows = [[0, 0, 1], [1, 1, 0], [0, 1, 0]]
    expected = [[label for label, yes in zip("xyz", row, strict=True) if yes] for row in rules.predict(rows)]

    for row, labels in zip(rows, expected, strict=True):
        set_row(page, row)
        said = page.evaluate(VERDICT)
        assert (json.loads(said["prediction"]), said["mark"]) == (labels, "")

    page.locator("#goal").select_option(label="z")
    assert settled(page) == "1"
    assert page.locator(".counterfactual p").inner_text().startswith("The answer would be z if c were true")


RATES = """() => [...document.querySelectorAll('table.groups tbody tr')].map((row) =>
  [...row.children].map((cell) => (cell.querySelector('.value') ?? cell).textContent))"""


def test_groups_have_the_rates_of_their_rows(show: Any):
    words = Vocabulary(("age", "sex"), (Above("age", 40), OneOf("sex", ("f",))))
    rules = rules_in(words, yes=Var("age > 40"), no=~Var("age > 40"))
    random = np.random.default_rng(0)
    rows = {
        "age": random.integers(20, 60, 200),
        "sex": random.choice(["f", "m", "<x>"], 200, p=[0.5, 0.47, 0.03]),
    }
    truth = np.where(rows["age"] + random.normal(0, 8, 200) > 40, "yes", "no")
    page = show(rules, rows, truth)

    page.locator("#group-column").select_option(label="sex")
    page.locator("#group-label").select_option(label="no")

    said = rules.predict(rows)
    expected = []
    for name, mask in (("f", rows["sex"] == "f"), ("m", rows["sex"] == "m")):
        no = mask & (truth == "no")
        rates = (said == truth)[mask].mean(), (said[mask] == "no").mean(), (said[no] == "no").mean()
        expected.append([name, f"{mask.sum()}", f"{no.sum()}", *map(percent, rates)])
    assert page.evaluate(RATES)[:2] == expected
    few = (rows["sex"] == "<x>").sum()
    assert (
        page.locator("#groups .left").inner_text()
        == f"{few} rows in groups of fewer than 10 rows are not shown."
    )


def test_conditions_say_how_often_they_return(show: Any, own: ExplanationSet, tmp_path: Path):
    stable = Stability(10, {Var("age > 62"): 0.9, ~Var("sex = male"): 0.3}, 0.95)
    report(pages.front(own), path=tmp_path / "stable.html", stability=stable)
    page = show(tmp_path / "stable.html")

    said = page.locator(".decision .step .chip", has_text="age > 62").first
    assert said.inner_text().split() == ["age", "> 62", "9/10"] or said.inner_text() == "age > 62 9/10"
    assert page.locator(".decision .step .seldom").first.inner_text() == "3/10"
    assert "decide as these on 95.0%" in page.locator(".stable").inner_text()
    page.locator("#length").fill("0")
    assert "9/10" in page.locator(".decision .step .chip", has_text="age > 62").first.inner_text()


def test_a_list_that_always_predicts_the_same_reads_as_such(show: Any):
    rules = ExplanationSet(
        [Explanation(Rule("yes", FALSE)), Explanation(Rule("no", TRUE))], ["a"], default="no", steps=[]
    )
    page = show(rules, [[0], [1], [1]], ["yes", "no", "no"])

    assert page.locator(".decision .says").all_inner_texts() == ["always predicts no"]
    lead = page.locator(".lead").inner_text()
    assert lead.startswith("There are no conditions: the rules always predict no. That is right on 66.7% ")
    assert page.locator(".rule .brief span:first-child").all_inner_texts() == [
        "never predicted",
        "always predicted",
    ]
    assert "There are no conditions: this is always the answer." in page.locator(".verdict").inner_text()
    assert page.locator(".verdicts li, #groups, .decision pre").count() == 0
    assert "There are no steps that could conflict" in page.locator("#checks").inner_text()


def test_the_what_if_panel_shows_the_steps_as_they_are_printed(show: Any):
    """It showed the formula of each class, whose conditions stand nowhere in the list."""
    a, b = Var("a"), Var("b")
    found = [Explanation(Rule("x", a & ~b)), Explanation(Rule("y", b)), Explanation(Rule("z", ~a & ~b))]
    rules = ExplanationSet(found, ["a", "b"], default="z", steps=[Step("y", b), Step("x", a)])
    page = show(rules, [[0, 0], [1, 1]])

    for row, says, why in (
        ([1, 1], ["decides", "holds, but a step above decides"], "Step 1 decides, as it is true."),
        (
            [1, 0],
            ["does not hold (0 of 1)", "decides"],
            "Step 2 decides, as it is true and no earlier",
        ),
        ([0, 0], ["does not hold (0 of 1)"] * 2, "No step is true, so this is the answer by default."),
    ):
        set_row(page, row)
        assert page.locator(".verdicts .says").all_inner_texts() == says
        assert why in page.locator(".verdict .why").inner_text()
    assert page.locator(".verdicts .label > span:first-child").all_inner_texts() == ["1. y", "2. x"]
