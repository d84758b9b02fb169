"""Measures of highlighted text: worked numbers, the transcription, and whole campaigns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import reference_lineage as oracle
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.errors import XcgError
from xcg.formats.base import read_assessments
from xcg.judgements.recall_base import RecallBase, Span
from xcg.measures.highlighted import (
    RECALL_POINTS,
    f_measure,
    hixeval,
    interpolated_precision,
    precision_and_recall,
)
from xcg.measures.in_context import article_scores, entry_point_scores, tolerance_scores
from xcg.measures.rankings import HighlightedRanking, RelevantText


def test_the_stated_relevant_size_counts_and_overlapping_passages_count_twice() -> None:
    """Characters 10 to 30 and 20 to 40 are 40 relevant characters, 10 of them twice."""
    passages = {"d": [(10, 30), (20, 40), (50, 50)], "e": [(0, 10)]}
    ranking = HighlightedRanking([("d", 0, 30), ("d", 0, 45)], passages)
    assert ranking.relevant_in == {"d": 40, "e": 10}
    assert ranking.amounts("always") == [(30, 30), (45, 40)]
    assert ranking.amounts("official") == [(30, 30), (15, 10)]
    stated = replace(ranking, stated_sizes={"d": 100, "e": 0, "f": 60})
    assert stated.relevant_in == {"d": 100, "f": 60}
    assert precision_and_recall(stated, 2) == (40 / 45, 40 / 160)
    # A document whose stated size is 0 is not relevant, so that its text counts each time, and its
    # passages count only for the reader with a tolerance.
    twice = replace(stated, results=[("e", 5, 15), ("e", 5, 15)], entry_points={"e": 5})
    assert twice.amounts("official") == twice.amounts("always") == [(10, 0), (10, 0)]
    assert twice.amounts("once") == [(10, 0), (0, 0)]
    assert precision_and_recall(twice, 2) == (0, 0)
    assert article_scores(twice, 1) == entry_point_scores(twice, 500) == [(0, False)]
    assert tolerance_scores(replace(twice, length=lambda _: 99), 20) == [(10 / 30, False)]
    # Recall 30/20 and 40/20: ranks with a recall of 1.01 and more do not count.
    small = replace(ranking, stated_sizes={"d": 20, "e": 0})
    assert interpolated_precision(small, [0, 1]) == [0, 0]
    assert interpolated_precision(replace(small, results=[("d", 0, 20), *small.results]), [0.5]) == [
        0.5
    ]


def test_recall_points_are_exact() -> None:
    """Recall is 29/100, which inex_eval's floating-point numbers miss: 0.29 * 100 is below 29."""
    ranking = HighlightedRanking([("d", 0, 29)], {"d": [(0, 100)]})
    assert interpolated_precision(ranking, [0.29, 0.291]) == [1, 0]
    huge = 10**15
    ranking = HighlightedRanking(
        [("d", 0, 29 * huge - 1), ("d", 0, 29 * huge)], {"d": [(0, 100 * huge)]}
    )
    assert ranking.amounts("official") == [(29 * huge - 1, 29 * huge - 1), (1, 1)]
    assert interpolated_precision(ranking, [0.28, 0.29, 0.3]) == [1, 1, 0]


def tolerance_score(results: list[tuple[int, int]], irrelevant: int, **fields: Any) -> float:
    ranking = HighlightedRanking(
        [("d", start, end) for start, end in results],
        **{"highlighted": {"d": [(100, 150), (400, 500)]}, "length": lambda _: 1000, **fields},
    )
    ((score, relevant),) = tolerance_scores(ranking, irrelevant)
    assert relevant
    return score


def test_the_reader_with_a_tolerance_in_corner_cases() -> None:
    assert tolerance_score([(120, 120)], 101) == 50 / (50 + 101)  # an empty result: all is the rest
    assert tolerance_score([(-18, 0)], 100) == 0
    assert tolerance_score([(-18, 0)], 101) == 50 / (50 + 101)  # an unknown offset: nothing to read
    # 30 relevant characters in the result, 100 irrelevant, 20 relevant, 250 irrelevant ones in the rest
    assert tolerance_score([(-18, 0), (120, 150), (-18, 0)], 101) == 50 / (50 + 101)
    assert tolerance_score([(120, 150)], 0) == 0
    assert tolerance_score([(120, 200)], 10, stated_sizes={"d": 3}) == 30 / 40
    # Unlike elsewhere, text in two passages counts once.
    assert tolerance_score([(100, 150)], 5, highlighted={"d": [(100, 150), (140, 150)]}) == 50 / 55
    ranking = HighlightedRanking([("d", 0, 10), ("e", 0, 10)], {"d": [(0, 5)], "e": []})
    with pytest.raises(XcgError, match="needs the length of the document d: expected offset qrels"):
        tolerance_scores(ranking, 300)
    only_irrelevant = replace(ranking, results=[("e", 0, 10), ("f", 0, 10)])
    assert tolerance_scores(only_irrelevant, 300) == [(0, False), (0, False)]


def test_offsets_of_any_size_need_little_memory() -> None:
    far = 10**15
    ranking = HighlightedRanking(
        [("d", 0, far), ("d", far - 10, 2 * far)],
        {"d": [(far - 20, far + 20)]},
        length=lambda _: 3 * far,
    )
    assert [relevant for _, relevant in ranking.amounts("official")] == [20, 20]
    assert tolerance_scores(ranking, 2 * far) == [(40 / (40 + 2 * far), True)]
    assert precision_and_recall(ranking, 2, limit=far + 5) == (25 / (far + 5), 25 / 40)


SPANS = st.tuples(st.sampled_from("de"), st.integers(0, 25), st.integers(1, 15)).map(
    lambda s: (s[0], s[1], s[1] + s[2])
)


@given(
    st.lists(SPANS, max_size=6),
    st.lists(SPANS, min_size=1, max_size=4),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.integers(1, 7),
)
def test_highlighted_text_agrees_with_the_transcription_of_the_formulas(
    results: list[tuple[str, int, int]], marked: list[tuple[str, int, int]], alpha: float, rank: int
) -> None:
    positions: dict[str, set[int]] = {}
    for document, start, end in marked:
        positions.setdefault(document, set()).update(range(start, end))
    # The transcription knows which characters are relevant, but not how often.
    disjoint = {document: _passages(found) for document, found in positions.items()}
    ranking = HighlightedRanking(results, disjoint)
    assert hixeval(ranking, rank, alpha, 1.0) == pytest.approx(
        oracle.hixeval(results, positions, rank, alpha)
    )
    # In documents without relevant text, inex_eval counts repeated text each time.
    relevant = [result for result in results if result[0] in positions]
    assert interpolated_precision(HighlightedRanking(relevant, disjoint), RECALL_POINTS) == (
        pytest.approx(oracle.ip_points(relevant, positions))
    )


def _passages(positions: set[int]) -> list[tuple[int, int]]:
    return [(position, position + 1) for position in sorted(positions)]


@given(
    st.lists(st.tuples(st.integers(0, 25), st.integers(0, 15)), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(0, 25), st.integers(0, 15)), min_size=1, max_size=4),
    st.integers(1, 50),
)
def test_the_reader_with_a_tolerance_reads_character_by_character(
    results: list[tuple[int, int]], passages: list[tuple[int, int]], tolerance: int
) -> None:
    spans = [(start, start + size) for start, size in results]
    marked = [(start, start + size) for start, size in passages]
    found = HighlightedRanking(
        [("d", *span) for span in spans], {"d": marked}, stated_sizes={"d": 1}, length=lambda _: 45
    )
    returned = sorted({offset for span in spans for offset in range(*span)})
    rest = [offset for offset in range(45) if offset not in returned]
    relevant = irrelevant = 0
    for offset in returned + rest:
        is_relevant = any(start <= offset < end for start, end in marked)
        relevant += is_relevant
        irrelevant += not is_relevant
        if irrelevant == tolerance:
            break
    score = relevant / (relevant + irrelevant) if relevant else 0.0
    assert tolerance_scores(found, tolerance) == [(score, True)]


DOCUMENTS = {
    # characters 0-9, 10-19, 20-29
    "d": "<a><p>0123456789</p><p>0123456789</p><p>0123456789</p></a>",
    "e": "<a><p>0123456789</p></a>",
}
QRELS = "1 Q0 d 15 30 12 10:15\n1 Q0 e 0 10\n2 Q0 e 4 10 3 3:4\n"


def base(tmp_path: Path) -> RecallBase:
    path = tmp_path / "qrels"
    path.write_text(QRELS)
    return read_assessments(path)


def test_all_forms_of_results_that_name_the_same_text_have_the_same_values(tmp_path: Path) -> None:
    xml = """<inex-submission run-id="r"><topic topic-id="1">
    <result><file>d</file>{}</result></topic></inex-submission>"""
    forms = [
        xml.format("<path>/a/p[2]</path>"),
        xml.format('<fol offset="10" length="10"/>'),
        xml.format('<passage start="/a/p[2]" end="/a/p[2]/text()[1].10"/>'),
        "1 Q0 d 1 1 r 10 10\n",
        '{"topic": 1, "doc": "d", "start": 10, "end": 20}\n',
    ]
    values = []
    for number, text in enumerate(forms):
        path = tmp_path / str(number) / "r"
        path.parent.mkdir()
        path.write_text(text)
        measures = "charP@1 charR@1 hixF@1 iP@0.5 AiP gP@1 AgP BiC BEPD(L=100)"
        found = xcg.evaluate(base(tmp_path), path, DOCUMENTS, None, measures)
        values.append([(row.measure, row.topic, row.value) for row in found])
    assert all(one == values[0] for one in values)
    named = {(measure, topic): value for measure, topic, value in values[0]}
    assert named["charP@1", "1"] == 1
    assert named["charR@1", "1"] == pytest.approx(10 / 15)
    assert named["hixF@1", "1"] == pytest.approx(0.8)
    assert named["iP@0.5", "1"] == 1
    assert named["AiP", "1"] == pytest.approx(67 / 101)  # recall 0 … .66
    f = f_measure(1, 10 / 15, 0.25)
    assert named["gP@1", "1"] == named["AgP", "1"] == pytest.approx(f)
    # the best entry point is character 12, the result begins at 10
    assert named["BiC", "1"] == (500 - 2) / 500
    assert named["BEPD(L=100)", "1"] == 10 / 12
    # topic 2 is not answered
    assert named["AgP", "all"] == pytest.approx(f / 2)


def test_parameters_limit_what_is_read(tmp_path: Path) -> None:
    run = {"r": {"1": ["d#/a", "e#/a"], "2": ["e#/a/p"]}}
    names = (
        "AgP(beta=1) AgP(beta=1,limit=20) AgP(beta=1,t2i=10) AgP(t2i=11) charP(limit=20)@1 gR@1 BEPD"
    )
    found = xcg.evaluate(base(tmp_path), run, DOCUMENTS, None, names)
    by = {row.measure: row.value for row in found if row.topic == "1"}
    assert by["AgP(beta=1)"] == pytest.approx(f_measure(0.5, 1, 1))
    assert by["AgP(beta=1,limit=20)"] == pytest.approx(f_measure(10 / 20, 10 / 15, 1))
    # Ten irrelevant characters come first: nothing relevant is read.
    assert by["AgP(beta=1,t2i=10)"] == 0
    assert by["AgP(t2i=11)"] == 15 / (15 + 11)
    assert by["charP(limit=20)@1"] == 0.5
    assert by["gR@1"] == 1
    # mean length 20, A .1; the result begins 12 before the best entry point
    assert by["BEPD"] == pytest.approx(2 / (2 + 12))


def test_missing_highlights_entry_points_and_documents_are_errors(tmp_path: Path) -> None:
    run = {"r": {"1": ["d#/a"]}}
    elements = {"1": {"d": {"/a": (3, 3)}}}
    with pytest.raises(XcgError, match="run r, topic 1: AiP: needs highlighted passages: offset qrels"):
        xcg.evaluate(elements, run, DOCUMENTS, None, "AiP")
    passages = RecallBase()
    passages.add_topic("1", "here")
    passages.add_span("1", "d", Span(0, 10), "here")
    with pytest.raises(XcgError, match=r"BiC: needs best entry points"):
        xcg.evaluate(passages, run, DOCUMENTS, None, "BiC")
    with pytest.raises(XcgError, match="expected a corpus"):
        xcg.evaluate(passages, run, None, None, "AiP")
    with pytest.raises(XcgError, match=r"iP@1\.5: expected a recall point from 0 to 1"):
        xcg.evaluate(passages, run, DOCUMENTS, None, "iP@1.5")
    assert xcg.evaluate(passages, run, DOCUMENTS, None, "iP@0").value("r", "iP@0") == pytest.approx(
        1 / 3
    )


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), max_size=14),
    st.integers(-5, 40),
    st.integers(0, 30),
)
def test_relevant_text_is_counted_as_character_by_character(
    found: list[tuple[int, int]], start: int, length: int
) -> None:
    passages = [(first, first + size) for first, size in found]
    text = RelevantText(passages)
    depths = [
        sum(first <= character < last for first, last in passages)
        for character in range(start, start + length)
    ]
    assert text.count(start, start + length) == sum(depths)
    stretches = list(text.stretches(start, start + length))
    assert [depth for size, depth in stretches for _ in range(size)] == depths
