"""TREC runs: order of results, illegal lines, and agreement of reading columns and reading lines."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from unittest.mock import patch

import pytest
from format_examples import run_content, steps, write
from hypothesis import given
from hypothesis import strategies as st
from random_cases import compressed_or_damaged

from xcg.documents import files as document_files
from xcg.errors import InputError, Notes, XcgError
from xcg.formats import trec_run
from xcg.formats.base import read_run
from xcg.formats.text_columns import TextBlock
from xcg.runs.run import TIES, UNKNOWN_SPAN, Run, Ties

LINES = ("1 Q0 f#/a 1 2.0 tag", "1 Q0 f#/c 2 2.0 tag", "1 Q0 f#/b 3 2.0 tag", "1 Q0 f#/d 4 3 tag")


@pytest.mark.parametrize(
    ("ties", "expected"), [("document", "d c b a"), ("rank", "d a c b"), ("file", "d a c b")]
)
def test_results_with_equal_scores_are_ordered_by_the_chosen_rule(
    tmp_path: Path, ties: str, expected: str
) -> None:
    path = write(tmp_path, "\n".join(LINES) + "\n", "run.txt")
    assert steps(read_run(path, ties=ties)) == expected  # type: ignore[arg-type]
    backwards = write(tmp_path, "\r\n".join(reversed(LINES)), "back.txt")
    if ties != "file":
        assert steps(read_run(backwards, ties=ties)) == expected  # type: ignore[arg-type]
    else:
        assert steps(read_run(backwards, ties="file")) == "d b c a"


def test_scores_are_compared_in_double_precision(tmp_path: Path) -> None:
    """In single precision the two scores are equal, and b comes first."""
    text = "1 Q0 f#/b 2 0.3 t\n1 Q0 f#/a 1 0.30000000001 t\n"
    assert steps(read_run(write(tmp_path, text, "r"))) == "a b"
    scored = Run.of("r", {"1": {"f#/b": 0.3, "f#/a": 0.30000000001}})
    assert steps(scored) == "a b"
    assert scored.rankings["1"].keys == [0.30000000001, 0.3]


def test_an_unknown_order_of_ties_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, LINES[0], "r")
    with pytest.raises(XcgError, match="ties is 'ranks': did you mean 'rank'"):
        read_run(path, ties="ranks")  # type: ignore[arg-type]


def test_comments_and_text_after_the_sixth_column_are_ignored(tmp_path: Path) -> None:
    notes = Notes()
    text = "# made by # f#/x 1 2 t\n1 Q0 f#/a 1 2 t and so on\n1 Q0 f#/b 2 1 t\n#\n #1 Q0 f 1 9 t\n"
    path = write(tmp_path, text, "r")
    run = read_run(path, notes)
    assert (run.name, steps(run)) == ("t", "a b")
    assert notes.lines() == [f"note: {path}: text after the sixth column, which is ignored"]
    assert steps(read_run(write(tmp_path, f"\ufeff{text}".replace("\n", "\r\n"), "r"))) == "a b"


def test_offset_qrels_are_no_run(tmp_path: Path) -> None:
    for passages in ("-1 2:3", "2:3", "2:3 7:1"):  # with and without entry points
        path = write(tmp_path, f"1 Q0 f 3 9 {passages}\n1 Q0 g 1 9 -1 4:1\n", "r")
        with pytest.raises(InputError, match=r"r:1: offset:length.* use --assessments"):
            read_run(path)


def test_a_mark_without_path_or_passage_belongs_to_the_name(tmp_path: Path) -> None:
    """Passages of MS MARCO have names such as doc#4_163."""
    names = ["doc#4_163", "doc#4", "doc#", "doc#٣:٤", "d#1#/a", "d#1#5:20", "d#5:20"]
    text = "".join(f"1 Q0 {name} {n} {9 - n} t\n" for n, name in enumerate(names))
    expected = [*((name, "/") for name in names[:4]), ("d#1", "/a[1]"), ("d#1", ""), ("d", "")]
    path = write(tmp_path, text + "1 Q0 d#2 1 0 t 5 20\n1 Q0 d#3 1 -1 t /a\n", "r")
    ranking = read_run(path).rankings["1"]
    assert list(ranking) == [*expected, ("d#2", ""), ("d#3", "/a[1]")]
    assert ranking.spans == {5: (5, 25), 6: (5, 25), 7: (5, 25)}
    again = Run.of("r", {"1": names}).rankings["1"]
    assert (list(again), again.spans) == (expected, {5: (5, 25), 6: (5, 25)})


def test_passages_may_be_empty_or_have_an_unknown_offset(tmp_path: Path) -> None:
    lines = ["X 40", "-1 18", "X X", "-1 -1", "5 0", "0 9"]
    text = "".join(f"1 Q0 d 1 {9 - n} t {passage}\n" for n, passage in enumerate(lines))
    run = read_run(write(tmp_path, text, "r"))
    spans = [UNKNOWN_SPAN] * 4 + [(5, 5), (0, 9)]
    assert list(run.rankings["1"].spans.values()) == spans
    for name in ("trec", "jsonl", "inex"):
        path = tmp_path / f"again.{name}"
        assert run.write(path, name)[:1] in (
            [],
            ["the run's name (the name of the file is used instead)"],
        )
        assert list(read_run(path).rankings["1"].spans.values()) == spans


def test_several_run_tags_give_a_note(tmp_path: Path) -> None:
    notes = Notes()
    run = read_run(write(tmp_path, "1 Q0 f#/a 1 2 t\n1 Q0 f#/b 1 1 u\n", "r"), notes)
    assert run.name == "t"
    assert "several run tags" in notes.lines()[0]


ODD_TEXTS = "# : x / ] nan inf 1e39 1e999 1_0 -3 +3 ² ٣ /article[1]"
IRREGULAR_TEXTS = [
    *("", " ", "\t", "\n", "\r", "\0", "\x1c", "\x85", "\xa0", "\ufeff", "# #", "\n\n", " 1 2"),
    *ODD_TEXTS.split(),
    "9" * 19,
]


@st.composite
def trec_runs(draw: st.DrawFn) -> bytes:
    """Return TREC runs of six to eight columns; most are then changed in one or two columns."""
    kind = draw(st.sampled_from(["element", "element", "document", "path", "passage", "both"]))
    rows = []
    for _ in range(draw(st.integers(0, 8))):
        document = draw(st.sampled_from(["co/1", "co/2.xml", "d-3", "größe", "m#4_1", "h:i"]))
        path = draw(st.sampled_from(["/a[1]", "/a/b[2]", "/a[1]/b[3]", "/m:math"]))
        if kind == "element" or (kind == "both" and draw(st.booleans())):
            document += "#" + path
        score = draw(st.sampled_from(["3", "2.5", "2.5", "1e0", "-1", "0.30000000001", "0.3", "1e300"]))
        row = [draw(st.sampled_from("112")), "Q0", document, str(draw(st.integers(0, 4))), score, "tag"]
        row += {"path": [path], "passage": ["5", "20"]}.get(kind, [])
        rows.append(row)
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2])) if rows else 0):
        row = draw(st.sampled_from(rows))
        column = draw(st.integers(0, len(row) - 1))
        position = draw(st.integers(0, len(row[column])))
        irregular = draw(st.sampled_from(IRREGULAR_TEXTS))
        row[column] = (
            irregular
            if draw(st.booleans())
            else row[column][:position] + irregular + row[column][position:]
        )
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\n\n"]))
    text = draw(st.sampled_from(["", "", "\ufeff", "\n"])) + end.join(map(" ".join, rows))
    data = (text + draw(st.sampled_from(["", "\n", " \n\n"]))).encode()
    return compressed_or_damaged(draw, data)


@pytest.mark.slow
@given(
    data=trec_runs(),
    ties=st.sampled_from(TIES),
    lenient=st.booleans(),
    topics=st.sampled_from([None, None, {"1"}, {"2", "3"}]),
    block_size=st.sampled_from([1, 7, 40, 150, 1 << 18]),
)
def test_columns_and_lines_give_the_same_run(
    tmp_path: Path,
    data: bytes,
    ties: Ties,
    lenient: bool,
    topics: set[str] | None,
    block_size: int,
) -> None:
    path = tmp_path / "run"
    path.write_bytes(data)
    with patch.object(document_files, "CHUNK_BYTES", block_size):
        from_columns = run_content(path, ties, lenient, topics)
    with (
        patch.object(document_files, "CHUNK_BYTES", block_size),
        patch.object(TextBlock, "columns", return_value=None),
        patch.object(trec_run._Reader, "_files_and_paths", side_effect=ValueError),
    ):
        assert from_columns == run_content(path, ties, lenient, topics)


@pytest.mark.posix
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 Q0 f#/a 1 2 t\n", {"1": [("f", "/a[1]")]}),
        (
            '<inex-submission run-id="r"><topic topic-id="1"><result><file>f</file><path>/a</path>'
            "</result></topic></inex-submission>",
            {"1": [("f", "/a[1]")]},
        ),
    ],
)
def test_a_run_can_be_read_from_a_pipe(
    tmp_path: Path, text: str, expected: dict[str, list[tuple[str, str]]]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    rankings = read_run(pipe).rankings
    assert {topic: list(ranking) for topic, ranking in rankings.items()} == expected
    writer.join()


@pytest.mark.parametrize(
    "score", ["1_0", "\u0663", "１", "0x10", "inf", "nan", "1e", "--1", "1.2.3", ""]
)
@pytest.mark.parametrize("others", ["", "1 Q0 e 2 0.5 t\n"])
def test_only_ascii_decimals_are_scores(tmp_path: Path, score: str, others: str) -> None:
    path = write(tmp_path, f"{others}1 Q0 d 1 {score} t\n", "r")
    with pytest.raises(InputError, match=r"r:\d: (illegal score|\d columns)"):
        read_run(path)


@pytest.mark.parametrize(("score", "value"), [("1.", 1), (".5", 0.5), ("+1e3", 1000), ("-2E-1", -0.2)])
def test_all_ascii_decimals_are_scores(tmp_path: Path, score: str, value: float) -> None:
    for more in ("", "1 Q0 e 2 -9 u\n"):  # lines with several tags are read one by one
        run = read_run(write(tmp_path, f"1 Q0 d 1 {score} t\n{more}", "r"))
        assert run.rankings["1"].keys is not None
        assert run.rankings["1"].keys[0] == value
