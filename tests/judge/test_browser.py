"""Judging in a real Chromium: with the mouse or the keyboard, in two windows, without a server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from conftest import Command
from judge_campaign import running_server
from judging_browser import (
    CHROMIUM,
    CONTRASTS,
    NAMES,
    NARROW,
    TIME_TO_HIGHLIGHT,
    WIDE,
    Assessor,
    running_chromium,
    write_collection,
)
from playwright.sync_api import Browser, Dialog, Route, expect

from xcg.documents.corpus import Corpus

pytestmark = [
    pytest.mark.slow,
    pytest.mark.posix,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium"),
]
DATA = Path(__file__).parents[3] / "shared" / "data"
Open = Callable[..., Assessor]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write_collection(tmp_path)


@pytest.fixture
def start_urls(config: Path) -> Iterator[dict[str, str]]:
    with running_server(config) as (urls, _):
        yield urls


@pytest.fixture
def anna(chromium: Browser, start_urls: dict[str, str]) -> Iterator[Assessor]:
    assessor = Assessor(chromium, start_urls["anna"])
    yield assessor
    assessor.context.close()


def exported(config: Path, xcg_command: Command) -> list[dict[str, Any]]:
    """Export the judgements of finished documents, and return the records of the first assessor."""
    folder = config.parent / "exported"
    done = xcg_command("judge", str(config), "--export", str(folder))
    assert done.returncode == 0, done.stderr
    lines = (folder / "anna" / "passages.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def passages(records: list[dict[str, Any]]) -> set[tuple[str, str]]:
    """Return document and text of the exported passages."""
    return {(one["doc"], one["exact"].strip()) for one in records if one.get("exact")}


def mark_with_the_mouse(anna: Assessor) -> None:
    """Highlight, drag an end, grade a part, remove, undo, delete."""
    anna.select("Bees dance in circles.")
    anna.click('#grade-buttons [data-grade="3"]')
    assert anna.highlights == [("Bees dance in circles.", "3")]
    expect(anna.page.locator("#announcement")).to_contain_text("Highlighted with grade 3")
    handle = anna.page.locator(".handle.end").bounding_box()
    assert handle
    grip = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] + 4
    anna.drag(grip, anna.point("small!", at_end=True))
    assert anna.highlights == [("Bees dance in circles. The 🐝 circles are small!", "3")]
    anna.select("The 🐝 circles are small!")
    anna.click('#grade-buttons [data-grade="1"]')
    assert anna.highlights == [("Bees dance in circles.", "3"), ("The 🐝 circles are small!", "1")]
    anna.select("A second paragraph")
    anna.click('#grade-buttons [data-grade="2"]')
    anna.page.reload()
    anna.wait()
    assert [grade for _, grade in anna.highlights] == ["3", "1", "2"]
    anna.select("second")
    anna.click("#erase")
    assert [text.strip() for text, _ in anna.highlights[2:]] == ["A", "paragraph"]
    for button in ("#undo", "#redo", "#undo"):
        anna.click(button)
    assert anna.highlights[2] == ("A second paragraph", "2")
    anna.select("Waggle dances")
    anna.page.locator("#highlight-list li").nth(2).locator('[data-action="show"]').click()
    anna.page.locator('#highlight-list li.active [data-action="delete"]').click()
    assert len(anna.highlights) == 2


def judge_the_rest(anna: Assessor, finish: Callable[[], None], nothing: Callable[[], None]) -> None:
    """Finish the first document, and find nothing relevant in the others."""
    judged = {"bees"}
    finish()
    while len(judged) < len(NAMES):
        anna.page.wait_for_url(lambda url: url.rpartition("/")[2] not in judged)
        judged.add(anna.page.url.rpartition("/")[2])
        anna.wait()
        nothing()
        expect(anna.page.locator("#document-state")).to_have_text("Finished: nothing relevant")
        finish()
    anna.page.wait_for_url("**/topics/1")
    assert not anna.problems
    anna.context.close()


def test_topic_judged_with_the_mouse(chromium: Browser, config: Path, xcg_command: Command) -> None:
    with running_server(config) as (urls, _):
        anna = Assessor(chromium, urls["anna"])
        anna.page.get_by_role("link", name="dance of bees").first.click()
        anna.page.locator('a[href$="/documents/bees"]').first.click()
        anna.wait()
        mark_with_the_mouse(anna)
        judge_the_rest(anna, lambda: anna.click("#finish"), lambda: anna.click("#nothing"))
    records = exported(config, xcg_command)
    assert passages(records) == {
        ("bees", "Bees dance in circles."),
        ("bees", "The 🐝 circles are small!"),
    }
    assert {one["doc"] for one in records} == set(NAMES)


def test_disagreements_are_decided_in_context(chromium: Browser, config: Path, tmp_path: Path) -> None:
    with running_server(config) as (urls, _):
        for name, text in (
            ("anna", "Bees dance in circles."),
            ("ben", "dance in circles. The 🐝 circles"),
        ):
            assessor = Assessor(chromium, urls[name])
            assessor.open("bees")
            assessor.select(text)
            assessor.press("3" if name == "anna" else "2", "i")
            assessor.page.keyboard.type(f"note of {name}")
            assessor.press("Escape", "f")
            assessor.page.wait_for_url(lambda url: not url.endswith("/bees"))
            assessor.context.close()
        chief = Assessor(chromium, urls["(overview)"])
        page = chief.page
        page.get_by_role("link", name="Agreement").click()
        expect(page.locator("main")).to_contain_text("3 undecided")
        page.get_by_role("link", name="1 document judged differently").click()
        rows = page.locator("tr[data-key]")
        expect(rows.locator("mark")).to_have_text(["Bees ", "dance in circles.", " The 🐝 circles"])
        expect(page.locator("main")).to_contain_text("note of ben")
        page.screenshot(path=tmp_path / "disagreements.png", full_page=True)
        rows.nth(2).get_by_role("link", name="in the document").click()
        page.wait_for_selector("html[data-ready]")
        marked = "[...CSS.highlights.get('selected')].map(String)"
        assert page.evaluate(marked) == [" The 🐝 circles"]
        assert len(page.evaluate(marked.replace("selected", "ungraded"))) == 3
        page.screenshot(path=tmp_path / "document.png")
        page.go_back()
        rows.nth(0).get_by_role("button", name="none").click()
        assert page.evaluate("!author.checkValidity()")  # nothing is decided without a name
        page.fill("#author", "chris")
        rows.nth(0).get_by_role("button", name="none").click()
        expect(rows.nth(0)).to_contain_text("by chris")
        page.wait_for_selector("html[data-ready]")  # the page was loaded again
        page.get_by_role("button", name="All as anna").click()
        expect(rows.nth(2)).to_contain_text("by chris")
        expect(rows.nth(1).locator("[aria-pressed=true]")).to_have_text("3")
        page.get_by_role("link", name="Agreement").click()
        expect(page.locator("main")).to_contain_text("no undecided")
        assert not chief.problems
        chief.context.close()


def test_notes_doubts_skipped_documents_and_time_are_kept_when_the_server_is_killed(
    chromium: Browser, config: Path, xcg_command: Command
) -> None:
    with running_server(config) as (urls, process):
        anna = Assessor(chromium, urls["anna"])
        page = anna.page
        anna.open("wasps")
        anna.press("ArrowRight")
        page.wait_for_timeout(2_100)
        anna.click("#note")
        page.keyboard.type("Is a nest a dance? f")
        anna.press("Escape", "q")
        expect(page.locator("#unsure")).to_have_attribute("aria-pressed", "true")
        anna.press("z")
        anna.wait_until_saved()
        page.reload()
        anna.wait()
        expect(page.locator("#note")).to_have_value("Is a nest a dance? f")
        anna.open("bees")
        anna.press("k")
        page.wait_for_url("**/documents/notes")  # not wasps, which is finished, nor bees
        anna.wait()
        process.kill()
        assert not anna.problems
        anna.context.close()
    records = exported(config, xcg_command)
    assert {one["doc"] for one in records} == {"wasps"}
    lines = (config.parent / "exported/anna/remarks.jsonl").read_text(encoding="utf-8").splitlines()
    remarks = {one["doc"]: one for one in map(json.loads, lines)}
    assert {name: one["skipped"] for name, one in remarks.items()} == {"wasps": False, "bees": True}
    wasps = remarks["wasps"]
    assert (wasps["note"], wasps["unsure"]) == ("Is a nest a dance? f", True)
    assert 2 <= wasps["seconds"] < 60


def follow(anna: Assessor, text: str) -> None:
    """Go to a link with the tabulator key, and follow it."""
    for _ in range(40):
        anna.press("Tab")
        if text in anna.page.evaluate("document.activeElement.textContent"):
            break
    anna.press("Enter")


def mark_with_the_keyboard(anna: Assessor) -> None:
    """Highlight, grade a part, delete, undo, remove."""
    # Title, heading, paragraph: two sentences.
    anna.press("ArrowDown", "ArrowDown", *["Shift+Control+ArrowRight"] * 2, "3")
    assert anna.highlights == [("Bees dance in circles. The 🐝 circles are small!", "3")]
    anna.press("ArrowLeft", *["Shift+ArrowRight"] * 3, "Enter")
    assert anna.highlights == [("Bees dance in circles. The 🐝 circles are small! They show", "3")]
    anna.press("Shift+ArrowLeft", "Shift+ArrowLeft", "x")
    assert anna.highlights == [("Bees dance in circles. The 🐝 circles are small!", "3")]
    anna.press("Home", "Control+ArrowRight", "s", "2")
    assert [grade for _, grade in anna.highlights] == ["3", "2"]
    anna.page.reload()
    anna.wait()
    anna.press("h", "h", "Delete")
    assert [text.strip() for text, _ in anna.highlights] == ["Bees dance in circles."]
    for key in ("u", "r", "Control+z"):
        anna.press(key)
        assert len(anna.highlights) == (1 if key == "r" else 2)
    anna.press("ArrowDown", "p", "1")
    assert anna.highlights[2] == ("A second paragraph about circles and more circles.", "1")
    anna.press("Home", "ArrowRight", "w", "x")
    assert [text.strip() for text, _ in anna.highlights[2:]] == [
        "A",
        "paragraph about circles and more circles.",
    ]
    anna.press("n", "m")
    anna.wait_until_saved()
    anna.press("t", "t", "?")
    expect(anna.page.locator("#keys")).to_be_visible()
    anna.press("Escape")


def test_topic_judged_with_the_keyboard_only(
    chromium: Browser, config: Path, xcg_command: Command
) -> None:
    with running_server(config) as (urls, _):
        anna = Assessor(chromium, urls["anna"])
        follow(anna, "dance of bees")
        anna.page.wait_for_url("**/topics/1")
        follow(anna, "bees")
        anna.wait()
        while not anna.page.url.endswith("/bees"):
            anna.press("]")
            anna.page.wait_for_load_state()
            anna.wait()
        mark_with_the_keyboard(anna)
        judge_the_rest(anna, lambda: anna.press("f"), lambda: anna.press("0"))
    records = exported(config, xcg_command)
    assert ("bees", "paragraph about circles and more circles.") in passages(records)
    assert {one["doc"] for one in records} == set(NAMES)


def test_an_older_window_is_told_and_can_apply_its_change_again(anna: Assessor) -> None:
    anna.open("bees")
    other = Assessor(anna.context, anna.start_url)
    other.open("bees")
    anna.select("Bees dance in circles.")
    anna.press("3")
    anna.wait_until_saved()
    other.select("They show near food.")
    other.press("1")
    expect(other.page.locator("#conflict")).to_contain_text("They show near food.")
    assert [one["text"] for one in other.judgement["highlights"]] == ["Bees dance in circles."]
    other.click("#again")
    expected = [("Bees dance in circles.", "3"), ("They show near food.", "1")]
    assert other.highlights == expected
    expect(other.page.locator("#conflict")).to_be_hidden()
    anna.press("u")
    expect(anna.page.locator("#conflict")).to_contain_text("undo")
    anna.click("#discard-mine")
    assert anna.highlights == expected
    anna.press("u")
    assert anna.highlights == expected[:1]
    other.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(other.page.locator("#highlight-list li")).to_have_count(1)


def test_changes_wait_while_the_server_does_not_answer(anna: Assessor) -> None:
    page = anna.page
    anna.open("bees")
    anna.context.set_offline(True)
    anna.select("Bees dance in circles.")
    anna.press("3", "ArrowDown", "p", "2")
    expect(page.locator("#save-state")).to_have_text("Not saved")
    expect(page.locator("#problem")).to_contain_text("2 changes wait")
    anna.press("u")
    expect(page.locator("#problem")).to_contain_text("3 changes wait")
    assert anna.judgement["highlights"] == []
    warnings: list[str] = []

    def stay(dialog: Dialog) -> None:
        warnings.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.evaluate("setTimeout(() => location.assign('./notes'))")
    page.wait_for_timeout(300)
    assert warnings == ["beforeunload"]
    anna.press("f")
    expect(page.locator("#message")).to_contain_text("not saved yet")
    anna.context.set_offline(False)
    anna.click("#retry")
    assert anna.highlights == [("Bees dance in circles.", "3")]


def test_undo_counts_every_press_of_the_key_and_stops_at_the_first_change(anna: Assessor) -> None:
    anna.open("bees")
    anna.select("Bees dance in circles.")
    anna.press("3", "2", "1")
    anna.wait_until_saved()
    # The server has not answered the first undo when the others follow.
    anna.page.evaluate("for (let i = 0; i < 2; i += 1) void xcgJudge.saving.change('undo')")
    assert anna.highlights == [("Bees dance in circles.", "3")]
    anna.press("r")
    assert anna.highlights == [("Bees dance in circles.", "2")]
    anna.page.evaluate("for (let i = 0; i < 3; i += 1) void xcgJudge.saving.change('undo')")
    assert anna.highlights == []
    expect(anna.page.locator("#problem")).to_be_hidden()


def test_a_change_that_was_saved_without_an_answer_is_no_conflict(anna: Assessor) -> None:
    page = anna.page
    anna.open("bees")

    def lose_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/api/**", lose_answer, times=1)
    anna.select("Bees dance in circles.")
    anna.press("3")
    expect(page.locator("#problem")).to_be_visible()
    anna.click("#retry")
    assert anna.highlights == [("Bees dance in circles.", "3")]
    expect(page.locator("#conflict")).to_be_hidden()
    assert anna.saved["version"] == 1


def test_a_rejected_change_is_dropped_and_the_reason_is_shown(anna: Assessor) -> None:
    page = anna.page
    anna.open("bees")
    page.route(
        "**/api/**",
        lambda route: route.fulfill(status=400, json={"error": "the passage is illegal"}),
        times=1,
    )
    anna.select("Bees dance in circles.")
    anna.press("3")
    message = "Could not add “Bees dance in circles.”: the passage is illegal."
    expect(page.locator("#message")).to_have_text(message)
    assert anna.highlights == []


def test_impossible_commands_state_what_is_missing(anna: Assessor) -> None:
    anna.open("bees")
    message = anna.page.locator("#message")
    for key, expected in (
        ("3", "Select the relevant text"),
        ("x", "no highlight at the cursor"),
        ("h", "no highlights"),
        ("u", "nothing to undo"),
        ("r", "nothing to redo"),
    ):
        anna.press(key)
        expect(message).to_contain_text(expected)
    anna.press("p", "3", "0")
    expect(message).to_contain_text("has highlights")


def test_selections_may_end_outside_the_text(anna: Assessor) -> None:
    anna.open("bees")

    def selected() -> str:
        span = anna.page.evaluate("xcgJudge.selection.span")
        return str(anna.page.evaluate("xcgJudge.positions.text"))[span["start"] :][:12]

    start = anna.point("waggle in a")
    anna.drag(start, (start[0], WIDE[1] - 2))
    assert selected().startswith("waggle")
    anna.press("Escape")
    anna.drag(anna.point("waggle in a"), (5, 5))
    assert selected().startswith("How bees")
    anna.open("wasps")
    x, y = anna.point("They build")
    anna.page.mouse.click(x, y, click_count=3)
    anna.press("3")
    assert anna.highlights == [("They build nests.", "3")]


def test_lost_and_moved_highlights_are_shown_and_can_be_placed_again(
    chromium: Browser, config: Path
) -> None:
    with running_server(config) as (urls, _):
        anna = Assessor(chromium, urls["anna"])
        anna.open("bees")
        anna.select("Bees dance in circles.")
        anna.press("3")
        anna.select("The line shows the direction.")
        anna.press("2")
        assert len(anna.highlights) == 2
        anna.context.close()
    document = config.parent / "docs" / "bees.xml"
    text = document.read_text(encoding="utf-8")
    text = text.replace("Bees dance in circles.", "Nothing of this kind is left here, at all!")
    document.write_text(text.replace("How bees", "About how bees"), encoding="utf-8")
    with running_server(config) as (urls, _):
        anna = Assessor(chromium, urls["anna"])
        anna.open("bees")
        assert [one["status"] for one in anna.judgement["highlights"]] == ["lost", "moved"]
        first = anna.page.locator("#highlight-list li").first
        expect(first).to_contain_text("text not found")
        anna.press("f")
        expect(anna.page.locator("#message")).to_contain_text("has lost its text")
        anna.page.locator('[data-action="confirm"]').click()
        anna.select("Nothing of this kind")
        first.locator('[data-action="place"]').click()
        assert anna.highlights == [
            ("Nothing of this kind", "3"),
            ("The line shows the direction.", "2"),
        ]
        assert {one["status"] for one in anna.saved["highlights"]} == {"placed"}
        anna.context.close()


@pytest.mark.parametrize("grades", ["none", "{levels: {1: marginal, 2: good, 3: perfect}}"])
def test_every_scheme_of_grades_has_keys(chromium: Browser, tmp_path: Path, grades: str) -> None:
    config = write_collection(tmp_path, grades)
    with running_server(config) as (urls, _):
        anna = Assessor(chromium, urls["anna"])
        anna.open("bees")
        anna.press("p", *(["Enter"] if grades == "none" else ["1"]))
        grade = None if grades == "none" else "1"
        assert anna.highlights == [("How bees dance", grade)]
        anna.context.close()


def test_positions_are_characters_of_the_text(anna: Assessor, config: Path) -> None:
    corpus = Corpus(config.parent / "docs", cache=False)
    for name in NAMES:
        anna.open(name)
        text = corpus.tree(name).text
        assert anna.page.evaluate("document.getElementById('article').textContent") == text
        found = anna.page.evaluate(
            """() => {
                const { positions } = xcgJudge;
                const all = Array.from({ length: positions.length + 1 }, (_, index) => index);
                const back = all.flatMap((at) => [false, true].map((after) => {
                    const { node, offset } = positions.point(at, { after });
                    return positions.positionOf(node, offset);
                }));
                return [all.slice(1).map((at) => positions.slice(at - 1, at)), back];
            }"""
        )
        assert found[0] == list(text)
        assert found[1] == [at for at in range(len(text) + 1) for _ in range(2)]


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW, (420, 800)])
def test_pages_fit_the_window(
    chromium: Browser, start_urls: dict[str, str], size: tuple[int, int], colours: str, tmp_path: Path
) -> None:
    anna = Assessor(chromium, start_urls["anna"], size, colours)
    anna.open("bees")
    anna.press("ArrowDown", "p", "3", "ArrowDown", "s", "2", "ArrowDown", "w", "1", "m")
    anna.wait_until_saved()
    for name in ("page", "keys"):
        anna.page.screenshot(path=tmp_path / f"{name}-{size[0]}-{colours}.png")
        width = anna.page.evaluate("document.documentElement.scrollWidth")
        assert width <= size[0]
        anna.press("?")
    assert not anna.problems
    anna.context.close()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_contrast_is_sufficient(chromium: Browser, start_urls: dict[str, str], colours: str) -> None:
    anna = Assessor(chromium, start_urls["anna"], WIDE, colours)
    anna.open("bees")
    anna.press("p", "3")
    anna.wait_until_saved()
    low = [(name, ratio) for name, ratio, least in anna.page.evaluate(CONTRASTS) if ratio < least]
    assert low == []
    anna.context.close()


def test_document_of_500_kb_stays_responsive(chromium: Browser, tmp_path: Path) -> None:
    sentence = "Bees <it>dance</it> in circles &#128029; and the circles are small, as they show. "
    paragraph = f"<p>{sentence * 6}</p>"
    section = f"<sec><st>A dance</st>{paragraph * 5}</sec>"
    article = f"<article><bdy>{section * 260}</bdy></article>"
    config = write_collection(tmp_path, **{"bees.xml": article})
    length = Corpus(tmp_path / "docs", cache=False).length("bees")
    assert length > 500_000
    with running_server(config) as (urls, _):
        anna = Assessor(chromium, urls["anna"])
        page = anna.page
        anna.open("bees")
        loading = page.evaluate("performance.now()")
        times: list[float] = []
        for index in range(60):
            anna.press(*["ArrowDown"] * 3, "s")
            page.evaluate(f"void (window.measured = ({TIME_TO_HIGHLIGHT})())")
            anna.press("123"[index % 3])
            times.append(page.evaluate("window.measured"))
        anna.press("Control+End", "p")
        page.evaluate(f"void (window.measured = ({TIME_TO_HIGHLIGHT})())")
        anna.press("3")
        times.append(page.evaluate("window.measured"))
        assert len(anna.highlights) == 61
        anna.context.close()
    times.sort()
    assert times[30] < 300, f"milliseconds until a highlight is saved and drawn: {times}"
    assert loading < 20_000
