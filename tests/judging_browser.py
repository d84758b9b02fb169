"""A Chromium that judges documents as assessors do, with the mouse and with the keyboard."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
WIDE, NARROW = (1400, 900), (900, 800)
ARTICLE = """<article><fm><ti>How bees dance</ti></fm><bdy>
<sec><st>Round dances</st><p>Bees dance in circles. The 🐝 circles are small! They show near food.</p>
<p>A second paragraph about <it>circles</it> and more circles.</p></sec>
<sec><st>Waggle dances</st><p>Bees waggle in a line. The line shows the direction.</p>
<tbl><title>Distances</title><row><cell>dance</cell><cell>metres</cell></row>
<row><cell>round</cell><cell>50</cell></row></tbl>
<p>A formula: <math><mi>d</mi><mo>=</mo><mn>2</mn></math> &lt;b&gt;not bold&lt;/b&gt;.</p></sec>
</bdy></article>
"""
DOCUMENTS = {
    "bees.xml": ARTICLE,
    "notes.md": "# Notes\n\nBees dance *too*.\n\n- one 𝒲\n- two\n",
    "wasps.txt": "Wasps never dance.\n\nThey build nests.\n",
}
NAMES = ("bees", "notes", "wasps")
TOPICS = {
    "id": "1",
    "title": "dance of bees",
    "description": "How do bees dance?",
    "narrative": "Text that explains a dance is relevant.",
}
RUN = """{"topic": "1", "doc": "bees", "start": 58, "end": 125, "score": 3}
{"topic": "1", "doc": "notes", "start": 0, "end": 20, "score": 2}
{"topic": "1", "doc": "wasps", "start": 0, "end": 10, "score": 1}
"""
CONFIG = """corpus: docs
topics: {{files: topics.jsonl}}
runs: [run.jsonl]
judge:
  grades: {grades}
  assessors: [anna, ben]
  second_share: 1
"""

CONTRASTS = """() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgb = (colour) => {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = (colour) => rgb(colour)
        .map((value) => value / 255)
        .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
        .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
    const ratio = (one, other) => {
        const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const root = getComputedStyle(document.documentElement);
    const value = (name) => root.getPropertyValue(name).trim();
    const styles = ["0", "1", "2", "3", "4", "5", "6", "7", "ungraded"];
    const backOf = (style) => (style === "ungraded" ? "--ungraded" : `--grade-${style}`);
    const backgroundOf = (element) => {
        for (let one = element; one; one = one.parentElement) {
            const { backgroundColor } = getComputedStyle(one);
            if (!/rgba\\(.*, 0\\)|transparent/.test(backgroundColor)) return backgroundColor;
        }
        return value("--background");
    };
    const texts = [...document.querySelectorAll("body *")]
        .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
        .filter((one) => one.checkVisibility() && !one.closest(".visually-hidden, .skip"));
    return [
        ["selection", ratio(value("--text"), value("--selected")), 4.5],
        ...styles.flatMap((style) => [
            [`text ${style}`, ratio(value("--text"), value(backOf(style))), 4.5],
            [`line ${style}`, ratio(value(`--line-${style}`), value("--background")), 3],
            [`line ${style} in it`, ratio(value(`--line-${style}`), value(backOf(style))), 3],
        ]),
        ...texts.map((one) => {
            const found = ratio(getComputedStyle(one).color, backgroundOf(one));
            return [one.outerHTML.slice(0, 80), found, 4.5];
        }),
    ];
}"""
"""Returns what is compared, its contrast, and the lowest permitted one."""

TIME_TO_HIGHLIGHT = """() => new Promise((resolve) => {
    const listener = ({ timeStamp }) => {
        const done = () => resolve(performance.now() - timeStamp);
        xcgJudge.saving.addEventListener("change", function check() {
            if (this.state !== "saved") return;
            this.removeEventListener("change", check);
            requestAnimationFrame(() => requestAnimationFrame(done));
        });
    };
    document.addEventListener("keydown", listener, { once: true, capture: true });
})"""
"""Returns the milliseconds from the next key press until its result is saved and drawn."""


def write_collection(folder: Path, grades: str = "inex-2004", **documents: str) -> Path:
    """Write three documents, a topic and a run, and return the configuration."""
    (folder / "docs").mkdir(exist_ok=True)
    for name, text in {**DOCUMENTS, **documents}.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8", newline="")
    (folder / "topics.jsonl").write_text(json.dumps(TOPICS) + "\n", encoding="utf-8")
    (folder / "run.jsonl").write_text(RUN, encoding="utf-8")
    config = folder / "judge.yaml"
    config.write_text(CONFIG.format(grades=grades), encoding="utf-8")
    return config


@contextlib.contextmanager
def running_chromium() -> Iterator[Browser]:
    """Start Chromium without a window."""
    with sync_playwright() as playwright:
        # Chromium's sandbox needs permissions that containers do not have; the pages are ours.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Assessor:
    """A window in which an assessor judges.

    Args:
        browser: The browser.
        start_url: The start URL of the assessor.
        size: Width and height of the window.
        colours: ``light`` or ``dark``.

    Attributes:
        problems: Errors of scripts and violations of the content security policy.
    """

    def __init__(
        self,
        browser: Browser | BrowserContext,
        start_url: str,
        size: tuple[int, int] = WIDE,
        colours: Any = "light",
    ) -> None:
        self.start_url = start_url
        if isinstance(browser, Browser):
            viewport: Any = {"width": size[0], "height": size[1]}
            self.context = browser.new_context(viewport=viewport, color_scheme=colours)
        else:
            self.context = browser
        self.page: Page = self.context.new_page()
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on(
            "console", lambda message: message.type == "error" and self.problems.append(message.text)
        )
        self.page.goto(start_url)
        self.page.wait_for_url(lambda url: "token" not in url)

    def url(self, document: str, topic: str = "1") -> str:
        """Return the URL of the page on which a document is judged."""
        start = self.start_url.partition("start?")[0]
        return f"{start}topics/{topic}/documents/{document}"

    def open(self, document: str) -> None:
        """Open the page of a document."""
        self.page.goto(self.url(document))
        self.wait()

    def wait(self) -> None:
        """Wait until the page can be used."""
        self.page.wait_for_selector("html[data-ready]")

    @property
    def judgement(self) -> dict[str, Any]:
        """The judgement as the page shows it."""
        found: dict[str, Any] = self.page.evaluate("xcgJudge.saving.judgement")
        return found

    @property
    def saved(self) -> dict[str, Any]:
        """The judgement as the server has it."""
        api = self.page.evaluate("xcgJudge.saving.api")
        found: dict[str, Any] = self.page.evaluate("url => fetch(url).then(r => r.json())", api)
        return found

    @property
    def highlights(self) -> list[tuple[str, str | None]]:
        """Text and grade of the highlights on the server, after all changes are saved."""
        self.wait_until_saved()
        return [(one["text"], one["grade"]) for one in self.saved["highlights"]]

    def wait_until_saved(self) -> None:
        """Wait until the page states that everything is saved."""
        self.page.wait_for_selector("#save-state.saved")

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def point(self, text: str, *, at_end: bool = False) -> tuple[float, float]:
        """Return the point in the window of the first occurrence of a text."""
        script = """([text, atEnd]) => {
            const { positions } = xcgJudge;
            const start = positions.position(positions.text.indexOf(text));
            const end = start + [...text].length;
            const one = positions.range(atEnd ? end - 1 : start, atEnd ? end : start + 1);
            one.startContainer.parentElement.scrollIntoView({ block: "center" });
            const { left, right, top, bottom } = one.getBoundingClientRect();
            return [atEnd ? right - 1 : left + 1, (top + bottom) / 2];
        }"""
        x, y = self.page.evaluate(script, [text, at_end])
        return x, y

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the mouse button at one point and release it at another one."""
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        mouse.move(*end)
        mouse.up()

    def select(self, text: str) -> None:
        """Select a text with the mouse."""
        self.point(text)  # scrolls
        end = self.point(text, at_end=True)
        self.drag(self.point(text), end)
        self.page.wait_for_function("xcgJudge.selection.span !== null")

    def click(self, selector: str) -> None:
        """Click a button."""
        self.page.click(selector)
