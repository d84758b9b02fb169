"""xcg check: what it counts, what it finds, and with which exit status."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from conftest import Command
from hypothesis import example, given
from hypothesis import strategies as st
from random_cases import RandomCampaign, campaigns

import xcg
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.validation import Report, validate
from xcg.runs.result_overlap import overlapping_results
from xcg.runs.run import Run

DOCUMENT = "<a><s><p>one</p><p>two</p></s></a>"
GOOD = (
    '<path path="/a" e="2" s="1"/><path path="/a/s" e="2" s="2"/><path path="/a/s/p[1]" e="1" s="3"/>'
)


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    for folder in ("corpus", "assessments", "runs"):
        (tmp_path / folder).mkdir()
    (tmp_path / "corpus" / "d.xml").write_text(DOCUMENT)
    assess(tmp_path, GOOD)
    (tmp_path / "runs" / "r.txt").write_text("1 Q0 d#/a/s 1 2 r\n1 Q0 d#/a/s/p[2] 2 1 r\n")
    return tmp_path


def assess(folder: Path, inner: str, name: str = "1") -> None:
    text = f'<assessments topic="1"><file file="d">{inner}</file></assessments>'
    (folder / "assessments" / f"{name}.xml").write_text(text)


def check(folder: Path) -> Report:
    return validate(Inputs([folder / "assessments"], [folder / "runs"], folder / "corpus"))


def kinds(report: Report) -> list[tuple[str, str, int]]:
    return [(finding.level, finding.kind, finding.count) for finding in report.findings]


def test_a_clean_campaign_has_no_findings(campaign: Path) -> None:
    report = check(campaign)
    assert (report.status, report.findings) == (0, [])
    assert report.counts == {
        "documents": 1,
        "elements in documents": 4,
        "elements per document": 4.0,
        "characters per document": 6.0,
        "words per document": 1.0,
        "characters per element": (6 + 6 + 3 + 3) / 4,
        "depth per element (root: 1)": (1 + 2 + 3 + 3) / 4,
        "greatest depth": 3,
        "assessed topics": 1,
        "assessed elements": 3,
        "relevant elements": 3,
        "relevant passages": 0,
        "results of r": 2,
        "overlap of r": 1.0,
    }


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (GOOD.replace('e="2" s="2"', 'e="1" s="2"'), []),
        (
            GOOD.replace('e="1" s="3"', 'e="3" s="3"'),
            [("warning", "exhaustivity that decreases towards the root", 1)],
        ),
        (
            '<path path="/a/s" e="1" s="1"/>',
            [("warning", "exhaustivity that decreases towards the root", 1)],
        ),
        (GOOD + '<path path="/a/q" e="0" s="0"/>', [("error", "assessments of unknown paths", 1)]),
        (GOOD + '<path path="/a/s/p[2]" e="0" s="3"/>', [("error", "assessments left out", 1)]),
        (
            '<element path="/a" exhaustivity="2" size="7" rsize="3"/>',
            [("warning", "stated sizes that differ from the document", 1)],
        ),
        ("<thing/>", [("error", "unreadable assessments", 1)]),
    ],
)
def test_assessments(campaign: Path, inner: str, expected: list[tuple[str, str, int]]) -> None:
    assess(campaign, inner)
    found = [finding for finding in kinds(check(campaign)) if "topics" not in finding[1]]
    assert found == expected


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (
            "1 Q0 d#/a 1 3 r\n1 Q0 d#/a 2 2 r\n1 Q0 d#/a 3 1 r\n",
            [("warning", "elements returned more than once", 2)],
        ),
        ("1 Q0 d#/b 1 3 r\n", [("error", "results with unknown paths", 1)]),
        ("1 Q0 e#/a 1 3 r\n", [("error", "documents that the corpus lacks", 1)]),
        (
            "2 Q0 d#/a 1 3 r\n",
            [
                ("warning", "topics without assessments", 1),
                ("warning", "assessed topics without results", 1),
            ],
        ),
        ("1 Q0 d#/a 1 3 r\n1 Q0\n", [("error", "lines left out of a run", 1)]),
        ("", [("error", "unreadable runs", 1)]),
    ],
)
def test_runs(campaign: Path, run: str, expected: list[tuple[str, str, int]]) -> None:
    (campaign / "runs" / "r.txt").write_text(run)
    assert kinds(check(campaign)) == expected


def test_an_unreadable_file_does_not_hide_others(campaign: Path) -> None:
    (campaign / "corpus" / "broken.xml").write_text("<a>")
    assess(campaign, "<thing/>", "0")
    assess(campaign, GOOD.replace('e="2" s="1"', 'e="3" s="1"'), "2")
    (campaign / "runs" / "bad").write_text("\xff")
    report = check(campaign)
    assert [finding[1] for finding in kinds(report)] == [
        "unreadable documents",
        "unreadable assessments",
        "contradictory assessments; the first is used",
        "unreadable runs",
    ]
    assert (report.counts["assessed elements"], report.status) == (3, 2)


def test_references_whose_text_is_missing_are_counted() -> None:
    corpus = {
        "a": "<!DOCTYPE a SYSTEM 'a.dtd'><a>x&nbsp;y &mdash; &amp; <![CDATA[&no;]]></a>",
        "b": "<a>x &amp; &#160; y</a>",
    }
    report = validate(Inputs(corpus=corpus))
    (finding,) = report.findings
    assert (finding.level, finding.count, report.status) == ("warning", 1, 1)
    assert finding.kind == "documents with entities that are not expanded"
    assert "each reference, such as &nbsp;, is one character" in finding.first


@pytest.mark.posix
def test_the_error_of_a_pipe_is_that_of_its_content() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"1 Q0 d x\n")
    os.close(writing)
    (finding,) = validate(Inputs(runs=[f"/dev/fd/{reading}"])).findings
    os.close(reading)
    assert f"/dev/fd/{reading}:1: 4 columns; expected six" in finding.first


def test_levels_are_counted(campaign: Path, xcg_command: Command) -> None:
    found = [(one.level, one.number, one.share, one.relevant_share) for one in check(campaign).levels]
    third = 1 / 3
    assert found == [(pair, 1, third, third) for pair in ("(1,3)", "(2,1)", "(2,2)")]
    options = ("check", "--assessments", campaign / "assessments")
    text = xcg_command(*options).stdout
    assert "\n\nlevel  number   share  relevant_share\n(1,3)       1  0.3333          0.3333\n" in text
    assert "\ntotal       3  1.0000          1.0000\n\nclean: no errors and no warnings\n" in text


def test_runs_with_the_same_name_are_counted_separately(campaign: Path) -> None:
    (campaign / "runs" / "same.txt").write_text("1 Q0 d#/a/s 1 2 r\n")
    counts = check(campaign).counts
    assert counts["results of r"] == 2
    assert counts[f"results of r [{campaign}/runs/same.txt]"] == 1


def test_passages(campaign: Path) -> None:
    (campaign / "assessments" / "1.xml").write_text('{"topic": "1", "doc": "d", "start": 2, "end": 9}')
    assert kinds(check(campaign)) == [("error", "passages that do not fit their document", 1)]


@given(campaigns())
def test_the_overlap_of_a_run_by_comparing_all_pairs(campaign: RandomCampaign) -> None:
    ranking = campaign.ranking

    def related(i: int, j: int) -> bool:
        (file, path), (other_file, other) = ranking[i], ranking[j]
        nested = f"{path}/".startswith(f"{other}/") or f"{other}/".startswith(f"{path}/")
        return i != j and file == other_file and nested

    expected = [any(related(i, j) for j in range(len(ranking))) for i in range(len(ranking))]
    run = Run.of("r", {"1": ranking})
    assert overlapping_results(run.rankings["1"]) == expected


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=6))
@example([(0, 10), (5, 20), (6, 2)])
def test_the_overlap_of_passages_by_comparing_all_pairs(passages: list[tuple[int, int]]) -> None:
    texts = [range(start, start + length) for start, length in passages]

    def related(one: int, two: int) -> bool:
        shared = {*texts[one]} & {*texts[two]}
        return one != two and len(shared) == min(len(texts[one]), len(texts[two]))

    expected = [any(related(i, j) for j in range(len(texts))) for i in range(len(texts))]
    run = Run.of("r", {"1": [f"d#{start}:{length}" for start, length in passages]})
    assert overlapping_results(run.rankings["1"]) == expected


SUBMISSION = (
    '<inex-submission participant-id="1" run-id="r"><topic topic-id="1">{}</topic></inex-submission>'
)
UNREADABLE = [
    # (name, content, message as assessments, message as a run); no message: the file is legal.
    ("empty", b"", "an empty file; expected assessments", "an empty file; expected a run"),
    ("TREC qrels", b"1 0 d 1\n1 0 e 0\n", "", ":1: 4 columns; expected"),
    ("offset qrels", b"1 Q0 d 3 9 1 0:3\n1 Q0 e 0 9\n", "", ":1: offset:length, as in offset"),
    ("a TREC run", b"1 Q0 d 1 2 r\n", ":1: illegal entry point 'r'", ""),
    ("not UTF-8", b"1 Q0 \xff 1 2 r\n", ":1: not UTF-8 text", ":1: not UTF-8 text"),
    ("damaged gzip", gzip.compress(b"1 0 d 1\n" * 9)[:-9], "damaged gzip", "damaged gzip"),
    ("other XML", b"<a><b/></a>", "no <assessments> element", "no <inex-submission> element"),
    ("broken XML", b"<assessments>", ":1: not well-formed XML", ":1: not well-formed XML"),
    ("a submission", SUBMISSION.format("").encode(), "no <assessments> element", ""),
    ("broken JSON", b'{"topic": 1,\n', ":1: not valid JSON", ":1: not valid JSON"),
    (
        "a document with two levels",
        b"1 0 d 1\n1 0 d 2\n",
        ":2: topic 1, d: judged before, in line 1",
        ":1: ",
    ),
    ("an illegal name", b"1 0 ../d 1\n", ":1: '../d' is not a document name", ":1: 4 columns"),
    ("a long line", b"x" * (2 << 20), ":1: a line of more than 1 MB", ":1: a line of more than 1 MB"),
]


@pytest.mark.parametrize("role", ["assessments", "runs"])
@pytest.mark.parametrize(
    ("content", "messages"),
    [pytest.param(content, messages, id=name) for name, content, *messages in UNREADABLE],
)
def test_an_illegal_file_has_the_same_message_as_in_an_evaluation(
    tmp_path: Path, role: str, content: bytes, messages: tuple[str, str]
) -> None:
    message = messages[role == "runs"]
    files = {"assessments": tmp_path / "good.qrels", "runs": tmp_path / "good.run"}
    files["assessments"].write_text("1 0 d 1\n")
    files["runs"].write_text("1 Q0 d 1 2 r\n")
    files[role] = tmp_path / "file"
    files[role].write_bytes(content)
    report = validate(Inputs([files["assessments"]], [files["runs"]]))
    errors = [finding.first for finding in report.findings if finding.level == "error"]
    if not message:
        assert errors == []
        return
    with pytest.raises(xcg.XcgError) as raised:
        xcg.evaluate(files["assessments"], files["runs"], measures="AP")
    (error,) = errors
    assert message in str(raised.value)
    assert str(raised.value) == error or str(raised.value).startswith(f"{error}. It looks like ")
    assert str(raised.value).startswith(str(tmp_path / "file"))


@pytest.mark.parametrize("role", ["assessments", "runs"])
@pytest.mark.parametrize("name", ["missing", "folder", "none*"])
def test_a_missing_file_has_the_same_message_as_in_an_evaluation(
    tmp_path: Path, role: str, name: str
) -> None:
    files = {"assessments": tmp_path / "good.qrels", "runs": tmp_path / "good.run"}
    files["assessments"].write_text("1 0 d 1\n")
    files["runs"].write_text("1 Q0 d 1 2 r\n")
    files[role] = tmp_path / name
    if name == "folder":
        files[role].mkdir()
    report = validate(Inputs([files["assessments"]], [files["runs"]]))
    with pytest.raises(xcg.XcgError) as raised:
        xcg.evaluate(files["assessments"], files["runs"], measures="AP")
    errors = [finding for finding in report.findings if finding.level == "error"]
    assert [(error.kind, error.first) for error in errors] == [(f"missing {role}", str(raised.value))]


def test_notes_are_shown_and_do_not_change_the_status(campaign: Path, xcg_command: Command) -> None:
    run = campaign / "runs" / "r.txt"
    run.write_text(run.read_text().replace(" 1 r", " 1 s"))
    done = xcg_command("check", "--run", run)
    assert done.returncode == 0
    assert done.stdout.endswith(
        f"clean: no errors and no warnings\nnote: {run}: several run tags; the run is called r\n"
    )
