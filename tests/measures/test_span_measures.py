"""Standard measures on gold spans, and SpanRecall, SpanPrecision, SpanF and SpanIoU."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from span_examples import Chunk, GoldSpan, chunk_run, recall_base, span_cases

import xcg
import xcg.testing
from xcg.documents.paths import WHOLE
from xcg.documents.text_units import CharacterConverter
from xcg.errors import InputError, XcgError
from xcg.evaluation.curves import curves
from xcg.evaluation.inputs import Inputs
from xcg.judgements.assessment import level_assessment
from xcg.measures import rankings
from xcg.measures.rankings import SpanRanking

# By hand: A, C and B are 20 characters of d each, A and C share five; D is e 0–10.
GOLD: list[GoldSpan] = [("d", 10, 30, 1.0), ("d", 25, 45, 1.0), ("d", 90, 110, 2.0), ("e", 0, 10, 3.0)]
# Finds A and C (15 of 20 characters); nothing new; nothing; half of B.
RUN: list[Chunk] = [("d", 0, 40), ("d", 0, 40), ("e", 100, 150), ("d", 85, 100)]
DOCUMENTS = {"d": f"<t>{'word ' * 30}</t>", "e": f"<t>{'word ' * 30}</t>"}


def score(measure: str, gold: Sequence[GoldSpan] = GOLD, run: Sequence[Chunk] = RUN) -> float:
    """Return the score of a run for one topic."""
    return xcg.evaluate(recall_base(gold), chunk_run("r", run), DOCUMENTS, None, measure).value(
        "r", measure
    )


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        # 65 gold characters: d 10–45 and 90–110, e 0–10. Found: 30 at rank 1, and 10 at rank 4.
        ("SpanRecall@1", 30 / 65),
        ("SpanRecall", 40 / 65),
        ("SpanPrecision@1", 30 / 40),
        ("SpanPrecision@2", 30 / 80),
        ("SpanPrecision@9", 40 / 145),
        ("SpanF@1", 2 * (30 / 40) * (30 / 65) / (30 / 40 + 30 / 65)),
        ("SpanF(beta=2)@1", 5 * (30 / 40) * (30 / 65) / (4 * 30 / 40 + 30 / 65)),
        ("SpanIoU@1", 30 / (40 + 65 - 30)),
        ("SpanIoU@2", 30 / (80 + 65 - 30)),
        ("SpanIoU", 40 / (145 + 65 - 40)),
        ("SpanRecall(budget=characters)@20", 10 / 65),
        ("SpanPrecision(budget=characters)@60", 30 / 60),
        ("SpanPrecision(budget=characters)@999", 40 / 145),
        ("SpanRecall(budget=tokens)@4", 10 / 65),  # a token is five characters
        ("SpanPrecision(budget=words)@28", 35 / 140),  # the last result is read up to d 95
        ("SpanIoU(budget=tokens)@9", 30 / (45 + 65 - 30)),
    ],
)
def test_measures_in_characters_by_hand(measure: str, value: float) -> None:
    assert score(measure) == pytest.approx(value, abs=1e-12)


MEASURES = (
    "Success@2 RR P@3 R@2 AP nDCG nDCG@2 AP(overlap=1) R(overlap=0.1)@3 "
    "SpanRecall@2 SpanRecall SpanPrecision@2 SpanPrecision SpanF SpanIoU@2 SpanIoU "
    "SpanRecall(budget=characters)@7 SpanPrecision(budget=characters)@7 SpanIoU(budget=characters)@7"
)


def reference(measure: str, gold: Sequence[GoldSpan], run: Sequence[Chunk]) -> float:
    """Compute a measure from sets of characters, one character at a time."""
    name, _, cutoff = measure.partition("@")
    name, _, parameters = name.partition("(")
    value = parameters.rstrip(")").partition("=")[2]
    depth = int(cutoff or 1000)
    if name.startswith("Span"):
        read = [(d, i) for d, start, end in run for i in range(start, end)]
        first = [(d, i) for d, start, end in run[:depth] for i in range(start, end)]
        read = read[:depth] if value == "characters" else first
        relevant = {(d, i) for d, start, end, _ in gold for i in range(start, end)}
        both = len(relevant & set(read))
        either = len(read) + len(relevant) - both
        recall, precision = both / len(relevant), both / len(read) if read else 0.0
        f = 2 * recall * precision / (recall + precision) if both else 0.0
        return {"SpanRecall": recall, "SpanPrecision": precision, "SpanF": f, "SpanIoU": both / either}[
            name
        ]
    grades: dict[Chunk, float] = {}
    for d, start, end, grade in gold:
        grades[d, start, end] = max(grade, grades.get((d, start, end), 0))
    found_at: dict[Chunk, int] = {}
    for span in grades:
        for rank, (d, start, end) in enumerate(run, 1):
            inside = len(set(range(span[1], span[2])) & set(range(start, end))) if d == span[0] else 0
            if inside >= float(value or 0.5) * (span[2] - span[1]) and span not in found_at:
                found_at[span] = rank
    ranks = {rank for rank in found_at.values() if rank <= depth}
    gains = [max((grades[s] for s, r in found_at.items() if r == k), default=0) for k in range(1, 7)]
    best = sorted(grades.values(), reverse=True)
    dcg, ideal = (
        sum(g / math.log2(rank + 1) for rank, g in enumerate(of[:depth], 1)) for of in (gains, best)
    )
    precisions = [
        len({r for r in ranks if r <= rank}) / rank for rank in found_at.values() if rank <= depth
    ]
    return {
        "Success": float(bool(ranks)),
        "RR": 1 / min(ranks, default=math.inf),
        "P": len(ranks) / depth,
        "R": sum(rank <= depth for rank in found_at.values()) / len(grades),
        "AP": sum(precisions) / len(grades),
        "nDCG": dcg / ideal,
    }[name]


@given(span_cases())
def test_all_measures_agree_with_sets_of_characters(
    case: tuple[dict[str, str], list[GoldSpan], list[Chunk]],
) -> None:
    documents, gold, run = case
    found = xcg.evaluate(recall_base(gold), chunk_run("r", run), documents, None, MEASURES)
    for measure in MEASURES.split():
        value = found.value("r", measure)
        assert value == pytest.approx(reference(measure, gold, run), abs=1e-9), measure
        assert 0 <= value <= 1


def test_passages_need_no_documents_and_elements_do() -> None:
    gold, names = recall_base(GOLD), "P@4 AP SpanIoU SpanRecall(budget=characters)@20"
    found = xcg.evaluate(gold, chunk_run("r", RUN), None, None, names)
    assert found.value("r", "P@4") == 0.5
    assert found.value("r", "SpanRecall(budget=characters)@20") == pytest.approx(10 / 65)
    with pytest.raises(XcgError, match="so it needs its document; expected a corpus"):
        xcg.evaluate(gold, {"r": {"1": ["d#/t"]}}, None, None, "AP")
    with pytest.raises(XcgError, match=r"r, topic 1: SpanIoU.*needs the documents: expected a corpus"):
        xcg.evaluate(gold, chunk_run("r", RUN), None, None, "SpanIoU(budget=tokens)@5")


def test_elements_and_documents_are_spans_too() -> None:
    documents = {"d": "<a><s>one two</s><s>four</s></a>"}
    runs = {"r": {"1": ["d#/a/s[2]", "d#/a/s[1]"]}, "whole": {"1": ["d"]}}
    found = xcg.evaluate(recall_base([("d", 0, 7, 2.0)]), runs, documents, None, "RR SpanPrecision")
    assert (found.value("r", "RR"), found.value("whole", "RR")) == (0.5, 1)
    assert found.value("whole", "SpanPrecision") == pytest.approx(7 / 11)


def test_topics_with_levels_and_topics_with_spans_in_one_evaluation() -> None:
    base = recall_base([("d", 0, 10, 1.0)])
    for document, level in (("d", 1), ("e", 0)):
        base.add("2", document, WHOLE, level_assessment(level), "test")
    run = xcg.Run.of("r", {"2": ["e", "d"], "1": ["e", "d"]})
    documents = dict.fromkeys("de", "<t>one two three</t>")
    found = xcg.evaluate(base, run, documents, None, "RR AP(overlap=0.9)")
    assert [found.value("r", "RR", topic) for topic in "12"] == [0.5, 0.5]
    assert found.value("r", "AP(overlap=0.9)") == 0.5


def test_a_reference_point_has_its_best_results_first() -> None:
    found = xcg.evaluate(
        *(recall_base(GOLD), chunk_run("r", RUN[::-1]), DOCUMENTS),
        *(None, "nDCG@2 RR(rel=2) SpanRecall@1"),
        strategies=["thorough", "oracle"],
    )
    best = (2 + 1 / math.log2(3)) / (3 + 2 / math.log2(3))
    assert found.value("r+oracle", "nDCG@2") == pytest.approx(best)
    assert found.value("r+oracle", "RR(rel=2)") == 1
    assert found.value("r+thorough", "nDCG@2") == pytest.approx(2 / (3 + 2 / math.log2(3)))


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("Bpref", r"topic 1: Bpref needs .* one of AP, AP_IA, .*nDCG; if the runs return elements"),
        ("ERR@10", r"topic 1: ERR@10 needs levels"),
        ("AP(judged_only=True)", r"topic 1: AP\(judged_only=True\) needs levels"),
        ("AP(overlap=0)", r"AP: illegal overlap '0': expected a number above 0 to 1"),
        ("P(overlap=1.1)@5", "P: illegal overlap '1.1': expected a number above 0 to 1"),
        ("AP(overlp=0.5)", "AP has no parameter 'overlp': did you mean 'overlap'?"),
        ("SpanRecall@0.5", "SpanRecall@0.5: expected a rank from 1, like SpanRecall@10"),
        ("SpanF(beta=-1)", "SpanF: illegal beta '-1': expected a number from 0"),
        ("SpanIoU(budget=token)@9", "SpanIoU: illegal budget 'token': did you mean 'tokens'?"),
    ],
)
def test_illegal_measures_are_errors(measure: str, message: str) -> None:
    with pytest.raises(XcgError, match=message):
        score(measure)


def test_overlap_has_no_meaning_for_levels() -> None:
    with pytest.raises(XcgError, match=r"AP\(overlap=0.9\): overlap applies to topics with gold spans"):
        xcg.evaluate({"1": {"d": 1}}, {"r": {"1": ["d"]}}, None, None, "AP(overlap=0.9)")
    found = xcg.evaluate({"1": {"d": 1}}, {"r": {"1": ["d"]}}, None, None, "AP(overlap=0.5)")
    assert found.measures == ["AP"]  # a default, as in ir_measures


def test_gold_spans_need_passages_and_whole_grades() -> None:
    with pytest.raises(InputError, match="SpanRecall: needs gold spans: offset qrels, JSON Lines"):
        xcg.evaluate({"1": {"d": {"/a": (3, 3)}}}, {"r": {"1": ["d#/a"]}}, None, None, "SpanRecall")
    with pytest.raises(InputError, match=r"topic 1, d: standard measures .* but the level is 0.5"):
        score("AP", [("d", 0, 10, 0.5)])


def test_topics_without_gold_text() -> None:
    base = recall_base([("d", 0, 10, 1.0)])
    base.add_topic("2", "test")
    base.add_span("2", "d", None, "test")
    runs = {
        "r": {"1": [{"doc": "d", "start": 0, "end": 10}], "2": [{"doc": "d", "start": 0, "end": 9}]}
    }
    found = xcg.evaluate(base, runs, None, None, "AP SpanRecall")
    assert found.value("r", "SpanRecall") == 1  # undefined for topic 2
    assert found.value("r", "AP") == 0.5  # 0 for topic 2, as with trec_eval -c


def test_the_number_of_comparisons_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rankings, "MAX_COMPARISONS", 3)
    ranking = SpanRanking([("d", 0, 1)] * 2, {"d": [(i, i + 1, 1.0) for i in range(2, 4)]})
    with pytest.raises(InputError, match="d: the results are compared with more than 3 gold spans"):
        ranking.judged(0.5)
    assert SpanRanking([("d", 0, 1)], ranking.gold).judged(0.5).ranks == []


def test_curves_over_ranks_and_over_text_by_hand() -> None:
    arguments = recall_base(GOLD), chunk_run("r", RUN), DOCUMENTS, "spans-levels"
    found = curves(Inputs(*arguments), "SpanPrecision", 5, with_ideal=True)
    heights = {(curve.run, curve.topic): list(curve.y) for curve in found}
    assert heights["r", "1"] == pytest.approx([30 / 40, 30 / 80, 30 / 130, 40 / 145, 40 / 145])
    assert heights["ideal ranking", "all"] == [1] * 5
    (over_text, _) = curves(Inputs(*arguments), "SpanRecall(budget=tokens)", 8)
    assert (len(over_text.x), over_text.x[49], over_text.x[99]) == (100, 4, 8)
    assert (over_text.y[49], over_text.y[99]) == pytest.approx((10 / 65, 30 / 65))


def test_a_result_at_an_unknown_offset_is_text_without_gold() -> None:
    ranking = SpanRanking([("d", -18, 0), ("d", -18, 0), ("d", 0, 20)], {"d": [(0, 10, 1.0)]})
    assert ranking.read_up_to([2, 3]) == [(0, 36), (10, 56)]
    assert ranking.judged(0.5).ranks == [3]
    converted = SpanRanking(ranking.results, ranking.gold, lambda unit, file: CharacterConverter())
    assert converted.read_up_to([9, 23, 46], "characters") == [(0, 9), (0, 23), (10, 46)]


def test_a_result_without_text_costs_one_unit() -> None:
    ranking = SpanRanking(
        [("d", 5, 5), ("d", 0, 9)], {"d": [(0, 4, 1.0)]}, lambda unit, file: CharacterConverter()
    )
    assert ranking.read_up_to([0.5, 3], "characters") == [(0, 0), (2, 2)]
    assert ranking.judged(0.5).ranks == [2]


def test_unknown_text_is_not_relevant_and_leaves_measures_in_characters_undefined() -> None:
    runs = {"r": {"1": [{"doc": "d", "start": 0, "end": 40}, {"doc": "d", "start": 0, "end": 900}]}}
    names = "AP P@2 SpanRecall@1 SpanRecall@2"
    with pytest.raises(InputError, match="rank 2: the chunk ends at 900, but d has 150 characters"):
        xcg.evaluate(recall_base(GOLD), runs, DOCUMENTS, None, names)
    found = xcg.evaluate(recall_base(GOLD), runs, DOCUMENTS, None, names, lenient=True)
    assert (found.value("r", "AP"), found.value("r", "P@2")) == (0.5, 0.5)
    assert found.value("r", "SpanRecall@1") == pytest.approx(30 / 65)
    assert {row.measure for row in found} == {"AP", "P@2", "SpanRecall@1"}
    note = "the corpus lacks the text of results, so not in the means of SpanRecall@2: topic 1"
    assert any(note in line for line in found.notes)
