"""Levels that are real numbers, in every form in which levels are read and written."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy
import pytest
from conftest import Command
from format_examples import write
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.errors import InputError, XcgError
from xcg.evaluation.conversion import convert_assessments
from xcg.formats.base import read_assessments
from xcg.judgements.recall_base import RecallBase

LEVELS = st.floats(-1000, 1000)


def stored(base: RecallBase) -> dict[str, float]:
    """Return document → level of topic 1."""
    return {file: elements["/"].exhaustivity for file, elements in base.files("1").items()}


@given(level=LEVELS, format=st.sampled_from(["trec", "jsonl"]))
def test_every_level_survives_writing_and_reading(tmp_path: Path, level: float, format: str) -> None:
    base = RecallBase.of({"1": {"d": level, "e": 2}})
    text, lost = base.to_text(format)
    assert not lost
    assert stored(read_assessments(write(tmp_path, text, "q"))) == {"d": level, "e": 2}


@given(level=st.floats(0, 1000, exclude_min=True))
def test_every_level_of_a_passage_survives(tmp_path: Path, level: float) -> None:
    text, lost = RecallBase.of({"1": {"d": [(0, 5, level), (7, 9)]}}).to_text("jsonl")
    assert not lost
    assert read_assessments(write(tmp_path, text, "q")).spans("1")["d"] == [(0, 5, level), (7, 9, 2)]


def test_levels_are_written_as_short_as_possible(tmp_path: Path) -> None:
    spelled = "1 0 a 1.50\n1 0 b 2.0\n1 0 c -0.0\n1 0 d +.5\n1 0 e 1e-7\n1 0 f -1.25E1\n1 0 g 3\n"
    base = read_assessments(write(tmp_path, spelled, "q"))
    assert base.to_text("trec")[0].split()[3::4] == ["1.5", "2", "0", "0.5", "1e-07", "-12.5", "3"]
    lines = base.to_text("jsonl")[0].splitlines()
    assert lines[0].endswith('"level": 1.5}')
    assert lines[1].endswith('"level": 2}')
    passages = RecallBase.of({"1": {"d": [(0, 4, 1.5), (5, 7, 1), (8, 9, 3)]}}).to_text("jsonl")[0]
    assert [line.rpartition(', "')[2] for line in passages.splitlines()] == [
        'level": 1.5}',
        'exhaustivity": 1}',
        'level": 3}',
    ]


def test_passages_keep_their_levels_as_elements() -> None:
    base = RecallBase.of({"1": {"d": [(0, 5, 1.5)]}})
    corpus = xcg.Corpus.of({"d": "<a><p>01234</p><p>56789</p></a>"})
    assert convert_assessments(base, "trec", corpus)[0] == "1 0 d#/a[1] 1.5\n1 0 d#/a[1]/p[1] 1.5\n"
    with pytest.raises(XcgError, match=r"the passages have the level 1\.5, but exhaustivity"):
        convert_assessments(base, "inex2005", corpus)


def test_passages_with_real_levels_are_scored_by_level() -> None:
    """xI = 1.5, 1; the run reads the second passage, then half of the first."""
    base = {"1": {"d": [(0, 10, 1.5), (20, 30, 1)]}}
    documents = {"d": "x" * 40}
    run = {"r": {"1": ["d#20:10", "d#0:5"]}}
    found = xcg.evaluate(base, run, documents, measures="xCG@1 xCG@2 nxCG@2")
    assert found.user_models == ["spans-levels"]
    assert [row.value for row in found.means()] == pytest.approx([1, 1.75, 0.7])
    with pytest.raises(InputError, match="exhaustivity is 0, 1 or 2 on the scale of INEX 2005"):
        xcg.evaluate(base, run, documents, "spans")


# Scheel, Lommatzsch & Albayrak 2011, below equation 4: the levels 0, 0.3 and 1. In the order 0.3, 1, 0,
# AP is 1 for t = 0.3 and 1/2 for t = 1; μAP = 0.3 · 1 + 0.7 · 1/2.
RUN = {"r": {"1": ["a", "b", "c"]}}


@pytest.mark.parametrize(
    "ratings",
    [
        {"a": 0.3, "b": 1, "c": 0},
        {"a": numpy.float64(0.3), "b": numpy.int64(1), "c": numpy.float32(0)},
    ],
)
def test_measures_of_gains_take_real_levels(ratings: dict[str, Any]) -> None:
    measures = "muAP xAP(threshold=0.3) xAP(threshold=1) xCG@1 NDCNG"
    found = xcg.evaluate({"1": ratings}, RUN, measures=measures)
    ndcng = ((2**0.3 - 1) + 1 / math.log2(3)) / (1 + (2**0.3 - 1) / math.log2(3))
    assert [row.value for row in found.means()] == pytest.approx([0.65, 1, 0.5, 0.3, ndcng])


@pytest.mark.parametrize("level", [1000.5, math.nan, math.inf, -(10**400)])
def test_illegal_levels_in_dicts_are_errors(level: float) -> None:
    with pytest.raises(InputError, match=r"illegal level .*: expected a number from -1000 to 1000"):
        RecallBase.of({"1": {"d": level}})
    with pytest.raises(InputError, match="illegal level"):
        RecallBase.of({"1": {"d": [(0, 5, level)]}})
    with pytest.raises(InputError, match="illegal passage"):
        RecallBase.of({"1": {"d": [(0, 5.0)]}})


def test_a_mapping_of_gains_needs_exact_levels() -> None:
    model = {"name": "m", "quantisation": {"gains": {0.3: 1, 1: 10}}}
    ratings = {"1": {"a": 0.3, "b": 1, "c": 0}}
    assert xcg.evaluate(ratings, RUN, None, model, "xCG@2").value("r", "xCG@2") == 11
    with pytest.raises(XcgError, match=r"no gain for the level 0.31: the mapping has 0.3, 1; expected"):
        xcg.evaluate({"1": {"a": 0.31}}, RUN, None, model)


def test_data_frames_and_ir_measures_take_real_levels() -> None:
    pandas = pytest.importorskip("pandas")
    ir_measures = pytest.importorskip("ir_measures")
    from xcg.integrations.ir_measures import muAP
    from xcg.integrations.pandas import qrels_from_frame

    rows = [("1", "a", 0.3), ("1", "b", 1.0), ("1", "c", 0.0)]
    frame = pandas.DataFrame(rows, columns=["qid", "docno", "label"])
    assert qrels_from_frame(frame) == {"1": {"a": 0.3, "b": 1, "c": 0}}
    qrels = [ir_measures.Qrel(*row, "0") for row in rows]
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    assert ir_measures.calc_aggregate([muAP], qrels, run)[muAP] == pytest.approx(0.65)


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "P@1", "NumRel", "infAP"])
def test_standard_measures_refuse_levels_that_are_not_whole(
    xcg_command: Command, tmp_path: Path, measure: str
) -> None:
    """trec_eval would read 1.5 as 1, and ir_measures fails; neither is the measure of the levels."""
    qrels = write(tmp_path, "1 0 a 1\n1 0 b 1.5\n", "q")
    run = write(tmp_path, "1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n", "r")
    done = xcg_command("evaluate", "--assessments", qrels, "--run", run, "--measures", measure)
    assert done.returncode == 2
    assert done.stderr == (
        f"xcg: error: {qrels}: topic 1, b: standard measures such as AP and nDCG need whole levels of "
        "relevance, but the level is 1.5; expected measures of gains such as xAP, muAP and nxDCG\n"
    )
    rated = xcg_command("evaluate", "--assessments", qrels, "--run", run, "--measures", "muAP xCG@2")
    # AP is 1 for t = 1 and 1/2 for t = 1.5, and the levels have the distances 1 and 0.5.
    assert rated.returncode == 0
    assert "0.8333" in rated.stdout
    assert "2.5000" in rated.stdout


def test_levels_of_elements_that_are_not_whole_are_refused_too() -> None:
    with pytest.raises(InputError, match=r"topic 1, d#/a\[1\]: standard measures"):
        xcg.evaluate({"1": {"d": {"/a": 0.5}}}, {"r": {"1": ["d#/a"]}}, measures="AP")
