"""Results that count as text: gains by shared characters, and effort that is paid in text."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from span_examples import DOCUMENTS, GOLD, Chunk, chunk_run, in_three_forms, recall_base, span_cases

import xcg
from xcg.documents.text_units import TOKENIZERS, IntervalSet, UnitConverter, approximate
from xcg.errors import InputError, XcgError
from xcg.evaluation.explain import explain
from xcg.evaluation.ideals import ideal_elements
from xcg.evaluation.inputs import Inputs
from xcg.gains.span_reader import GoldSpan, SpanReader, disjoint
from xcg.measures.effort import effort_precisions_in_text, mean_effort_precision_in_text
from xcg.measures.topic_gains import Reading
from xcg.user_model.relevance_value import NORMALISATIONS, RelevanceValue

TEXT_MEASURES = (
    "MAep iMAep ep@0.3 nxCG(budget=tokens)@3 gr(budget=tokens)@7 MAep(effort=characters) "
    "iMAep(effort=characters) ep(effort=words)@1 nxCG(budget=characters)@11 nxCG(budget=words)@2"
)


def figures(
    gold: Sequence[tuple[str, int, int, float]],
    places: Sequence[Chunk],
    documents: Mapping[str, str] = DOCUMENTS,
    measures: str = TEXT_MEASURES,
    model: Any = "spans",
) -> dict[str, float]:
    found = xcg.evaluate(recall_base(gold), [chunk_run("r", places)], dict(documents), model, measures)
    return {row.measure: row.value for row in found.means()}


def reciprocal(ideal: float, start: float, first: float, last: float) -> float:
    """Return ∫ ideal·g / (start + 4g) from one level g to another, with 4 tokens for each gain of 1."""
    return ideal / 4 * (last - first - start / 4 * math.log((start + 4 * last) / (start + 4 * first)))


@pytest.mark.parametrize(("charge", "before"), [("whole", 4), ("as_read", 2)])
def test_gains_and_effort_by_hand(charge: str, before: int) -> None:
    run = [("bees", 0, 40), ("bees", 20, 60), ("bees", 0, 100)]
    # Paid: some tokens of nothing, 4 for the first gold span, the rest of 4 tokens of nothing; then 6
    # of nothing new, and 2 for the second.
    model = {
        "name": "m",
        "quantisation": "inex2005_gen",
        "spans": "text",
        "effort": {"unit": "tokens", "charge": charge},
    }
    found = figures(
        GOLD,
        run,
        measures="xCG@1 xCG@2 nxCG@1 ep@0.5 ep@1 nxCG(budget=tokens)@6 gr(budget=tokens)@15 "
        "nxCG(budget=characters)@30 MAep iMAep MAep(effort=ranks)",
        model=model,
    )
    after_6 = (6 - before) / 4
    expected = {
        "xCG@1": 1.0,
        "xCG@2": 1.5,
        "nxCG@1": 1.0,
        "ep@0.5": 3 / (before + 3),  # g = .75: the ideal reader needs 3 tokens, this one more
        "ep@1": 6 / 16,
        "nxCG(budget=tokens)@6": after_6 / 1.5,
        "gr(budget=tokens)@15": 1.25 / 1.5,
        "nxCG(budget=characters)@30": after_6 / 1.5,
        "MAep": (reciprocal(4, before, 0, 1) + reciprocal(4, 10, 1, 1.5)) / 1.5,
        "iMAep": sum(
            (6 * r) / (before + 6 * r if r <= 2 / 3 else 14 + (6 * r - 4))
            for r in (k / 10 for k in range(1, 11))
        )
        / 10,
        "MAep(effort=ranks)": (1.0 + 1.0) / 2,
    }
    assert found == pytest.approx(expected, abs=1e-12)
    if charge == "whole":
        assert found == figures(GOLD, run, measures=" ".join(expected))
    stated = {f"MAep(effort=tokens,charge={charge})": expected["MAep"]}
    assert figures(GOLD, run, measures=" ".join(stated)) == pytest.approx(stated, abs=1e-12)


@pytest.mark.parametrize(
    ("result", "whole", "as_read"),
    [
        ((1000, 1240), 1.0, 1.0),
        ((900, 1340), 1 - 200 / 240 * math.log(440 / 200), 1 - 100 / 240 * math.log(340 / 100)),
        ((1000, 13240), 1 - 12000 / 240 * math.log(12240 / 12000), 1.0),
    ],
)
def test_a_result_is_paid_as_a_whole(result: tuple[int, int], whole: float, as_read: float) -> None:
    found = xcg.evaluate(
        {"1": {"d": [(1000, 1240)]}},
        {"r": {"1": [("d", *result)]}},
        {"d": "x" * 14000},
        "spans",
        "MAep(effort=characters) MAep(effort=characters,charge=as_read)",
    )
    assert [row.value for row in found.means()] == pytest.approx([whole, as_read], abs=1e-12)
    rounded = {1000: {1240: 1.0, 13240: 0.0099}, 900: {1340: 0.3430}}
    assert round(found.value("r", "MAep(effort=characters)"), 4) == rounded[result[0]][result[1]]


def test_gold_spans_of_a_result_gain_in_the_order_of_the_text() -> None:
    # One gain spread evenly over both would be lost by cutting the result: 1 after 100 characters
    # instead of 1 after 55.
    gold = [("d", 0, 100, 2.0), ("d", 100, 110, 2.0)]
    documents = {"d": "x" * 120}
    measures = "ep(effort=characters)@0.5 ep(effort=characters)@1 MAep(effort=characters)"
    whole = figures(gold, [("d", 0, 120)], documents, measures)
    assert whole["ep(effort=characters)@0.5"] == pytest.approx(10 / 110)
    assert whole["ep(effort=characters)@1"] == pytest.approx(110 / 120)
    cut = figures(gold, [("d", 0, 100), ("d", 100, 120)], documents, measures)
    assert cut["ep(effort=characters)@0.5"] == pytest.approx(10 / 100)
    no_higher(whole, cut)


@pytest.mark.parametrize(
    ("alpha", "normalisation", "gains"),
    [
        (1.0, "subtree", [0.5, 0.5, 0.0]),
        (0.5, "subtree", [0.5, 0.5, 0.0]),  # bounded: half of the seen half would add .25
        (0.5, "none", [0.5, 0.75, 0.5]),
        (0.0, "none", [0.5, 1.0, 1.0]),
    ],
)
def test_seen_text_gains_1_minus_alpha(alpha: float, normalisation: Any, gains: list[float]) -> None:
    reader = SpanReader(
        [GoldSpan(10, 30, 1.0)], RelevanceValue(alpha, NORMALISATIONS.part(normalisation))
    )
    read = [reader.read(span) for span in [(0, 20), (10, 30), (10, 30)]]
    assert read == pytest.approx(gains, abs=1e-12)


def test_a_gain_ends_inside_a_result_if_the_gold_is_used_up() -> None:
    reader = SpanReader([GoldSpan(0, 10, 1.0)], RelevanceValue(0.5))
    reader.read((0, 8))  # .8 of 1; the next reads 8 seen characters for .05 each, then two new ones
    (seen,) = reader.read_parts((0, 10)).parts
    assert seen == pytest.approx((0, 4, 0.2, 0))


def test_gold_that_overlaps_is_not_counted_twice() -> None:
    pieces = disjoint([GoldSpan(0, 10, 1.0), GoldSpan(0, 10, 1.0), GoldSpan(5, 25, 0.5)])
    assert pieces == [GoldSpan(0, 10, 1.0), GoldSpan(10, 25, 0.375)]
    twice = figures([*GOLD, *GOLD], [("bees", 0, 40)])
    assert twice == figures(GOLD, [("bees", 0, 40)])


def test_path_offsets_and_chunk_of_one_text_gain_the_same() -> None:
    base, documents, runs = in_three_forms("paths", "offsets", "chunks")
    found = xcg.evaluate(
        base, runs, documents, "spans", f"{TEXT_MEASURES} nxCG@1 nxCG@3 MAep(effort=ranks)"
    )
    for measure in found.measures:
        assert len({found.value(run.name, measure) for run in runs}) == 1, measure
    assert found.value("paths", "MAep") > 0


def test_words_and_tokens() -> None:
    text = "  It's late, 3.5 km"
    assert [text[p] for p in approximate(text)] == ["I", "'", "s", "l", ",", "3", ".", "5", "k"]
    converter = UnitConverter.of(text, "words")
    assert converter.amounts([0, 7, len(text)]).tolist() == [0, 1, 4]
    assert converter.offsets(converter.amounts([3, 9, 14])).tolist() == pytest.approx([3, 9, 14])
    assert UnitConverter.of("   ", "tokens").amounts([0, 3]).tolist() == [
        0,
        1,
    ]  # text without tokens counts as one


@given(st.text("ab ,\u00a0", max_size=30), st.lists(st.floats(-5, 40) | st.integers(-5, 40)))
@example("", [0, 1])
def test_one_offset_has_the_amount_that_it_has_among_others(text: str, offsets: list[float]) -> None:
    for unit in ("words", "tokens"):
        converter = UnitConverter.of(text, unit)  # type: ignore[arg-type]
        expected = converter.amounts(offsets).tolist()
        assert [converter.amount(offset) for offset in offsets] == expected


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda text: 1 / 0, "failed: ZeroDivisionError"),
        (lambda text: [3, 1], "expected the offsets at which tokens start"),
        (lambda text: [0, 10**6], "expected the offsets at which tokens start"),
        (lambda text: ["0"], "expected the offsets at which tokens start"),
        (lambda text: 7, "expected the offsets at which tokens start"),
    ],
)
def test_tokenizers_of_users_are_checked(function: Any, message: str) -> None:
    with pytest.raises(XcgError, match=message):
        UnitConverter.of("some text", "tokens", TOKENIZERS.part(function))


def test_an_ideal_element_becomes_gold_text() -> None:
    documents = {"d": "<a><p>0123456789</p><p>0123456789</p></a>"}
    base = {"1": {"d": {"/a": (3, 2), "/a/p[1]": (3, 3)}}}
    model = {"name": "t", "quantisation": "sog", "spans": "text"}
    found = xcg.evaluate(
        base, {"r": {"1": ["d#/a"]}}, documents, model, "MAep(effort=characters) nxCG@1"
    )
    ideal = ideal_elements(Inputs(base, (), documents, model))
    assert [(e.path, e.score) for e in ideal] == [("0–10", 1.0)]
    assert found.value("r", "nxCG@1") == 1.0
    assert found.value("r", "MAep(effort=characters)") == 1.0  # the relevant ten characters come first


def test_levels_of_passages(tmp_path: Path) -> None:
    lines = [
        {"topic": "1", "doc": "bees", "start": 0, "end": 10, "level": 3},
        {"topic": "1", "doc": "bees", "start": 50, "end": 60, "level": 1},
        {"topic": "1", "doc": "bees", "start": 70, "end": 90, "level": 0},
    ]
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = chunk_run("r", [("bees", 50, 60), ("bees", 0, 10)])
    found = xcg.evaluate(gold, [run], DOCUMENTS, "spans-levels", "xCG@1 xCG@2 nxCG@1")
    assert [row.value for row in found.means()] == [1.0, 4.0, 1 / 3]
    with pytest.raises(InputError, match="exhaustivity is 0, 1 or 2 on the scale of INEX 2005"):
        xcg.evaluate(gold, [run], DOCUMENTS, "spans", "xCG@1")
    element_model = {"name": "e", "quantisation": "inex2005_gen", "spans": "smallest_element"}
    with pytest.raises(InputError, match="choose a quantisation of levels and spans: text"):
        xcg.evaluate(gold, [run], DOCUMENTS, element_model, "xCG@1")


# Laws. Documents are words, so that characters, words and tokens differ.


def scored(case: tuple[Any, Any, Any], ranking: Sequence[Chunk] | None = None) -> dict[str, float]:
    documents, gold, given_ranking = case
    return figures(gold, given_ranking if ranking is None else ranking, documents)


def no_higher(after: Mapping[str, float], before: Mapping[str, float]) -> None:
    for measure, value in after.items():
        assert value <= before[measure] + 1e-9, measure


@given(span_cases())
def test_values_are_bounded_and_1_for_the_ideal(case: Any) -> None:
    for value in scored(case).values():
        assert 0 <= value <= 1 + 1e-9
    documents, gold, _ = case
    base = recall_base(gold)
    for unit in ("characters", "words", "tokens"):
        model = {"name": "m", "quantisation": "inex2005_gen", "spans": "text", "size": "characters"}
        if unit == "words":
            model["size"] = "words"
        pieces = ideal_elements(Inputs(base, (), documents, model))
        corpus = xcg.Corpus.of(dict(documents))
        density = {}
        for piece in pieces:
            start, end = map(int, piece.path.split("–"))
            converter = (
                UnitConverter.of(corpus.tree(piece.file).text, unit) if unit != "characters" else None
            )  # type: ignore[arg-type]
            size = (
                end - start
                if converter is None
                else float(converter.amounts([end])[0] - converter.amounts([start])[0])
            )
            density[piece.file, start, end] = piece.score / size
        ranking = sorted(density, key=lambda place: -density[place])
        found = figures(gold, ranking, documents, f"MAep(effort={unit}) iMAep(effort={unit})", model)
        if unit != "tokens":  # gold pieces of mixed density differ by unit where gold overlaps
            assert found == pytest.approx(dict.fromkeys(found, 1.0), abs=1e-9)


@given(span_cases(), st.data())
def test_repeating_and_returning_parts_again_never_pays(case: Any, data: st.DataObject) -> None:
    ranking = case[2]
    assume(ranking)
    place = data.draw(st.integers(0, len(ranking) - 1))
    name, start, end = ranking[place]
    low = data.draw(st.integers(start, end - 1))
    inside = (name, low, data.draw(st.integers(low + 1, end)))
    at = data.draw(st.integers(place + 1, len(ranking)))
    before = scored(case)
    for extra in (inside, ranking[place]):
        no_higher(scored(case, [*ranking[:at], extra, *ranking[at:]]), before)


AS_READ = {
    "name": "as read",
    "quantisation": "inex2005_gen",
    "spans": "text",
    "relevance_value": {"alpha": 1.0, "normalisation": "subtree"},
    "effort": {"unit": "tokens", "charge": "as_read"},
}


@pytest.mark.slow
@given(span_cases(), st.data())
def test_cutting_results_in_two_never_lowers_a_score(case: Any, data: st.DataObject) -> None:
    documents, gold, ranking = case
    cut = []
    for name, start, end in ranking:
        middle = data.draw(st.integers(start, end))
        cut += [(name, a, b) for a, b in ((start, middle), (middle, end)) if a < b]
    no_higher(scored(case), scored(case, cut))
    as_read = figures(gold, ranking, documents, model=AS_READ)
    assert figures(gold, cut, documents, model=AS_READ) == pytest.approx(as_read, abs=1e-9)
    no_higher(scored(case), as_read)


@given(span_cases(), st.data())
def test_relevant_text_that_comes_earlier_never_hurts(case: Any, data: st.DataObject) -> None:
    _, gold, ranking = case
    name, start, end, _ = data.draw(st.sampled_from(gold))
    low = data.draw(st.integers(start, end - 1))
    relevant = (name, low, data.draw(st.integers(low + 1, end)))
    useless = [
        place
        for place in ranking
        if not any(place[0] == g[0] and max(place[1], g[1]) < min(place[2], g[2]) for g in gold)
    ]
    late, early = [*useless, relevant], [relevant, *useless]
    no_higher(scored(case, late), scored(case, early))


@given(span_cases(), st.sampled_from([0.0, 0.25, 1.0]), st.sampled_from(["subtree", "none"]))
def test_gains_agree_with_counting_characters_one_by_one(case: Any, alpha: float, rule: Any) -> None:
    documents, gold, ranking = case
    model = {
        "name": "m",
        "quantisation": "inex2005_gen",
        "spans": "text",
        "relevance_value": {"alpha": alpha, "normalisation": rule},
    }
    # Each character belongs to the gold span of the highest grade, then the first, then the longest.
    ordered = sorted(gold, key=lambda g: (-g[3], g[1], -g[2]))
    worth: dict[tuple[str, int], tuple[int, Fraction]] = {}
    for number, (name, start, end, grade) in enumerate(ordered):
        for place in range(start, end):
            share = Fraction(grade).limit_denominator() / 2 / (end - start)
            worth.setdefault((name, place), (number, share))
    # What is left of a span in pieces is bounded piece by piece.
    piece: dict[tuple[str, int], int] = {}
    for name, place in sorted(worth):
        before = (name, place - 1)
        same = before in worth and worth[before][0] == worth[name, place][0]
        piece[name, place] = piece[before] if same else len(piece)
    bound: dict[int, Fraction] = {}
    for at, number in piece.items():
        bound[number] = bound.get(number, Fraction(0)) + worth[at][1]
    seen: set[tuple[str, int]] = set()
    gains = []
    for name, start, end in ranking:
        gain = Fraction(0)
        for at in ((name, place) for place in range(start, end)):
            if at in worth:
                value = worth[at][1] * (1 if at not in seen else 1 - Fraction(alpha))
                if rule == "subtree":
                    value = min(value, bound[piece[at]])
                    bound[piece[at]] -= value
                gain += value
        seen |= {(name, place) for place in range(start, end)}
        gains.append(float(gain))
    measures = " ".join(f"xCG@{rank}" for rank in range(1, len(ranking) + 1))
    assume(ranking)
    found = list(figures(gold, ranking, documents, measures, model).values())
    total, expected = 0.0, []
    for gain in gains:
        total += gain
        expected.append(total)
    assert found == pytest.approx(expected, abs=1e-7)


@given(st.data())
def test_agrees_with_the_form_for_elements(data: st.DataObject) -> None:
    """Disjoint ideal elements, results at and inside them: the element form with length_ratio
    and new_characters."""
    sizes = data.draw(
        st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=3), min_size=1, max_size=3)
    )
    document = "<a>" + "".join(
        "<s>" + "".join(f"<p>{'x' * size}</p>" for size in section) + "</s>" for section in sizes
    )
    document += "</a>"
    sections = [f"/a[1]/s[{i}]" for i in range(1, len(sizes) + 1)]
    base = {"1": {"d": dict.fromkeys(sections, (3, 3))}}
    inner = [
        f"/a[1]/s[{i}]/p[{j}]" for i, section in enumerate(sizes, 1) for j in range(1, len(section) + 1)
    ]
    ranking = data.draw(st.lists(st.sampled_from(sections + inner), min_size=1, max_size=8))
    alpha = data.draw(st.sampled_from([0.0, 0.5, 1.0]))
    rule = {"alpha": alpha, "normalisation": data.draw(st.sampled_from(["subtree", "none"]))}
    elements = {
        **rule,
        "partially_seen": "new_characters",
        "near_misses": "length_ratio",
    }
    models = [
        {"name": "elements", "quantisation": "strict", "relevance_value": elements},
        {"name": "text", "quantisation": "strict", "relevance_value": rule, "spans": "text"},
    ]
    runs = {"r": {"1": [("d", path) for path in ranking]}}
    measures = " ".join(f"xCG@{rank}" for rank in range(1, len(ranking) + 1)) + " nxCG@3"
    if rule["normalisation"] == "subtree":  # without, near-misses count as none of the ideal elements
        measures += " MAep"
    found = xcg.evaluate(base, runs, {"d": document}, models, measures)
    for measure in found.measures:
        by_elements = found.value("r", measure, user_model="elements")
        assert found.value("r", measure, user_model="text") == pytest.approx(by_elements, abs=1e-6), (
            measure
        )


readings = st.lists(
    st.tuples(st.integers(1, 9), st.sampled_from([0.0, 0.25, 0.5, 1.0])), min_size=1, max_size=6
)


@pytest.mark.slow
@given(readings, readings)
def test_mean_effort_precision_is_the_mean_over_recall(run: Any, ideal: Any) -> None:
    assume(any(gain for _, gain in ideal))
    best = Reading.by_density(ideal)
    read = Reading([text for text, _ in run], [gain for _, gain in run])
    points = 4000
    levels = [(k + 0.5) / points for k in range(points)]
    total = sum(effort_precisions_in_text(read, best, levels)) / points
    assert mean_effort_precision_in_text(read, best) == pytest.approx(total, abs=2e-3)
    assert mean_effort_precision_in_text(best, best) == pytest.approx(1, abs=1e-12)
    assert effort_precisions_in_text(best, best, [0.1, 1]) == pytest.approx([1, 1], abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), max_size=8))
def test_an_interval_set_agrees_with_a_set_of_characters(spans: list[tuple[int, int]]) -> None:
    covered: IntervalSet[int] = IntervalSet()
    known: set[int] = set()
    for start, length in spans:
        end = start + length
        for low, high, seen in covered.split(start, end):
            assert all((place in known) == seen for place in range(low, high))
        new = {place for low, high in covered.add(start, end) for place in range(low, high)}
        assert new == set(range(start, end)) - known
        known |= set(range(start, end))


def test_repeats_of_its_other_text_use_up_a_gold_span() -> None:
    base = xcg.UserModel.shipped("spans")
    model = replace(base, relevance_value=replace(base.relevance_value, alpha=0.5))
    gold, ranking = {"1": {"d": [(0, 10)]}}, [("d", 0, 5), ("d", 0, 5), ("d", 5, 10)]
    (found,) = explain(Inputs(gold, {"r": {"1": ranking}}, {"d": "0123456789"}, model), "1")
    first, second, third = found.results
    # Worth half each; the repeat is worth half of that, which leaves a quarter.
    assert [first.gain, second.gain, third.gain] == pytest.approx([0.5, 0.25, 0.25])
    assert second.why == "shows 50% of 0–10, of which rank 1 showed some before"
    assert third.why == "shows 50% of 0–10, of which less than that is left"
