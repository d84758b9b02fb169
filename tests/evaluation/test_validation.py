"""xcg validate: what it counts, what it finds, and with which exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command
from hypothesis import given
from strategies import RandomCampaign, campaigns

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
    return validate([folder / "assessments"], [folder / "runs"], folder / "corpus")


def kinds(report: Report) -> list[tuple[str, str, int]]:
    return [(finding.level, finding.kind, finding.count) for finding in report.findings]


def test_a_clean_campaign_has_no_findings(campaign: Path) -> None:
    report = check(campaign)
    assert (report.status, report.findings) == (0, [])
    assert report.counts == {
        "documents": 1,
        "elements in documents": 4,
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
        "contradicting assessments",
        "unreadable runs",
    ]
    assert (report.counts["assessed elements"], report.status) == (3, 2)


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
    assert list(overlapping_results(run.rankings["1"])) == expected


def test_the_command(campaign: Path, xcg_command: Command) -> None:
    options = ["--assessments", campaign / "assessments", "--run", campaign / "runs"]
    clean = xcg_command("validate", *options, "--corpus", campaign / "corpus")
    assert clean.returncode == 0
    assert "clean: no errors and no warnings" in clean.stdout
    (campaign / "runs" / "r.txt").write_text("2 Q0 d#/a 1 2 r\n")
    odd = xcg_command("validate", *options, "--format", "json")
    assert odd.returncode == 1
    assert [f["kind"] for f in json.loads(odd.stdout)["findings"]] == [
        "topics without assessments",
        "assessed topics without results",
    ]
    wrong = xcg_command("validate", *options, "--corpus", campaign / "none")
    assert wrong.returncode == 2
    assert "error: unreadable corpora: 1; the first:" in wrong.stdout
    assert xcg_command("validate").returncode == 2
    assert xcg_command("validate", "configs/quickstart.yaml").returncode == 0
