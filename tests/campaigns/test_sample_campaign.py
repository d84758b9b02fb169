"""Check the sample campaign: it is derived from its sources, and shows what the handbook explains."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import ROOT, Command, load_script, without_note
from lxml import etree

import xcg
from xcg.formats.json_assessments import read_highlights
from xcg.strategies.registry import rewrite, strategies_of

HIGHLIGHTS = ROOT / "assessments" / "handbook-highlights"
TOPICS = sorted((ROOT / "corpora_samples" / "handbook-topics").glob("*.xml"))


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script(ROOT / "corpora_samples" / "make_handbook_campaign.py")


def test_the_script_reproduces_the_committed_files(script: ModuleType, tmp_path: Path) -> None:
    script.main(tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.*"))
    folders = (
        "assessments/handbook",
        "assessments/handbook-second",
        "assessments/handbook-passages",
        "corpora_samples/handbook-runs",
        "corpora_samples/handbook-thorough",
    )
    committed = sorted(
        path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).glob("*.*")
    )
    assert made == committed
    for path in made:
        assert (tmp_path / path).read_bytes() == (ROOT / path).read_bytes(), path


def test_topics_have_the_inex_format() -> None:
    assert len(TOPICS) >= 12
    for path in TOPICS:
        topic = etree.parse(path).getroot()
        assert topic.tag == "inex_topic"
        assert int(path.stem) == int(topic.get("topic_id", ""))
        assert all(topic.findtext(part) for part in ("title", "description", "narrative"))


def test_highlights_match_the_text_and_do_not_overlap() -> None:
    corpus = xcg.Corpus(ROOT / "corpora_samples" / "handbook")
    assessors = {name: read_highlights(HIGHLIGHTS / f"{name}.jsonl") for name in ("first", "second")}
    for marks in assessors.values():
        ordered = sorted(marks)
        for mark in ordered:
            assert corpus.tree(mark.file).text[mark.start : mark.end] == mark.text
        for one, other in pairwise(ordered):
            assert one[:2] != other[:2] or one.end <= other.start
    first, second = ({mark.topic for mark in marks} for marks in assessors.values())
    assert len(first) == len(TOPICS)
    assert len(second) >= 5
    assert second <= first
    assert set(assessors["first"]) != set(assessors["second"])


def test_every_topic_has_answers_at_several_depths() -> None:
    base = xcg.read_assessments(ROOT / "assessments" / "handbook")
    for topic in base.topics:
        focused = {
            path.count("/")
            for elements in base.files(topic).values()
            for path, assessment in elements.items()
            if assessment.specificity == 3
        }
        assert len(focused) >= 2, topic
    assert sum(len(base.files(topic)) > 1 for topic in base.topics) >= 12


def order(model: str, measure: str, results: xcg.Results) -> list[str]:
    return sorted(results.runs, key=lambda run: -results.value(run, measure, user_model=model))


def test_the_user_model_changes_the_order_of_the_strategies() -> None:
    results = xcg.evaluate(
        ROOT / "assessments" / "handbook",
        ROOT / "corpora_samples" / "handbook-runs",
        ROOT / "corpora_samples" / "handbook",
        ["kazai-lalmas-2006", "overlap-off"],
        ["MAep"],
    )
    on, off = (order(model, "MAep", results) for model in results.user_models)
    assert on != off
    # The handbook says: returning overlapping elements helps only if overlap is ignored.
    assert off.index("elements") < off.index("focused")
    assert on.index("focused") < on.index("elements")
    assert on[-1] == off[-1] == "random"


def test_the_command_in_the_readme(xcg_command: Command) -> None:
    done = xcg_command("evaluate", "configs/quickstart.yaml")
    assert (done.returncode, without_note(done.stderr)) == (0, "")
    heading, *rows = done.stdout.splitlines()
    assert heading.split()[:3] == ["measure", "run", "kazai-lalmas-2006"]
    assert len(rows) == 16
    scores, ranks = zip(*(map(float, row.split()[2:4]) for row in rows[:8]), strict=True)
    assert list(ranks) == [1 + sum(other > score for other in scores) for score in scores]


@pytest.mark.parametrize(("name", "strategy"), [("elements", "thorough"), ("focused", "top_ranked")])
def test_xcg_derives_runs_from_the_thorough_run(name: str, strategy: str) -> None:
    thorough = ROOT / "corpora_samples" / "handbook-thorough" / "bm25.jsonl"
    committed = xcg.read_run(ROOT / "corpora_samples" / "handbook-runs" / f"{name}.xml")
    rewritten = xcg.rewrite(thorough, strategy).rankings
    assert {topic: ranking.top(60) for topic, ranking in rewritten.items()} == committed.rankings
    assert max(map(len, rewritten.values())) > 180  # the thorough run is not cut


def test_the_thorough_run_states_scores() -> None:
    run = xcg.read_run(ROOT / "corpora_samples" / "handbook-thorough" / "bm25.jsonl")
    assert run.name == "bm25"
    for ranking in run.rankings.values():
        assert ranking.has_scores
        assert all(one >= other > 0 for one, other in pairwise(ranking.scores))


class TestStrategiesOfTheScript:
    """The runs of one topic on one small document."""

    @pytest.fixture
    def index(self, script: ModuleType) -> Any:
        text = "words that are long enough to be an answer of more than sixty characters"
        source = (
            f"<article><bdy><sec><p>{text}</p><p>{text}</p><p>{text}</p></sec>"
            f"<sec><p>{text}</p><p>{text}</p><p>{text}</p></sec></bdy></article>"
        )
        return script.Index(xcg.Corpus.of({"d": source}))

    def derived(self, script: ModuleType, index: Any, **scores: float) -> dict[str, list[str]]:
        steps = {"s1": "/sec[1]", "s2": "/sec[2]", "b": ""}
        steps |= {f"p{s}{p}": f"/sec[{s}]/p[{p}]" for s in (1, 2) for p in (1, 2, 3)}
        thorough = script.ranked(
            {("d", f"/article[1]/bdy[1]{steps[name]}"): score for name, score in scores.items()}
        )
        return {
            name: [path.removeprefix("/article[1]/bdy[1]") for path in ranking.paths]
            for name, ranking in script.derived(thorough, index)
        }

    def test_results_without_overlap(self, script: ModuleType, index: Any) -> None:
        runs = self.derived(script, index, p11=5, s1=4, b=3, p12=2, s2=1, p21=0.5)
        assert runs["focused"] == ["/sec[1]/p[1]", "/sec[1]/p[2]", "/sec[2]"]

    def test_a_parent_replaces_its_children(self, script: ModuleType, index: Any) -> None:
        runs = self.derived(script, index, b=6, p11=5, p21=4.5, s1=4, p12=2, s2=1)
        assert runs["parents"] == ["/sec[1]", "/sec[2]"]

    def test_siblings_are_merged_into_their_parent(self, script: ModuleType, index: Any) -> None:
        # Two of three paragraphs are merged into their section; one of three is not.
        runs = self.derived(script, index, p11=5, p21=4, p13=3, s2=9)
        assert runs["merged"] == ["/sec[1]", "/sec[2]/p[1]"]

    def test_elements_of_one_kind_and_all_elements(self, script: ModuleType, index: Any) -> None:
        runs = self.derived(script, index, p11=1, s1=2, s2=2)
        assert runs["sections"] == ["/sec[1]", "/sec[2]"]
        assert runs["paragraphs"] == ["/sec[1]/p[1]"]
        assert runs["articles"] == []
        assert runs["elements"] == ["/sec[1]", "/sec[2]", "/sec[1]/p[1]"]

    def test_the_random_run_is_reproducible(self, script: ModuleType, index: Any) -> None:
        first = self.derived(script, index, s1=1)["random"]
        assert self.derived(script, index, s1=1)["random"] == first
        assert len(first) == 10

    def test_users_can_name_the_strategies_of_the_script(self, script: ModuleType) -> None:
        configuration = {"name": script.only, "tags": "sec"}
        (strategy,) = strategies_of(configuration)
        run = xcg.Run.of("r", {"1": ["d#/article/sec", "d#/article/sec/p", "d#/article"]})
        assert list(rewrite(run, strategy).rankings["1"].paths) == ["/article[1]/sec[1]"]
