"""Runs that a recall-base defines: Table I of Kazai and Lalmas 2006, and round trips."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

import xcg
from xcg.errors import XcgError
from xcg.evaluation.ideals import RANKING_KINDS, ideal_run
from xcg.evaluation.inputs import Inputs

CONFIGURATION = "configs/kazai-lalmas-2006.yaml"
CAMPAIGN = ("--assessments", "assessments/kazai-lalmas-2006", "--corpus")
CAMPAIGN += ("corpora_samples/kazai-lalmas-2006",)
BODY = "/article[1]/bdy[1]"

# Table I as printed, in rank order; ranks 8 and 9 of frb are the article and its body.
TABLE_I = {
    "ideal": ["sec[6]", "sec[4]"],
    "reverse_ideal": ["sec[4]", "sec[6]"],
    "frb": [
        "sec[6]",
        "sec[4]/ip1[2]",
        "sec[4]/p[1]",
        "sec[6]/ip1[2]",
        "sec[6]/p[1]",
        "sec[6]/p[2]",
        "sec[4]",
        "/article[1]",
        BODY,
        "sec[4]/p[2]",
    ],
    "rel_leaves": [
        "sec[6]/ip1[2]",
        "sec[6]/p[1]",
        "sec[6]/p[2]",
        "sec[4]/ip1[2]",
        "sec[4]/p[1]",
        "sec[4]/p[2]",
    ],
}
# Some columns of Table II.
TABLE_II = {
    "ideal": {"nxCG@1": 1, "nxCG@2": 1, "MAep": 1, "Q": 1, "R": 1},
    "reverse_ideal": {"nxCG@1": 0.5, "nxCG@2": 1, "MAep": 0.75, "Q": 0.875, "R": 1},
    "frb": {"nxCG@1": 1, "nxCG@2": 1, "MAep": 1, "Q": 1, "R": 1},
    "rel_leaves": {"nxCG@1": 0.9, "nxCG@2": 2 / 3, "MAep": 1.9 / 3, "Q": 0.8751, "R": 0.857},
}


@pytest.mark.parametrize("with_corpus", [True, False])
def test_the_runs_of_table_i(root: Path, with_corpus: bool) -> None:
    corpus = root / "corpora_samples/kazai-lalmas-2006" if with_corpus else None
    inputs = Inputs(root / "assessments/kazai-lalmas-2006", corpus=corpus)
    for kind in RANKING_KINDS:
        run, _ = ideal_run(inputs, kind)
        printed = [path if path.startswith("/") else f"{BODY}/{path}" for path in TABLE_I[kind]]
        assert [path for _, path in run.rankings["163"]] == printed
        assert run.name == kind


@pytest.mark.parametrize("format_", ["inex", "trec", "jsonl"])
@pytest.mark.parametrize("kind", RANKING_KINDS)
def test_printed_runs_have_the_scores_of_table_ii(
    kind: str, format_: str, tmp_path: Path, xcg_command: Command
) -> None:
    file = tmp_path / "run"
    done = xcg_command("convert", *CAMPAIGN, "--as", kind, "--to", format_, "--output", file)
    assert done.returncode == 0, done.stderr
    assert ("note: lost in jsonl: the run's name" in done.stderr) == (format_ == "jsonl")
    measures = TABLE_II[kind]
    call = ("evaluate", CONFIGURATION, "--run", file, "--measures", " ".join(measures))
    found = json.loads(xcg_command(*call, "--format", "jsonl").stdout.splitlines()[0])
    assert found["run"] == ("run" if format_ == "jsonl" else kind)
    values = [json.loads(line) for line in xcg_command(*call, "--format", "jsonl").stdout.splitlines()]
    assert {line["measure"]: line["value"] for line in values} == pytest.approx(measures, abs=5e-4)


@pytest.mark.parametrize("model", ["kazai-lalmas-2006", "kazai-lalmas-2006-gen", "overlap-off"])
def test_the_ideal_run_of_all_topics_scores_1(model: str, tmp_path: Path, xcg_command: Command) -> None:
    file, config = tmp_path / "ideal.run", "configs/quickstart.yaml"
    campaign = ("--assessments", "assessments/handbook", "--corpus", "corpora_samples/handbook")
    options = ("--user-model", model, "--as", "ideal", "--to", "inex", "--output", file)
    done = xcg_command("convert", *campaign, *options)
    assert done.returncode == 0, done.stderr
    measures = ("--measures", "nxCG@1 nxCG@10 MAnxCG@100 iMAep MAep Q R")
    call = ("evaluate", config, "--user-model", model, "--run", file, *measures)
    lines = xcg_command(*call, "--format", "jsonl").stdout.splitlines()
    values = [json.loads(line)["value"] for line in lines]
    assert len(values) == 7
    assert values == pytest.approx([1.0] * 7, abs=1e-12)


def test_whole_documents_stay_whole_documents(tmp_path: Path, xcg_command: Command) -> None:
    qrels, run = tmp_path / "a.qrels", tmp_path / "ideal.jsonl"
    qrels.write_text("1 0 d1 1\n1 0 d2 2\n1 0 d3 0\n")
    done = xcg_command("convert", "--assessments", qrels, "--as", "ideal", "--to", "trec")
    assert done.stdout == "1 Q0 d2 1 2 ideal\n1 Q0 d1 2 1 ideal\n"
    xcg_command(*("convert", "--assessments", qrels, "--as", "ideal", "--to", "jsonl", "--output", run))
    results = xcg.evaluate(qrels, run, measures="nDCG AP")
    assert results.value("ideal", "nDCG") == results.value("ideal", "AP") == 1


def test_gold_spans_become_passages() -> None:
    corpus, base = {"d": "aaaa bbbb cccc"}, {"1": {"d": [(10, 14), (0, 4)]}}
    inputs = Inputs(base, corpus=corpus, user_model="spans")
    run, _ = ideal_run(inputs, "ideal")
    assert run.to_text("trec")[0] == "1 Q0 d 1 2 ideal 0 4\n1 Q0 d 2 1 ideal 10 4\n"
    with pytest.raises(XcgError, match="rel_leaves consists of elements, but the user model spans"):
        ideal_run(inputs, "rel_leaves")


def test_the_full_recall_base_includes_relevant_elements_that_score_0() -> None:
    base = {"1": {"d": {"/a": (3, 1), "/a/s[1]": (3, 3), "/a/s[2]": (1, 1), "/a/s[3]": (0, 0)}}}
    inputs = Inputs(base, user_model="kazai-lalmas-2006-strict")
    paths = {kind: [p for _, p in ideal_run(inputs, kind)[0].rankings["1"]] for kind in RANKING_KINDS}
    assert paths["ideal"] == ["/a[1]/s[1]"]
    assert paths["frb"] == ["/a[1]/s[1]", "/a[1]", "/a[1]/s[2]"]
    assert paths["rel_leaves"] == ["/a[1]/s[1]", "/a[1]/s[2]"]


def test_positions_are_numbers_in_the_order_of_equal_scores() -> None:
    base = {"1": {"d": {f"/a/p[{n}]": (2, 2) for n in (10, 9, 2)}}}
    run, _ = ideal_run(Inputs(base))
    assert [path for _, path in run.rankings["1"]] == ["/a[1]/p[2]", "/a[1]/p[9]", "/a[1]/p[10]"]


def test_topics_without_such_elements_are_left_out_with_a_note() -> None:
    base = {"1": {"d": {"/a": (3, 3)}}, "2": {"d": {"/a": (1, 1)}}}
    inputs = Inputs(base, user_model="kazai-lalmas-2006-strict")
    run, notes = ideal_run(inputs)
    assert list(run.rankings) == ["1"]
    assert notes.notes == ["kazai-lalmas-2006-strict: topic 2 has no ideal element"]
    assert list(ideal_run(inputs, "frb")[0].rankings) == ["1", "2"]


def test_one_user_model_at_a_time() -> None:
    with pytest.raises(XcgError, match=r"several user models \(levels, spans\): expected one"):
        ideal_run(Inputs({"1": {"d": 1}}, user_model=["levels", "spans"]))
