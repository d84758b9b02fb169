"""The templates escape what they show, and the colours of the pages have enough contrast."""

from __future__ import annotations

import re
from pathlib import Path

import jinja2
import pytest

from xcg.judge import pages
from xcg.judge.judgement import Progress
from xcg.judge.pages import environment, render_page

STATIC = Path(pages.__file__).parent / "static"
PAIRS = [
    *(("text", "background"), ("text", "surface"), ("muted", "background"), ("muted", "surface")),
    *(("accent", "background"), ("accent", "surface"), ("accent-text", "accent")),
    *(("good", "good-soft"), ("warning", "warning-soft"), ("bad", "bad-soft"), ("text", "accent-soft")),
    *(("text", "warning-soft"), ("text", "bad-soft")),
]


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb`` (WCAG 2.2)."""
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    high, low = sorted(map(luminance, (first, second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_contrast_of_black_and_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(
        4.54, abs=0.01
    )  # the grey of WCAG's examples


@pytest.mark.parametrize("pair", PAIRS, ids=" on ".join)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(scheme: str, pair: tuple[str, str]) -> None:
    light, dark = (
        (STATIC / "base.css").read_text(encoding="utf-8").split("prefers-color-scheme: dark", 1)
    )
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light if scheme == "light" else dark))
    assert contrast(colours[pair[0]], colours[pair[1]]) >= 4.5


def test_controls_have_enough_contrast() -> None:
    text = (STATIC / "base.css").read_text(encoding="utf-8")
    light, dark = text.split("prefers-color-scheme: dark", 1)
    for part in (light, dark):
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", part))
        assert contrast(colours["control-border"], colours["background"]) >= 3


@pytest.mark.parametrize("name", environment().list_templates())
def test_every_template_escapes(name: str) -> None:
    templates = environment()
    assert templates.autoescape is True
    source = (Path(pages.__file__).parent / "templates" / name).read_text(encoding="utf-8")
    assert "|safe" not in source.replace(" ", "")
    assert "autoescape" not in source


def test_an_error_is_shown_as_a_sentence_and_escaped() -> None:
    page = pages.error_page(404, "there is no topic '<b>'")
    assert "There is no topic &#39;&lt;b&gt;&#39;." in page
    assert "docs/a.xml: not well-formed." in pages.error_page(503, "docs/a.xml: not well-formed")


def test_an_unknown_name_in_a_template_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError):
        render_page("error.html", breadcrumbs=[], person=None, status=404, message="x")


@pytest.mark.parametrize(("finished", "size", "expected"), [(0, 2, False), (2, 2, True), (0, 0, True)])
def test_progress_is_complete_if_all_documents_are_finished(
    finished: int, size: int, expected: bool
) -> None:
    assert Progress(finished, size).is_complete is expected
    assert Progress.sum([Progress(finished, size), Progress(0, 1)]) == (finished, size + 1)
