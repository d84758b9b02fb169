"""The gain of results that state nuggets: by hand, and properties on random cases."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.errors import XcgError
from xcg.gains.nugget_reader import Nugget, NuggetTopic, SeenNuggets
from xcg.gains.topic import reading_of
from xcg.measures.topic_gains import Reading
from xcg.user_model.relevance_value import RelevanceValue

EXAMPLE = [
    {"topic": "1", "doc": "a", "start": 0, "end": 100, "nugget": "n1", "exhaustivity": 2},
    {"topic": "1", "doc": "b", "start": 40, "end": 90, "nugget": "n1", "exhaustivity": 2},
    {"topic": "1", "doc": "c", "start": 0, "end": 50, "nugget": "n2", "exhaustivity": 1},
]
RUNS = {
    "run1": {"1": [{"doc": "a", "start": 0, "end": 100}, {"doc": "b", "start": 40, "end": 90}]},
    "run2": {"1": [{"doc": "b", "start": 40, "end": 90}, {"doc": "c", "start": 0, "end": 50}]},
}
RUNS["run1"]["1"].append({"doc": "c", "start": 0, "end": 50})
RUNS["run2"]["1"].append({"doc": "a", "start": 0, "end": 100})
TEXT = "word " * 40
CORPUS = dict.fromkeys("abc", TEXT)


def model(alpha: float) -> dict[str, object]:
    return {"base": "spans", "relevance_value": {"alpha": alpha}}


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in EXAMPLE))
    return path


def gains(gold: Path, run: str, alpha: float) -> list[float]:
    names = [f"xCG@{rank}" for rank in (1, 2, 3)]
    found = xcg.evaluate(gold, RUNS, CORPUS, model(alpha), names)
    sums = [0.0, *(found.value(run, name) for name in names)]
    return [after - before for before, after in itertools.pairwise(sums)]


def test_the_example_of_the_definition(gold: Path) -> None:
    assert gains(gold, "run1", 1.0) == pytest.approx([1, 0, 0.5])
    assert gains(gold, "run2", 1.0) == pytest.approx([1, 0.5, 0])
    assert gains(gold, "run1", 0.5) == pytest.approx([1, 0.5, 0.5])


def test_nugget_recall(gold: Path) -> None:
    """Run 1 reads a in 20 tokens, then b: n1 at rank 1; n2, of level 1, is all of c."""
    names = ["NuggetRecall@2", "NuggetRecall", "NuggetRecall(rel=2)@1", "NuggetRecall@1"]
    names += ["NuggetRecall(budget=characters)@49", "NuggetRecall(budget=characters)@50"]
    found = xcg.evaluate(gold, RUNS, CORPUS, "spans", [*names, "StRecall@2"])
    assert [found.value("run1", name) for name in names] == [0.5, 1, 1, 0.5, 0, 0.5]
    assert found.value("run2", "NuggetRecall@2") == found.value("run2", "StRecall@2") == 1


def test_explanations_name_nuggets(gold: Path) -> None:
    campaign = xcg.load(assessments=gold, runs=RUNS, corpus=CORPUS, user_model="spans")
    reasons = " ".join(str(record) for record in campaign.explain(run="run1", topic="1").records())
    assert "states n1 again, seen in a" in reasons
    assert "states n2" in reasons
    ideal = [(one.file, one.path, one.assessment, one.score) for one in campaign.ideal(topic="1")]
    assert ideal[0] == ("a", "0–100", "nugget n1", 1.0)
    assert ideal[2] == ("c", "0–50", "nugget n2", 0.5)


def test_nuggets_are_written_as_they_were_read(gold: Path, tmp_path: Path) -> None:
    text, lost = xcg.read_assessments(gold).to_text("jsonl")
    assert ([json.loads(line) for line in text.splitlines()], lost) == (EXAMPLE, [])


def test_a_sentence_with_two_facts_comes_first_in_the_ideal_ranking(tmp_path: Path) -> None:
    """c[0:20] states both; the ideal takes it (density .075), then nothing new is left at alpha 1."""
    records = [
        *EXAMPLE,
        {"topic": "1", "doc": "c", "start": 0, "end": 20, "nugget": "n2", "exhaustivity": 1},
        {"topic": "1", "doc": "c", "start": 0, "end": 20, "nugget": "n1", "exhaustivity": 2},
    ]
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    names = ["nxCG@1", "nxCG(budget=characters,charge=as_read)@20"]
    runs = {"r": {"1": [{"doc": "c", "start": 0, "end": 20}]}, "s": {"1": [RUNS["run1"]["1"][0]]}}
    found = xcg.evaluate(path, runs, CORPUS, model(1.0), names)
    assert [found.value("r", name) for name in names] == pytest.approx([1, 1])
    assert [found.value("s", name) for name in names] == pytest.approx([1 / 1.5, 0.2 / 1.5])


def test_nuggets_of_whole_documents(tmp_path: Path) -> None:
    """x states a (level 2) and b (level 1), y a again. Without a corpus; ideal x, then y."""
    (tmp_path / "qrels").write_text("1 a x 2\n1 b x 1\n1 a y 2\n1 a z 0\n")
    runs = {"r": {"1": ["z", "y", "x"]}}
    half = {"base": "levels", "relevance_value": {"alpha": 0.5}}
    for model_, expected in (("levels", [0, 2, 3]), (half, [0, 2, 4])):
        found = xcg.evaluate(
            tmp_path / "qrels", runs, None, model_, ["xCG@1", "xCG@2", "xCG@3", "gr@9"]
        )
        assert [found.value("r", f"xCG@{k}") for k in (1, 2, 3)] == pytest.approx(expected)
        assert found.value("r", "gr@9") == pytest.approx(1)


def test_models_of_elements_name_spans(gold: Path) -> None:
    with pytest.raises(XcgError, match=r"levels scores elements.*user model spans"):
        xcg.evaluate(gold, RUNS, CORPUS, "levels", "xCG@1")


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Nugget], list[tuple[str, tuple[float, float]]], bool]:
    """Return nuggets with alternatives in two documents, results, and whether nuggets share text."""
    places = st.tuples(st.sampled_from("ab"), st.integers(0, 8), st.integers(1, 4))
    nuggets, taken = [], []
    for number in range(draw(st.integers(1, 3))):
        spans = [(d, s, s + n) for d, s, n in draw(st.lists(places, min_size=1, max_size=3))]
        nuggets.append(Nugget(str(number), draw(st.sampled_from([0.5, 1.0])), 1.0, spans))
        taken.append({(d, p) for d, s, e in spans for p in range(s, e)})
    share = any(one & other for i, one in enumerate(taken) for other in taken[:i])
    results = [(d, (float(s), float(s + n))) for d, s, n in draw(st.lists(places, max_size=6))]
    return nuggets, results, share


def test_gain_is_spread_over_the_alternative_that_a_result_contains_most() -> None:
    """[1, 3) is 2/3 of the first alternative and 1/2 of the second: it gains 2/3 of .5."""
    nugget = Nugget("n", 0.5, 1.0, [("a", 0, 3), ("a", 0, 2)])
    topic = NuggetTopic({}, lambda file, start, end: (start, end), [nugget])
    (read,), _ = topic.read([("a", 1, 3)], RelevanceValue(alpha=1.0))
    (part,) = read.parts
    assert (part.start, part.end, part.gain) == (1, 3, pytest.approx(1 / 3))


@given(cases())
def test_no_reading_gains_more_than_there_is(
    case: tuple[list[Nugget], list[tuple[str, tuple[float, float]]], bool],
) -> None:
    """At alpha 1: the sum of the scores; and after any text the ideal, if nuggets share no text."""
    nuggets, results, share = case
    topic = NuggetTopic({}, lambda file, start, end: (start, end), nuggets)
    alpha_1 = RelevanceValue(alpha=1.0)
    read, _ = topic.read([(d, int(s), int(e)) for d, (s, e) in results], alpha_1)
    total = sum(one.gain for one in read)
    assert total <= sum(one.score for one in nuggets) + 1e-9
    assert sum(one.gain for one in read) == pytest.approx(
        sum(part.gain for one in read for part in one.parts)
    )
    ideal = topic.ideal(alpha_1, per_text=True)
    assert sum(gain for _, gain in ideal) == pytest.approx(sum(one.score for one in nuggets))
    if share:
        return
    best = reading_of(read, "as_read")
    bound = Reading.by_density(ideal)
    for amount in range(1, 30):
        assert best.gain_at([amount])[0] <= bound.gain_at([amount])[0] + 1e-9


@given(cases(), st.floats(0, 1))
def test_gains_are_those_of_the_definition(
    case: tuple[list[Nugget], list[tuple[str, tuple[float, float]]], bool], alpha: float
) -> None:
    nuggets, results, _ = case
    reader = SeenNuggets(nuggets, alpha)
    read: set[tuple[str, int]] = set()
    for file, (start, end) in results:
        new = {(file, position) for position in range(int(start), int(end))}
        expected = 0.0
        for one in nuggets:
            texts = [{(d, p) for p in range(int(s), int(e))} for d, s, e in one.alternatives]
            rise = max(len(t & (read | new)) / len(t) for t in texts)
            rise -= max(len(t & read) / len(t) for t in texts)
            contained = max(len(t & new) / len(t) for t in texts)
            expected += one.score * (rise + (1 - alpha) * (contained - rise))
        gained = sum(part.gain for part in reader.read(file, (start, end)))
        assert gained == pytest.approx(expected, abs=1e-9)
        read |= new


def test_nuggets_in_python() -> None:
    base = {
        "1": {
            "a": [{"start": 0, "end": 100, "nugget": "n1"}],
            "b": [{"start": 40, "end": 90, "nugget": "n1", "level": 1}],
            "c": [{"start": 0, "end": 50, "nugget": "n2", "level": 1}, (60, 70, 1)],
        }
    }
    found = xcg.evaluate(base, RUNS, CORPUS, model(1.0), ["xCG@2", "xCG@3", "StRecall@2"])
    assert found.value("run1", "xCG@3") == pytest.approx(1 + 0.5)
    assert "note: nuggets with several levels, of which the highest counts: 1" in found.notes
    assert found.value("run2", "StRecall@2") == 1
    documents = {"1": {"x": [{"nugget": "a", "level": 2}, {"nugget": "b"}], "y": [{"nugget": "a"}]}}
    found = xcg.evaluate(documents, {"r": {"1": ["y", "x"]}}, measures=["xCG@1", "xCG@2", "AP_IA"])
    assert [found.value("r", f"xCG@{k}") for k in (1, 2)] == [2, 3]
    with pytest.raises(XcgError, match="topic 1, x: judged before for the nugget 'a'"):
        xcg.evaluate({"1": {"x": [{"nugget": "a"}, {"nugget": "a"}]}}, {"r": {"1": ["x"]}})
