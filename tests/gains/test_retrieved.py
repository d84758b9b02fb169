"""When a ranking retrieves an ideal element, the N of MAep and Q."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from random_cases import RandomCampaign, campaigns
from test_topic import topic_gains

import xcg
from xcg.documents.corpus import Corpus
from xcg.errors import Notes
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.topics import TopicSource
from xcg.gains.document_reader import DocumentReader
from xcg.gains.judged_topic import ideal_elements_of

PARAGRAPHS = [f"d#/article[1]/p[{number}]" for number in range(1, 11)]
ARTICLE = "d#/article[1]"
TEN_PARAGRAPHS = "<article>" + "<p>abcdefghij</p>" * 10 + "</article>"
GRADES = {"d": {"/article[1]": (3, 2)} | {path.removeprefix("d#"): (3, 3) for path in PARAGRAPHS}}


def scores(results: list[str], measures: str, model: Any = None) -> list[float]:
    """Return scores of a ranking of the article of ten ideal paragraphs."""
    names = measures.split()
    runs = {"r": {"1": results}}
    found = xcg.evaluate({"1": GRADES}, runs, {"d": TEN_PARAGRAPHS}, model, names)
    return [found.value("r", name) for name in names]


def test_the_page_states_these_values() -> None:
    page = (ROOT / "docs" / "concepts" / "effort-precision.md").read_text(encoding="utf-8")
    rows = {
        "the article | 1 | 10": [ARTICLE],
        "one paragraph | 1 | 9": PARAGRAPHS[:1],
        "one paragraph, then the article | 2 | 9": [PARAGRAPHS[0], ARTICLE],
    }
    for label, results in rows.items():
        found = scores(results, "MAep MAep(average=gain) Q")
        values = " | ".join(f"{value + 1e-12:.4f}" for value in found)
        assert f"\n| {label} | {values} |\n" in page


@pytest.mark.parametrize("measure", ["MAep(average=gain)", "MAep(average=gain,interpolation=linear)"])
def test_the_mean_over_gain_does_not_jump_at_alpha_1(measure: str) -> None:
    """With α just below 1, the repeated paragraph is a rank with a tiny gain."""
    for name, jumps in ((measure, False), ("MAep", True)):
        below, at_1 = (
            scores([ARTICLE, ARTICLE], name, {"name": "m", "relevance_value": {"alpha": alpha}})[0]
            for alpha in (1 - 1e-6, 1)
        )
        assert (abs(below - at_1) > 1e-3) == jumps


def test_a_near_miss_outside_of_an_ideal_element_does_not_retrieve_it() -> None:
    grades = {"1": {"d": {"/s[1]/p[1]": (3, 3)}}}
    model = {"name": "m", "relevance_value": {"near_misses": {"name": "distance", "decay": 0.5}}}
    runs = {"sibling": {"1": ["d#/s[1]/p[2]"]}, "inside": {"1": ["d#/s[1]/p[1]/b[1]"]}}
    corpus = {"d": "<s><p><b>one</b></p><p>two</p></s>"}
    found = xcg.evaluate(grades, runs, corpus, model, ["MAep", "xCG@1"])
    assert [found.value(run, "xCG@1") for run in runs] == [0.25, 0.5]
    assert found.value("sibling", "MAep") == 0.25 / 2
    assert found.value("inside", "MAep") == 0.5 / 1


class Appreciative(DocumentReader):
    """Every assessed result gains its score, and claims to be related to nothing or to everything."""

    everything = False

    def gain_of(self, result: int) -> float:
        return self.score(result)

    def related(self, result: int) -> list[int]:
        return list(self.document.ideal_scores) if self.everything else []


class Claiming(Appreciative):
    everything = True


NEAR_MISSES = [
    "judged",
    "exact",
    {"name": "distance", "reach": 3},
    "reading_order",
]


def rules() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "alpha": st.sampled_from([0.0, 0.3, 1.0]),
            "normalisation": st.sampled_from(["subtree", "none"]),
            "near_misses": st.sampled_from(NEAR_MISSES),
        }
    ) | st.sampled_from([{"reader": reader} for reader in (Appreciative, Claiming)])


@given(campaigns(), rules(), st.sampled_from(["full", "kazai_lalmas", "roots", "leaves", "max_gain"]))
def test_agrees_with_a_naive_count(campaign: RandomCampaign, rule: dict[str, Any], ideal: str) -> None:
    model = xcg.UserModel.of({"name": "m", "ideal": ideal, "relevance_value": rule})
    if not campaign.ranking:
        return
    topic = topic_gains(campaign, model)
    gains = list(topic.gains)  # type: ignore[arg-type]
    hits = [result for result, gain in zip(campaign.ranking, gains, strict=True) if gain > 0]
    missed = 0
    for file, path in ideal_paths(campaign, model):
        inside = [p for f, p in hits if f == file and (p == path or p.startswith(path + "/"))]
        missed += not ((path in inside) if rule.get("normalisation") == "none" else inside)
    assert topic.not_retrieved == missed


def ideal_paths(campaign: RandomCampaign, model: xcg.UserModel) -> list[tuple[str, str]]:
    base = Inputs({"1": campaign.assessments}).recall_base
    runs = Inputs(base, {"run": {"1": campaign.ranking}}).loaded_runs
    view = TopicSource(base, runs, Corpus.of(campaign.sources)).topic("1", Notes())
    documents = ideal_elements_of(view, model).documents
    return [(file, d.tree.path(row)) for file, d in documents.items() for row in d.ideal]
