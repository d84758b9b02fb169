"""Check the chunking study: its chunkers, its tables, and the statements of its article."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import REAL_DATA, ROOT, Command, load_script
from lxml import etree

import xcg
from xcg.judgements.recall_base import RecallBase, Span
from xcg.runs.chunks import run_of_chunks

ARTICLE = ROOT / "corpora_samples" / "handbook" / "chunking-study.xml"
EVIDENCE = REAL_DATA / "evidence-inference"
IDS = ("rec@5", "rec@10", "hit@5", "hit@10", "nDCG@5", "nDCG@10")
TEXT = ("MAep", "nxCG@500", "gr@2000")
SIZES = (("fixed-small", "fixed-large"), ("fixed-small-overlap", "fixed-large-overlap"))
OVERLAPS = (("fixed-small", "fixed-small-overlap"), ("fixed-large", "fixed-large-overlap"))
CHUNKINGS = ("fixed-small", "fixed-small-overlap", "fixed-large", "fixed-large-overlap")
CHUNKINGS += ("paragraphs", "sections", "merged")

Table = dict[str, dict[str, float]]
"""Run → measure → score."""


@pytest.fixture(scope="module")
def script() -> Any:
    folder = ROOT / "corpora_samples"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        for name in ("make_handbook_campaign", "make_evidence_campaign", "make_chunk_study"):
            patch.delitem(sys.modules, name, raising=False)
        yield load_script(folder / "make_chunk_study.py")


@pytest.fixture(scope="module")
def study(script: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    target = tmp_path_factory.mktemp("study")
    return target, script.handbook(target)


def parse_table(text: str) -> Table:
    heading, *rows = [line.split() for line in text.splitlines() if line]
    return {
        row[0]: dict(zip(heading, map(float, row[1:]), strict=True)) for row in rows if row != heading
    }


def tables_in_article() -> list[str]:
    return [code.text for code in etree.parse(ARTICLE).iter("code") if code.get("language") == "text"]


@pytest.mark.slow
@pytest.mark.parametrize("folder", [ROOT / "corpora_samples" / "handbook", EVIDENCE / "nxml"], ids=str)
def test_chunks_cover_the_whole_text(script: Any, folder: Path) -> None:
    if not folder.exists():
        pytest.skip(f"needs the articles in {EVIDENCE}")
    corpus = xcg.Corpus(folder)
    for name in list(corpus)[:20]:
        tree = corpus.tree(name)
        for chunking, cut in script.CHUNKINGS.items():
            spans = cut(tree)
            texts = [tree.text[start:end] for start, end in spans]
            assert all(texts)
            if chunking.endswith("overlap"):
                covered = {offset for start, end in spans for offset in range(start, end)}
                assert covered == set(range(len(tree.text)))
            else:
                assert "".join(texts) == tree.text
            if chunking.startswith("fixed"):
                size = script.SMALL if "small" in chunking else script.LARGE
                assert {len(script.words_and_marks(text)) for text in texts[:-1]} <= {size}
                assert len(script.words_and_marks(texts[-1])) <= size


@pytest.mark.slow
def test_the_runs_and_configurations_are_valid(study: tuple[Path, str], xcg_command: Command) -> None:
    target, tables = study
    assert set(CHUNKINGS) == {path.stem for path in (target / "runs").iterdir()}
    done = xcg_command("check", target / "config.yaml")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    repeated = "xcg: note: run fixed-large-twice repeats "
    printed = parse_table(tables)
    for name in ("config.yaml", "controls.yaml"):
        done = xcg_command("evaluate", target / name, "--format", "csv")
        assert done.returncode == 0
        assert [line for line in done.stderr.splitlines() if not line.startswith(repeated)] == []
        found: dict[str, list[float]] = {}
        for row in csv.DictReader(done.stdout.splitlines()):
            found.setdefault(row["run"], []).append(round(float(row["value"]), 4))
        assert found
        assert set(found) <= set(printed)
        assert found == {run: [printed[run][measure] for measure in TEXT] for run in found}


def test_the_article_shows_the_output_for_the_handbook(study: tuple[Path, str]) -> None:
    assert tables_in_article()[0] == study[1]


@pytest.mark.slow
def test_the_article_shows_the_output_for_evidence_inference(
    script: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not EVIDENCE.exists():
        pytest.skip(f"needs the articles in {EVIDENCE}")
    assert tables_in_article()[1] == script.evidence_inference(EVIDENCE, tmp_path)
    assert "711 of 711 passages placed" in capsys.readouterr().err


@pytest.mark.parametrize("data", [0, 1], ids=["handbook", "evidence"])
class TestStatementsOfTheArticle:
    def test_small_chunks_score_higher_in_text_and_lower_by_identifier(self, data: int) -> None:
        found = parse_table(tables_in_article()[data])
        exceptions = []
        for small, large in SIZES:
            assert all(found[small][measure] < found[large][measure] for measure in IDS)
            exceptions += [(m, small) for m in TEXT if found[small][m] <= found[large][m]]
        assert exceptions == ([("gr@2000", "fixed-small")] if data == 0 else [])
        for run in CHUNKINGS:
            assert all(found[run][measure] < found["documents"][measure] for measure in IDS)
            assert all(found[run][measure] > found["documents"][measure] for measure in TEXT)
        assert found["documents"]["nxCG@500"] == 0

    def test_overlap_of_chunks(self, data: int) -> None:
        found = parse_table(tables_in_article()[data])
        change = [
            {measure: found[windows][measure] - found[plain][measure] for measure in (*IDS, *TEXT)}
            for plain, windows in OVERLAPS
        ]
        assert all(c[measure] < 0 for c in change for measure in ("rec@5", "rec@10"))
        if data == 0:
            assert all(0.05 < c["nDCG@5"] < 0.15 for c in change)
            assert all(0 < c["nDCG@10"] < c["nDCG@5"] for c in change)
            assert sum(c[measure] < 0 for c in change for measure in TEXT) == 5
        else:
            assert all(c["nDCG@5"] < 0 and c["nDCG@10"] < 0 for c in change)
            assert [c["nxCG@500"] > 0 for c in change] == [False, True]
            assert all(c["MAep"] >= 0 > c["gr@2000"] for c in change)

    def test_merging_and_the_best_chunkings(self, data: int) -> None:
        found = parse_table(tables_in_article()[data])
        merged, paragraphs = found["merged"]["nxCG@500"], found["paragraphs"]["nxCG@500"]
        best = sorted(CHUNKINGS, key=lambda run: -found[run]["MAep"])[:2]
        if data == 0:
            sections = found["sections"]
            assert all(sections[m] > found["fixed-small"][m] for m in ("MAep", "gr@2000"))
            assert all(sections[measure] < found["fixed-large"][measure] for measure in IDS)
            assert abs(merged - paragraphs) < 0.015
            assert best == ["merged", "paragraphs"]
        else:
            assert merged < paragraphs - 0.05
            assert set(best) == {"fixed-small", "fixed-small-overlap"}

    def test_halved_and_repeated_chunks(self, data: int) -> None:
        found = parse_table(tables_in_article()[data])
        whole, halves, twice = (
            found[run] for run in ("fixed-large", "fixed-large-halved", "fixed-large-twice")
        )
        assert all(halves[measure] < whole[measure] for measure in IDS)
        assert all(halves[measure] >= whole[measure] for measure in TEXT)
        assert halves["MAep"] > whole["MAep"]
        assert round(whole["rec@10"] - halves["rec@10"], 2) == (0.10, 0.17)[data]
        assert all(twice[measure] > whole[measure] for measure in IDS if not measure.startswith("hit"))
        assert all(twice[measure] <= whole[measure] for measure in IDS if measure.startswith("hit"))
        assert all(twice[measure] <= whole[measure] for measure in TEXT)
        assert all(twice[measure] < whole[measure] for measure in ("MAep", "gr@2000"))
        assert (twice["rec@10"] > 1) is (data == 1)


def test_the_table_that_compares_with_another_package() -> None:
    base = RecallBase()
    base.add_topic("q", "by hand")
    for start, end, grade in ((10, 30, 2), (50, 60, 1)):
        base.add_span("q", "bees", Span(start, end, grade), "by hand")
    chunks = [(0, 40), (20, 60), (0, 100)]
    halves = [(0, 20), (20, 40), (20, 40), (40, 60), (0, 50), (50, 100)]
    twice = [chunk for chunk in chunks for _ in range(2)]
    rankings = [chunks, halves, twice, [(0, 100)], [(10, 30), (50, 60)]]
    rows = etree.parse(ARTICLE).findall(".//tbody/tr")
    for row, ranking in zip(rows, rankings, strict=True):
        run = run_of_chunks("r", {"q": [("bees", *span) for span in ranking]})
        measures = ["MAep", "gr(budget=tokens)@8"]
        found = xcg.evaluate(base, [run], {"bees": "word " * 20}, "spans", measures).means()
        printed = [float(cell.text or "") for cell in row[-2:]]
        assert printed == [round(mean.value, 3) for mean in found], row[0].text


def test_halved_chunks_never_score_lower_in_text(study: tuple[Path, str], script: Any) -> None:
    """Halves pay for less before a gain. If text is paid for as it is read, nothing changes."""
    target, _ = study
    runs = [target / "runs" / "fixed-large.jsonl", target / "controls" / "fixed-large-halved.jsonl"]
    as_read = [
        "MAep(charge=as_read)",
        "nxCG(budget=tokens,charge=as_read)@500",
        "gr(budget=tokens,charge=as_read)@2000",
    ]
    measures = [*script.MEASURES, *as_read]
    found = xcg.load(target / "config.yaml", runs=runs, measures=measures).evaluate()
    for number, measure in enumerate(found.measures):
        for topic in found.topics:
            whole, halves = (found.value(run, measure, topic) for run in found.runs)
            if number < len(script.MEASURES):
                assert halves >= whole - 1e-9
            else:
                assert halves == pytest.approx(whole, abs=1e-9)
