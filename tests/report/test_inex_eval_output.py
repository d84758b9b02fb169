"""The official evaluator's output is a report of the same campaign as every other result."""

from __future__ import annotations

from pathlib import Path

import pytest

import xcg
from xcg.errors import InputError, XcgError
from xcg.evaluation.inputs import Inputs
from xcg.report.inex_eval import inex_eval_output, inex_eval_scores

GOLD = {"1": {"d": [(0, 4)], "e": []}, "2": {"d": [(4, 6)]}}
CORPUS = {"d": "<a><p>1234</p><p>56</p></a>", "e": "<a>789</a>"}


def run_file(folder: Path, *lines: str) -> Path:
    path = folder / "run"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_scores_are_those_of_evaluate() -> None:
    runs = {"r": {"1": ["d#/a", "e"], "2": ["d#/a/p[2]"]}, "s": {"1": ["e", "d#/a/p[1]"]}}
    found = inex_eval_scores(Inputs(GOLD, runs, CORPUS))
    measures = {"AiP": "AiP", "iP[0.01]": "iP@0.01", "gP[2]": "gP@2", "gR[2]": "gR@2", "AgP": "AgP"}
    results = xcg.evaluate(GOLD, runs, CORPUS, "inex-2005", list(measures.values()))
    for scores in found:
        for topic in ("1", "2", "all"):
            for name, measure in measures.items():
                expected = results.value(scores.run, measure, topic)
                assert scores.topics[topic][name] == pytest.approx(expected), (name, topic)


def test_a_passage_beyond_the_end_of_its_document_is_refused_or_counted(tmp_path: Path) -> None:
    run = run_file(tmp_path, "1 Q0 d 1 2 r 0 4", "1 Q0 d 2 1 r 4 99", "2 Q0 d 1 1 r 4 2")
    for evaluation in (
        lambda lenient: inex_eval_scores(Inputs(GOLD, run, CORPUS, lenient=lenient)),
        lambda lenient: xcg.evaluate(GOLD, run, CORPUS, measures="AiP", lenient=lenient),
    ):
        with pytest.raises(InputError, match="topic 1, rank 2, d: no characters 4–103"):
            evaluation(False)
        (warning, *_) = evaluation(True).notes
        assert warning.startswith("warning: results with unknown paths: 1 time")
    (scores,) = inex_eval_scores(Inputs(GOLD, run, CORPUS, lenient=True))
    assert scores.topics["1"]["ret_size"] == 4 + 99  # as stated


def test_unanswered_topics_count_zero_or_are_skipped() -> None:
    runs = {"r": {"1": ["d#/a/p[1]"]}}
    (zero,) = inex_eval_scores(Inputs(GOLD, runs, CORPUS))
    (skipped,) = inex_eval_scores(Inputs(GOLD, runs, CORPUS, unanswered="skip"))
    assert (zero.topics["all"]["AiP"], skipped.topics["all"]["AiP"]) == (0.5, 1.0)
    assert list(skipped.topics) == ["1", "all"]


def test_offsets_need_no_documents(tmp_path: Path) -> None:
    run = run_file(tmp_path, "1 Q0 d 1 2 r 0 4", "2 Q0 d 1 1 r 4 2")
    without, within = Inputs(GOLD, run), Inputs(GOLD, run, CORPUS)
    assert inex_eval_output(inex_eval_scores(without)) == inex_eval_output(inex_eval_scores(within))
    assert list(xcg.evaluate(GOLD, run, measures="AiP charP")) == list(
        xcg.evaluate(GOLD, run, CORPUS, measures="AiP charP")
    )
    with pytest.raises(XcgError, match="the result is named by its path"):
        inex_eval_scores(Inputs(GOLD, {"r": {"1": ["d#/a"]}}))
    with pytest.raises(XcgError, match="no highlighted passages"):
        inex_eval_scores(Inputs({"1": {"d": 1}}, {"r": {"1": ["d"]}}))


def test_a_run_without_results_is_noted_if_unanswered_topics_are_skipped() -> None:
    runs = {"r": {"1": ["d#/a"]}, "idle": {"9": ["d#/a"]}}
    found = inex_eval_scores(Inputs(GOLD, runs, CORPUS, unanswered="skip"))
    assert [scores.run for scores in found] == ["r"]
    assert "note: run idle has no topic to average over" in found.notes
