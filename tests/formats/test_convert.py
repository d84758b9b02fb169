"""Round trips between the forms, and what each of them cannot hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT, Command
from hypothesis import HealthCheck, given, settings
from strategies import RandomCampaign, campaigns

from xcg.errors import XcgError
from xcg.formats.base import read_assessments, read_run
from xcg.judgements.recall_base import ASSESSMENT_FORMATS, Assessment, RecallBase, Span
from xcg.runs.run import RUN_FORMATS, Ranking, Run

ROUND_TRIPS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def again(folder: Path, text: str) -> RecallBase:
    path = folder / "converted"
    path.write_text(text, encoding="utf-8")
    return read_assessments(path)


def content(base: RecallBase) -> object:
    return {t: (dict(base.files(t)), dict(base.spans(t))) for t in base.topics}


@ROUND_TRIPS
@given(campaigns())
@pytest.mark.parametrize("form", ["inex2004", "jsonl"])
def test_elements_come_back(tmp_path: Path, form: str, campaign: RandomCampaign) -> None:
    base = RecallBase.of({"1": campaign.assessments})
    text, lost = base.to_text(form)
    if not len(base) and form == "jsonl":
        assert lost == ["topics without any assessed document"]
        return
    assert content(again(tmp_path, text)) == content(base)
    assert lost == []


def test_shares_come_back(tmp_path: Path) -> None:
    base = RecallBase()
    base.add("1", "d", "/a[1]", Assessment(2.0, 30 / 70, 70, "share"), "")
    base.add("1", "d", "/a[1]/b[1]", Assessment(0.0, 1.0, 3, "share"), "")
    text, lost = base.to_text("inex2005")
    assert content(again(tmp_path, text)) == content(base)
    assert lost == []


@pytest.mark.parametrize("form", ["offsets", "jsonl"])
def test_passages_come_back(tmp_path: Path, form: str) -> None:
    base = RecallBase()
    for span in (Span(1205, 4636), Span(4643, 5363)):
        base.add_span("1", "d", span, "")
    base.add_span("2", "e", Span(0, 5), "")
    text, lost = base.to_text(form)
    assert content(again(tmp_path, text)) == content(base)
    assert all("lengths" in what for what in lost)


@ROUND_TRIPS
@given(campaigns())
@pytest.mark.parametrize("form", list(RUN_FORMATS))
def test_runs_come_back(tmp_path: Path, form: str, campaign: RandomCampaign) -> None:
    if not campaign.ranking:
        return
    files, paths = zip(*campaign.ranking, strict=True)
    passages = Ranking(["d0", "d1", "d0"], ["", "/s[1]", ""], {0: (3, 9), 2: (0, 1)})
    run = Run("converted", {"1": Ranking(files, paths), "b": passages})
    path = tmp_path / "converted.x"
    path.write_text(run.to_text(form)[0], encoding="utf-8")
    back = read_run(path)
    assert (back.name, back.rankings) == (run.name, run.rankings)


def test_what_a_form_cannot_hold() -> None:
    two = RecallBase.of({"1": {"d": {"/a": (1, 1)}}, "2": {"d": {"/a": (1, 1)}}})
    spans = RecallBase()
    spans.add_span("1", "d", Span(0, 5, 1.0), "")
    spans.add_span("1", "e", None, "")
    coverage = RecallBase.of({"1": {"d": {"/a": Assessment(3.0, "E", 9, "coverage")}}})
    sized = RecallBase.of({"1": {"d": {"/a": Assessment(3.0, 1.0, 9)}}})
    for base, form, message in (
        (two, "inex2004", "holds one topic per file, but the topics are: 1, 2"),
        (spans, "inex2004", "the assessments are passages"),
        (two, "offsets", "the assessments are of elements"),
        (coverage, "inex2004", r"is on the coverage scale"),
        (coverage, "jsonl", r"is on the coverage scale"),
        (sized, "inex2005", r"is on the four-point scale"),
        (two, "inex2003", "did you mean 'inex20"),
    ):
        with pytest.raises(XcgError, match=message):
            base.to_text(form)
    for base, form, what in (
        (spans, "offsets", "exhaustivity"),
        (spans, "jsonl", "assessed documents without relevant text"),
        (sized, "inex2004", "the sizes of elements"),
        (sized, "jsonl", "the sizes of elements"),
    ):
        assert what in base.to_text(form)[1]
    with pytest.raises(XcgError, match="names no element"):
        Run("r", {"1": Ranking(["d"], [""])}).to_text("trec")
    assert set(ASSESSMENT_FORMATS) == {"inex2004", "inex2005", "offsets", "trec", "jsonl"}


def test_the_command(xcg_command: Command, tmp_path: Path) -> None:
    run = ROOT / "corpora_samples/kazai-lalmas-2006-runs/2-frb.xml"
    target = tmp_path / "frb.txt"
    done = xcg_command("convert", "--run", run, "--to", "trec", "--output", target)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert target.read_text().startswith("163 Q0 co/2001/r7022#/article[1]/bdy[1]/sec[6] 1 10 frb\n")
    config = "configs/kazai-lalmas-2006.yaml"
    figures = [
        xcg_command("evaluate", config, "--run", path, "--format", "csv").stdout
        for path in (run, target)
    ]
    assert figures[0] == figures[1]
    assert (
        "lost in jsonl: the run's name" in xcg_command("convert", "--run", run, "--to", "jsonl").stderr
    )
    assert xcg_command("convert", "--to", "trec").returncode == 2
    assert xcg_command("convert", "--run", run, "--to", "tre").returncode == 2
