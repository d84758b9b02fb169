"""Laws that hold for every campaign, and agreement with the literal transcription."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import reference_transcription as reference
from hypothesis import given
from hypothesis import strategies as st
from random_cases import RandomCampaign, campaigns

import xcg
from xcg.documents.corpus import Corpus
from xcg.errors import Notes, XcgError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.topics import TopicSource
from xcg.gains.judged_topic import ideal_elements_of
from xcg.gains.topic import element_gains
from xcg.measures import MEASURES, RankingGains

ALL = [
    "xCG@1 xCG@3 nxCG@1 nxCG@2 nxCG@10 MAnxCG@3 MAnxCG@20 gr@2 gr@10 ep@0.1 ep@0.35 ep@1",
    "ep(interpolation=linear)@0.4 MAep MAep(unretrieved=max) MAep(interpolation=linear) iMAep",
    "MAep(average=gain) MAep(interpolation=linear,average=gain)",
    "iMAep(interpolation=linear) Q Q(unretrieved=max) R",
]
MEASURES_TESTED = [str(measure) for measure in MEASURES.parse_all(" ".join(ALL))]
OVERLAP_ON: dict[str, Any] = {"name": "on"}


def topic_gains(
    campaign: RandomCampaign,
    model: xcg.UserModel,
    ranking: list[tuple[str, str]] | None = None,
    corpus: bool = True,
) -> RankingGains:
    base = Inputs({"1": campaign.assessments}).recall_base
    ranking = campaign.ranking if ranking is None else ranking
    runs = Inputs(base, {"run": {"1": ranking}}).loaded_runs
    documents = Corpus.of(campaign.sources) if corpus else None
    view = TopicSource(base, runs, documents).topic("1", Notes())
    ideal = ideal_elements_of(view, model)
    gains, missed = element_gains(view.as_read("run"), ideal, model, {})
    return RankingGains(gains, ideal.vector, missed)


def ideal_ranking(campaign: RandomCampaign, model: xcg.UserModel) -> list[tuple[str, str]]:
    from xcg.evaluation.ideals import ideal_elements

    elements = ideal_elements(
        Inputs({"1": campaign.assessments}, corpus=dict(campaign.sources), user_model=model)
    )
    return [(element.file, element.path) for element in elements]


models = st.builds(
    lambda quantisation, ideal, alpha, normalisation, seen, near: xcg.UserModel.of(
        {
            "name": "random",
            "quantisation": quantisation,
            "ideal": ideal,
            "relevance_value": {
                "alpha": alpha,
                "normalisation": normalisation,
                "partially_seen": seen,
                "near_misses": near,
            },
        }
    ),
    st.sampled_from(["strict", "gen", "sog"]),
    st.sampled_from(
        [
            "full",
            {"name": "kazai_lalmas"},
            {"name": "kazai_lalmas", "tie": "shallower"},
            {"name": "kazai_lalmas", "filter": "longer"},
        ]
    ),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    st.sampled_from(["subtree", "related", "none"]),
    st.sampled_from(["recursive", "capped"]),
    st.sampled_from(["judged", "exact"]),
)


@given(campaigns(), models)
def test_agrees_with_the_literal_transcription(campaign: RandomCampaign, model: xcg.UserModel) -> None:
    table = reference.QUANT[str(model.quantisation)]
    scores = {
        file: {path: table[pair] for path, pair in pairs.items() if pair != (0, 0)}
        for file, pairs in campaign.assessments.items()
    }
    if model.ideal.name == "full":
        ideal = {file: reference.ideal_full(found) for file, found in scores.items()}
    else:
        options: Any = dict(model.ideal.parameters)
        ideal = {
            file: reference.ideal_kazai_lalmas(
                found, options.get("tie", "deeper"), options.get("filter", "shorter")
            )
            for file, found in scores.items()
        }
    rule = model.relevance_value
    gains = reference.gains(
        campaign.ranking,
        campaign.documents(),
        scores,
        ideal,
        rule.alpha,
        rule.normalisation.name,
        str(rule.partially_seen),
        str(rule.near_misses),
    )
    best = reference.ideal_gains(scores, ideal)
    ours = topic_gains(campaign, model)
    assert list(ours.ideal) == pytest.approx(best, abs=1e-12)
    if not campaign.ranking:
        return
    assert list(ours.gains) == pytest.approx(gains, abs=1e-9)
    missed = reference.count_not_retrieved(campaign.ranking, gains, ideal, rule.normalisation.name)
    assert ours.not_retrieved == missed
    if not best:
        return
    expected = {
        "xCG@1": reference.xcg_at(gains, 1),
        "xCG@3": reference.xcg_at(gains, 3),
        "nxCG@2": reference.nxcg_at(gains, best, 2),
        "nxCG@10": reference.nxcg_at(gains, best, 10),
        "MAnxCG@3": reference.manxcg_at(gains, best, 3),
        "MAnxCG@20": reference.manxcg_at(gains, best, 20),
        "gr@2": reference.gr_at(gains, best, 2),
        "ep@0.1": reference.ep_at(gains, best, 0.1),
        "ep@0.35": reference.ep_at(gains, best, 0.35),
        "ep@1": reference.ep_at(gains, best, 1.0),
        "ep(interpolation=linear)@0.4": reference.ep_at(gains, best, 0.4, "linear"),
        "iMAep": reference.imaep(gains, best),
        "iMAep(interpolation=linear)": reference.imaep(gains, best, "linear"),
        "MAep": reference.maep(gains, best, missed),
        "MAep(unretrieved=max)": reference.maep(gains, best, missed, unretrieved="max"),
        "MAep(interpolation=linear)": reference.maep(gains, best, missed, "linear"),
        "Q": reference.q_measure(gains, best, missed),
        "Q(unretrieved=max)": reference.q_measure(gains, best, missed, unretrieved="max"),
        "R": reference.r_measure(gains, best),
    }
    found = {name: MEASURES.parse(name).compute(ours) for name in expected}
    assert found == pytest.approx(expected, abs=1e-9)


@given(campaigns(), st.sampled_from(["sog", "gen", "strict"]))
def test_an_ideal_ranking_scores_one(campaign: RandomCampaign, quantisation: str) -> None:
    model = xcg.UserModel.of({**OVERLAP_ON, "quantisation": quantisation})
    ranking = ideal_ranking(campaign, model)
    if not ranking:
        return
    topic = topic_gains(campaign, model, ranking)
    for name in MEASURES_TESTED:
        if not name.startswith(("xCG", "gr")):
            assert MEASURES.parse(name).compute(topic) == pytest.approx(1, abs=1e-12), name
    assert MEASURES.parse("gr@1000").compute(topic) == pytest.approx(1, abs=1e-12)


@given(campaigns(), models, st.data())
def test_a_result_from_a_document_without_relevant_elements_never_helps(
    campaign: RandomCampaign, model: xcg.UserModel, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(campaign.ranking)))
    longer = [*campaign.ranking[:place], ("noise", "/p[1]"), *campaign.ranking[place:]]
    before = topic_gains(campaign, model)
    if not len(before.ideal):  # type: ignore[arg-type]
        return
    after_campaign = RandomCampaign(
        {**campaign.sources, "noise": "<p>text</p>"},
        campaign.paths,
        campaign.sizes,
        campaign.assessments,
        longer,
    )
    after = topic_gains(after_campaign, model)
    for name in ("MAep", "nxCG@1", "nxCG@2", "nxCG@10", "iMAep", "Q", "R"):
        measure = MEASURES.parse(name)
        assert measure.compute(after) <= measure.compute(before) + 1e-12, name


@given(campaigns(), models)
def test_names_of_files_and_order_of_assessments_change_nothing(
    campaign: RandomCampaign, model: xcg.UserModel
) -> None:
    def renamed(file: str) -> str:
        return {"d0": "zzz/last", "d1": "a", "d2": "m"}[file]

    other = RandomCampaign(
        {renamed(f): source for f, source in campaign.sources.items()},
        {},
        {},
        {
            renamed(f): dict(reversed(pairs.items()))
            for f, pairs in reversed(campaign.assessments.items())
        },
        [(renamed(f), path) for f, path in campaign.ranking],
    )
    ours, theirs = topic_gains(campaign, model), topic_gains(other, model)
    assert list(ours.gains) == list(theirs.gains)  # type: ignore[arg-type]
    assert list(ours.ideal) == list(theirs.ideal)  # type: ignore[arg-type]
    assert ours.not_retrieved == theirs.not_retrieved


@given(campaigns(propagated=True), models)
def test_paths_alone_give_the_gains_of_documents_if_no_size_is_needed(
    campaign: RandomCampaign, model: xcg.UserModel
) -> None:
    if not any(campaign.assessments.values()):
        return
    try:
        sparse = topic_gains(campaign, model, corpus=False)
    except XcgError as error:
        assert "its size in characters is not known" in str(error)
        return
    assert list(sparse.gains) == pytest.approx(list(topic_gains(campaign, model).gains), abs=1e-12)  # type: ignore[arg-type]


@given(st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0]), max_size=8))
def test_any_order_of_the_ideal_gains_is_at_most_the_ideal(gains: list[float]) -> None:
    """A ranking of the ideal gains in any order is at most the ideal."""
    best = sorted((gain for gain in gains if gain), reverse=True)
    if not best:
        return
    topic = RankingGains(gains, best, 0)
    for name in MEASURES_TESTED:
        if not name.startswith("xCG"):
            assert 0 <= MEASURES.parse(name).compute(topic) <= 1 + 1e-12, name
    for shuffled in itertools.islice(itertools.permutations(gains), 20):
        other = RankingGains(list(shuffled), best, 0)
        assert MEASURES.parse("gr@8").compute(other) == pytest.approx(1)
