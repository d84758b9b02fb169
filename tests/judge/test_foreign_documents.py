"""Sessions of assessors with documents of others in Chromium, one test for each thing that hurt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from foreign_documents import write_foreign
from judge_campaign import running_server
from judging_browser import CHROMIUM, Assessor, running_chromium
from playwright.sync_api import Browser, expect

pytestmark = [
    pytest.mark.slow,
    pytest.mark.posix,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium"),
]
PHONE, ZOOMED = (400, 800), (640, 400)
VIOLATIONS = """() => axe.run().then(({ passes, violations }) => [passes.length, violations.map(
    ({ id, nodes }) => [id, nodes.map((one) => one.html.slice(0, 200))])])"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def anna(chromium: Browser, tmp_path: Path) -> Iterator[Assessor]:
    with running_server(write_foreign(tmp_path)) as (urls, _):
        assessor = Assessor(chromium, urls["anna"])
        yield assessor
        assert not assessor.problems
        assessor.context.close()


def sentences(anna: Assessor, first: str, count: int) -> list[str]:
    """Return sentences from the one that begins with a text on, as the key selects them."""
    anna.page.mouse.click(*anna.point(first))
    found = []
    for _ in range(count):
        anna.press("s")
        span = "positions.slice(selection.span.start, selection.span.end)"
        found.append(
            " ".join(anna.page.evaluate(f"(({{positions, selection}}) => {span})(xcgJudge)").split())
        )
        anna.press(".")  # the next character
    return found


@pytest.mark.parametrize(
    ("document", "first", "expected"),
    [
        ("hives", "Bees dance", ["Bees dance on the comb and return to the field.", "Then they rest."]),
        ("docbook", "Bees live", ["Bees live in \ufffc and leave it in spring.", "They return."]),
        ("docbook", "first line", ["first line", "second line"]),
        ("notes", "Bees dance in", ["Bees dance in `circles` and in lines.", "They rest."]),
        ("notes", "1. First", ["1. First they dance.", "Then they rest."]),
        ("hebrew", "דבורים ר", ["דבורים רוקדות בכוורת כל היום.", "הן נחות בלילה."]),
        ("japanese", "蜜蜂は", ["蜜蜂は巣で踊る。", "仲間は見る！", "本当か？", "はい。"]),
    ],
)
def test_sentences_end_where_they_end_and_not_at_line_breaks(
    anna: Assessor, document: str, first: str, expected: list[str]
) -> None:
    anna.open(document)
    assert sentences(anna, first, len(expected)) == expected


def test_a_part_of_a_highlight_gets_a_grade_of_its_own(anna: Assessor) -> None:
    anna.open("hives")
    anna.page.mouse.click(*anna.point("Bees dance"))
    anna.press("p", "3")
    anna.wait_until_saved()
    anna.select("return to")
    anna.press("1")
    assert anna.highlights == [
        ("Bees dance on the comb\nand", "3"),
        ("return to", "1"),
        ("the field. Then they rest.", "3"),
    ]
    expect(anna.page.locator("#message")).to_contain_text("the rest keeps 3")
    expect(anna.page.locator("#highlight-list li")).to_have_count(3)
    anna.press("u")
    assert [grade for _, grade in anna.highlights] == ["3"]


def test_an_unread_document_is_not_finished_by_accident(anna: Assessor) -> None:
    page = anna.page
    anna.open("long")
    page.keyboard.down("f")
    for _ in range(3):
        page.keyboard.down("f")  # repeats
    page.keyboard.up("f")
    expect(page.locator("#ask")).to_be_visible()
    anna.press("Enter")  # read on
    expect(page.locator("#ask")).to_be_hidden()
    assert not anna.saved["finished"]
    anna.press("z")
    page.get_by_role("button", name="Nothing relevant", exact=True).click()
    expect(page.locator("#document-state")).to_have_text("Finished: nothing relevant")
    anna.press("u")
    anna.wait_until_saved()
    anna.press("Control+End", "f")  # the end has been shown
    page.wait_for_url(lambda url: not url.endswith("/long"))
    anna.wait()
    expect(page.locator("#message")).to_contain_text("nothing relevant. Undo goes back")
    anna.press("u")
    page.wait_for_url("**/long")
    anna.wait()
    expect(page.locator("#document-state")).to_have_text("Not finished")
    assert not anna.saved["finished"]
    anna.open("hives")  # is short
    page.keyboard.down("f")
    page.wait_for_url(lambda url: not url.endswith("/hives"))
    anna.wait()
    following = page.url
    page.keyboard.down("f")  # repeats
    page.wait_for_timeout(300)
    assert page.url == following
    assert not anna.saved["finished"]
    expect(page.locator("#ask")).to_be_hidden()


@pytest.mark.parametrize("size", [PHONE, ZOOMED])
def test_the_bar_of_a_narrow_window_stays_visible(anna: Assessor, size: tuple[int, int]) -> None:
    page = anna.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    anna.open("long")
    anna.press(*["ArrowDown"] * 30, "s")
    page.click('#grade-buttons [data-grade="2"]')
    assert anna.highlights == [("Bees dance in place 3.", "2")]
    top, bottom, cursor = page.evaluate(
        """() => [document.getElementById("topic-bar").getBoundingClientRect().bottom,
            document.getElementById("panel").getBoundingClientRect().top,
            xcgJudge.positions.rectangle(xcgJudge.selection.position).bottom]"""
    )
    assert top < cursor < bottom
    assert bottom - top > size[1] / 2  # leaves room for the text
    for name in ("Finish, next document", "Undo", "Remove"):
        expect(page.get_by_role("button", name=name)).to_be_in_viewport()
    page.click("#more")
    expect(page.locator("#highlight-list li")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_outline_map_and_words_of_the_topic(anna: Assessor) -> None:
    page = anna.page
    anna.open("long")
    page.click("#outline-section summary")
    page.get_by_role("button", name="Section 12").click()
    expect(page.locator("#article .title", has_text="Section 12")).to_be_in_viewport()
    anna.press("o", "ArrowDown", "s", "3")
    assert anna.highlights == [("Bees dance in place 13.", "3")]
    assert page.locator("#map .map-result").count() == 1
    mark = page.locator("#map .map-highlight")
    share = mark.evaluate("(one) => parseFloat(one.style.top)")
    assert 60 < share < 62  # the thirteenth of twenty sections begins at 60 %
    anna.press("Control+Home")
    mark.click()
    expect(page.locator("#article .title", has_text="Section 13")).to_be_in_viewport()
    marked = "[...CSS.highlights.get('topic-words')].map(String)"
    assert page.evaluate(marked) == []
    assert not anna.saved["words_marked"]
    anna.press("g")
    assert page.evaluate(marked) == ["Bees", "dance", "dance"] * 240
    anna.press("q")
    anna.wait_until_saved()
    assert anna.saved["words_marked"]


def test_what_is_shown_is_what_is_judged(anna: Assessor) -> None:
    page = anna.page
    shown = "(one) => getComputedStyle(one, '::after').content"
    anna.open("docbook")
    assert page.locator(".entity").evaluate(shown) == '"&hive;"'
    anna.open("hives")
    expect(page.get_by_role("img", name="Image: A comb with bees")).to_be_visible()
    weight = page.locator(".cell", has_text="home").evaluate(
        "(one) => getComputedStyle(one).fontWeight"
    )
    assert weight == "400"
    box = {
        text: page.locator(":is(.cell, .heading-cell)", has_text=text).first.bounding_box() or {}
        for text in ("metres", "50", "round", "near", "far")
    }
    assert box["metres"]["x"] == box["50"]["x"] > box["near"]["x"] == box["far"]["x"]
    assert box["round"]["height"] == box["near"]["height"] + box["far"]["height"]
    anna.open("notes")
    assert page.locator(".bold").all_inner_texts() == ["strong item"]
    assert page.locator(".link").all_inner_texts() == ["the comb"]
    assert page.evaluate("document.getElementById('article').textContent").startswith("# Bees *dance*")


def test_text_from_right_to_left(anna: Assessor) -> None:
    page = anna.page
    anna.open("hebrew")
    right = page.locator("#article").evaluate("(one) => one.getBoundingClientRect().right")
    assert abs(anna.point("דבורים ר")[0] - right) < 20
    assert anna.point("An English")[0] < right / 4
    page.mouse.click(*anna.point("דבורים ר"))
    anna.press("ArrowLeft", "w", "1")  # to the left is the next word
    assert anna.highlights == [("רוקדות", "1")]


@pytest.mark.parametrize("document", ["docbook", "hebrew", "hives", "japanese", "notes", "odd"])
@pytest.mark.parametrize("width", [1280, 400])
def test_pages_of_documents_are_accessible(anna: Assessor, document: str, width: int) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    page = anna.page
    page.set_viewport_size({"width": width, "height": 800})
    anna.open(document)
    anna.press("ArrowDown", "s", "3", "ArrowDown", "s", "1")
    anna.wait_until_saved()
    page.evaluate(axe.axe_script)
    passed, violations = page.evaluate(VIOLATIONS)
    assert passed > 10
    assert violations == []


def test_highlights_are_announced_and_letters_can_be_switched_off(anna: Assessor) -> None:
    page = anna.page
    said = page.locator("#announcement")
    anna.open("hives")
    anna.select("return to")
    anna.press("2", "Home", "Control+Home")
    anna.press("h")
    expect(said).to_contain_text("Highlight with grade 2: return to")
    anna.press("Home")
    while "return" not in (said.text_content() or ""):
        anna.press("ArrowRight")
    expect(said).to_have_text("Highlight with grade 2: return")
    page.click("#show-keys")
    page.uncheck("#single-keys")
    anna.press("Escape", "x", "f", "z")
    assert anna.highlights == [("return to", "2")]
    expect(page.locator("#undo kbd")).to_be_hidden()
    page.reload()
    anna.wait()
    anna.press("x", "Shift+ArrowRight", "Enter")
    assert len(anna.highlights) == 2
