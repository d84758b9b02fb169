"""Errors after line 65,535 of a run or of assessments have the right line."""

from __future__ import annotations

from pathlib import Path

import pytest

from xcg.errors import InputError
from xcg.formats.base import read_assessments, read_run

COUNT = 18_000
RESULT = "<result>\n<file>d</file>\n<path>{}</path>\n</result>\n"
ELEMENT = "<path path='/a/b[{}]'\n\n exhaustiveness='{}'\n specificity='3'/>\n"
# A comment between two results is not a regular layout, so the fast reader does not read the file.
LAYOUTS = {"regular": "", "irregular": "<!-- no result -->"}


@pytest.mark.parametrize("comment", LAYOUTS.values(), ids=LAYOUTS)
def test_lines_of_results(comment: str, tmp_path: Path) -> None:
    path = tmp_path / "run.xml"
    results = RESULT.format("/a") * COUNT + comment + RESULT.format("a") + RESULT.format("/a") * 9
    head = "<inex-submission run-id='r'>\n<topic topic-id='1'>\n"
    path.write_text(f"{head}{results}</topic>\n</inex-submission>\n")
    with pytest.raises(InputError, match=rf"run.xml:{3 + 4 * COUNT}: topic 1, rank 18001: 'a' is not"):
        read_run(path)


@pytest.mark.parametrize("comment", LAYOUTS.values(), ids=LAYOUTS)
def test_lines_of_assessed_elements(comment: str, tmp_path: Path) -> None:
    path = tmp_path / "1.xml"
    elements = "".join(ELEMENT.format(i + 1, 3) for i in range(COUNT))
    elements += comment + ELEMENT.format(COUNT + 1, 4) + ELEMENT.format(COUNT + 2, 3)
    path.write_text(f"<assessments topic='1'>\n<file file='d'>\n{elements}</file>\n</assessments>\n")
    with pytest.raises(InputError, match=rf"1.xml:{6 + 4 * COUNT}: .*: illegal value '4'"):
        read_assessments(path)
