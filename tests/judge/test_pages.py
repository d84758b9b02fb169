"""The templates escape what they show, and progress is complete when all is finished."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from xcg.judge import pages
from xcg.judge.judgement import Progress
from xcg.judge.pages import environment, render_page


@pytest.mark.parametrize("name", environment().list_templates())
def test_every_template_escapes(name: str) -> None:
    templates = environment()
    assert templates.autoescape is True
    source = (Path(pages.__file__).parent / "templates" / name).read_text(encoding="utf-8")
    assert "|safe" not in source.replace(" ", "")
    assert "autoescape" not in source


def test_an_unknown_name_in_a_template_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError):
        render_page("error.html", status=404, message="x")


def test_progress_in_several_topics_is_added() -> None:
    assert Progress.sum([Progress(1, 2), Progress(0, 1)]) == (1, 3)
