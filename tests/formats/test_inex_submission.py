"""INEX submissions: the order of results, illegal results, and tolerated errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from format_examples import steps, submission, write

from xcg.errors import Notes
from xcg.formats.base import read_run


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["<rank>3</rank>", "<rank>1</rank>", "<rank>2</rank>"], "b c a"),
        (["<rank>2</rank>", "<rank>0</rank>", "<rank>1</rank>"], "b c a"),
        (["<rsv>.5</rsv>", "<rsv>1e1</rsv>", "<rsv>-3</rsv>"], "b a c"),
        (["<rank>1</rank><rsv>9</rsv>", "<rank>2</rank><rsv>99</rsv>", "<rsv>5</rsv>"], "b a c"),
        (["<rank>3</rank>", "", "<rank>1</rank>"], "a b c"),
        (["<rsv>1</rsv>", "", "<rsv>3</rsv>"], "a b c"),
        (["<rsv>1</rsv>", "<rsv>1</rsv>", "<rsv>1</rsv>"], "a b c"),
        (["<rank>2</rank>", "<rank>1</rank>", "<rank>1</rank>"], "b c a"),
    ],
)
def test_results_are_ordered_by_rank_or_score_or_as_written(
    tmp_path: Path, fields: list[str], expected: str
) -> None:
    named = [f"<file>f.xml</file><path>/{n}</path>{f}" for n, f in zip("abc", fields, strict=True)]
    notes = Notes()
    run = read_run(write(tmp_path, submission(*named)), notes)
    assert steps(run) == expected
    missing = [name for name in ("rank", "rsv") if 0 < str(fields).count(f"<{name}>") < len(fields)]
    assert [kind for kind, *_ in notes.oddities() if "only" in kind] == [
        f"topics with a {name} of some results only" for name in missing
    ]
    assert set(run.rankings["1"].files) == {"f"}


def test_results_that_name_no_element_keep_their_rank(tmp_path: Path) -> None:
    twice = "<file>f</file><path>/a</path><path>/a</path><rank>3</rank>"
    text = submission(twice, "<file>f</file><path>/b</path><rank>1</rank>")
    ranking = read_run(write(tmp_path, text), Notes(lenient=True)).rankings["1"]
    assert (list(ranking), list(ranking.keys or ())) == ([("f", "/b[1]"), ("f", "")], [1, 3])


def test_lenient_reading_counts_illegal_ranks_and_duplicate_topics(tmp_path: Path) -> None:
    notes = Notes(lenient=True)
    text = submission(
        "<file>f</file><path>/a</path><rank>x</rank>", "<file>f</file><path>/b</path><rank>2</rank>"
    ).replace("</inex-submission>", "<topic topic-id='1'/></inex-submission>")
    assert steps(read_run(write(tmp_path, text), notes)) == "b a"
    assert [line.partition(":")[2].partition(":")[0].strip() for line in notes.lines()] == [
        "illegal ranks or scores; the results are last",
        "duplicate topics; the first is used",
    ]
