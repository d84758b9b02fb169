"""The greedy reference ``oracle``: at every rank the result with the greatest gain at that moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from random_cases import RandomCampaign, campaigns
from span_examples import chunk_run, recall_base, span_cases

from xcg import Run, UserModel
from xcg.documents.corpus import Corpus
from xcg.documents.tree import ElementTree
from xcg.errors import Notes, XcgError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.topics import TopicSource
from xcg.gains import oracle
from xcg.gains.element_reader import ElementReader
from xcg.gains.reader import JudgedDocument
from xcg.gains.span_reader import GoldSpan, SpanReader
from xcg.gains.topic import element_gains
from xcg.strategies.registry import rewrite_runs, strategies_of
from xcg.user_model.relevance_value import NORMALISATIONS, PARTIALLY_SEEN, RelevanceValue

Gains = Callable[[Sequence[int]], list[float]]


def most_recent_first(earlier: Iterable[str], score: float) -> float:
    """An overlap model whose values rise: a result is worth more the more was read before."""
    return score * len(list(earlier)) / 8


OVERLAP_MODELS = ["recursive", "capped", "new_characters", "growing_alpha", most_recent_first]

element_models = st.builds(
    lambda alpha, normalisation, seen, near: UserModel.of(
        {
            "name": "random",
            "quantisation": "sog",
            "relevance_value": {
                "alpha": alpha,
                "normalisation": normalisation,
                "partially_seen": seen,
                "near_misses": near,
            },
        }
    ),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from(["subtree", "none"]),
    st.sampled_from(OVERLAP_MODELS),
    st.sampled_from(["judged", "distance", "exact"]),
)
text_models = st.builds(
    lambda alpha, normalisation, size: UserModel.of(
        {
            "name": "random",
            "quantisation": "inex2005_gen",
            "spans": "text",
            "size": size,
            "relevance_value": {"alpha": alpha, "normalisation": normalisation},
        }
    ),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from(["subtree", "none"]),
    st.sampled_from(["characters", "words"]),
)


def evaluated(
    assessments: Any, run: Run, documents: dict[str, str], model: UserModel, topic: str = "1"
) -> tuple[list[int], list[float], Gains]:
    """Return the oracle's order, the gains that the evaluation reports, and those of other orders."""
    run = replace(run, name="r")
    inputs = Inputs(
        assessments, [run, *rewrite_runs([run], strategies_of("oracle"))], Corpus.of(documents), model
    )
    judged = TopicSource.of(inputs).topic(topic, Notes())
    ideal = judged.ideal(model)
    if not ideal.gains:
        return [], [], lambda order: []
    spans = judged.text_spans("r", model) if ideal.gold is not None else []

    def gains(order: Sequence[int]) -> list[float]:
        if ideal.gold is None:
            ranking = judged.as_read("r").in_order(order)
            return list(element_gains(ranking, ideal, model, {})[0])
        read, _ = judged.span_topic(ideal, model).read(
            [spans[position] for position in order], model.relevance_value
        )
        return [result.gain for result in read]

    of_oracle = judged.ranking("r+oracle", model)
    order = list(judged._reference("r+oracle", model)[0])  # of equal results, which is which
    assert of_oracle.ranking == run.rankings[topic].select(order)
    return order, list(judged.gains("r+oracle", ideal, model).gains), gains


def check_each_rank(order: list[int], found: list[float], gains: Gains) -> None:
    """Check that no other result could have gained more at a rank, and that ties go to the first."""
    assert sorted(order) == list(range(len(order)))
    assert found == gains(order)  # exactly
    for rank, (taken, gain) in enumerate(zip(order, found, strict=True)):
        for other in order[rank + 1 :]:
            rest = [position for position in order[rank:] if position != other]
            alternative = gains([*order[:rank], other, *rest])[rank]
            assert alternative <= gain + 1e-11
            assert alternative < gain or taken < other


def check_all_orders(order: list[int], gains: Gains) -> None:
    """Check that the gains are lexicographically the greatest, with ties by earlier ranks."""

    def key(candidate: Sequence[int]) -> list[tuple[float, int]]:
        found = gains(candidate)
        return [(round(gain, 10), -at) for gain, at in zip(found, candidate, strict=True)]

    assert list(max(permutations(range(len(order))), key=key)) == order


def run_of(campaign: RandomCampaign, length: int | None = None) -> Run:
    return Run.of("r", {"1": campaign.ranking[:length]})


def test_a_result_without_gain_can_make_another_one_gain() -> None:
    """Equation 9: a section without a score is worth that of its unread part, once a part was read."""
    documents = {"d": "<a><s><p>12345</p><p>67890</p></s></a>"}
    assessments = {"1": {"d": {"/a/s[1]/p[1]": (3, 3)}}}
    run = Run.of("r", {"1": ["d#/a/s[1]", "d#/a/s[1]/p[2]"]})
    order, gains, all_gains = evaluated(
        assessments, run, documents, UserModel.shipped("kazai-lalmas-2006")
    )
    assert (order, gains) == ([0, 1], [0, 0])  # the first of the two takes the rank
    assert all_gains([1, 0]) == [0, 0.5]


def order_of_rows(scores: dict[int, float], rows: list[int], rule: RelevanceValue) -> list[int]:
    """Return the order of elements of one document, given by rows: article, section, its paragraph,
    another section and its two paragraphs."""
    paths = ["/a[1]/s[1]/p[1]", "/a[1]/s[2]/p[1]", "/a[1]/s[2]/p[2]"]
    reader = ElementReader(JudgedDocument(ElementTree.from_paths(paths), scores, []), rule)
    return oracle.order_by_gain([("d", row) for row in rows], {"d": reader})


def rule_of(alpha: float, overlap: Any) -> RelevanceValue:
    return RelevanceValue(alpha, NORMALISATIONS.part("none"), PARTIALLY_SEEN.part(overlap))


def test_gains_that_rise_with_results_elsewhere_in_the_document() -> None:
    rule = rule_of(1.0, OVERLAP_MODELS[-1])
    # After its paragraph, the section gains 1/8; after one more paragraph, 2/8 and more than the last.
    scores = {1: 1.0, 2: 1.0, 4: 0.25, 5: 0.2}
    assert order_of_rows(scores, [2, 1, 4, 5], rule) == [0, 2, 1, 3]


def test_gains_that_rise_inside_a_result() -> None:
    def worthless(score: float) -> float:
        return 0.0

    rule = rule_of(0.5, worthless)
    # The section gains nothing after its paragraph, and half of its score after the article.
    assert order_of_rows({1: 1.0, 2: 1.0}, [2, 0, 3, 1], rule) == [0, 1, 3, 2]


@given(campaigns(), element_models)
def test_each_rank_takes_the_element_with_the_greatest_gain(
    campaign: RandomCampaign, model: UserModel
) -> None:
    assume(campaign.ranking)
    found = evaluated({"1": campaign.assessments}, run_of(campaign), campaign.sources, model)
    check_each_rank(*found)


@given(span_cases(), text_models)
def test_each_rank_takes_the_text_with_the_greatest_gain(case: Any, model: UserModel) -> None:
    documents, gold, ranking = case
    assume(ranking)
    check_each_rank(*evaluated(recall_base(gold), chunk_run("r", ranking), documents, model))


@given(campaigns(), element_models)
def test_no_order_of_elements_gains_more(campaign: RandomCampaign, model: UserModel) -> None:
    assume(campaign.ranking)
    order, _, gains = evaluated(
        {"1": campaign.assessments}, run_of(campaign, 5), campaign.sources, model
    )
    check_all_orders(order, gains)


@given(span_cases(), text_models)
def test_no_order_of_texts_gains_more(case: Any, model: UserModel) -> None:
    documents, gold, ranking = case
    assume(ranking)
    order, _, gains = evaluated(recall_base(gold), chunk_run("r", ranking[:5]), documents, model)
    check_all_orders(order, gains)


# Time is counted in steps of the readers, which do not depend on the machine.


@pytest.mark.slow
def test_too_many_steps_are_refused() -> None:
    gold = [GoldSpan(start, start + 1, 1.0) for start in range(0, 100_000, 10)]
    results = [("d", (0, 100_000 - number)) for number in range(100_000)]
    reader = SpanReader(gold, RelevanceValue(0.5))
    with pytest.raises(XcgError, match=r"needs more than 2,000,000 comparisons of elements or pieces"):
        oracle.order_by_gain(results, {"d": reader})
