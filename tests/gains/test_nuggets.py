"""The gain of results that state nuggets: by hand, and properties on random cases."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import xcg
from xcg.documents.corpus import Corpus
from xcg.errors import XcgError
from xcg.evaluation.conversion import convert_assessments
from xcg.evaluation.ideals import ideal_run
from xcg.formats.base import read_assessments
from xcg.formats.placing import locate_passages
from xcg.gains.nugget_reader import Nugget, NuggetTopic, SeenNuggets
from xcg.gains.oracle import order_by_gain
from xcg.gains.topic import reading_of
from xcg.judgements.recall_base import ASSESSMENT_FORMATS, RecallBase
from xcg.measures.topic_gains import Reading
from xcg.report.explanations import explanation_data
from xcg.report.html_statistics import ReportContext, StepCounter
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
    why = [record["why"] for record in campaign.explain(run="run1", topic="1").records()]
    assert why == ["states n1", "states n1 again, seen at rank 1 in document a", "states n2"]
    ideal = [(one.file, one.path, one.assessment, one.score) for one in campaign.ideal(topic="1")]
    assert ideal[0] == ("a", "0–100", "nugget n1", 1.0)
    assert ideal[2] == ("c", "0–50", "nugget n2", 0.5)


def test_explanations_state_shares_of_nuggets_beside_gold(gold: Path) -> None:
    """Of n1, 20 of 100 characters in a, then 40 of 50 in b; c[90:100] is relevant without a nugget."""
    (gold.parent / "more").write_text('{"topic": "1", "doc": "c", "start": 90, "end": 100}\n')
    spans = [("a", 0, 20), ("b", 0, 80), ("c", 80, 200), ("b", 40, 80)]
    run = [{"doc": doc, "start": start, "end": end} for doc, start, end in spans]
    campaign = xcg.load(
        assessments=[gold, gold.parent / "more"],
        runs={"r": {"1": run}},
        corpus=CORPUS,
        user_model=model(0.5),
    )
    *records, missed = campaign.explain(run="r", topic="1").records()
    assert [(one["why"], round(one["score"], 9), round(one["gain"], 9)) for one in records] == [
        ("states 20% of n1", 0.2, 0.2),
        ("states 80% of n1, of which rank 1 in document a showed 20%", 0.8, 0.7),
        ("shows all of 90–100, new to the reader", 1, 1),
        ("states 80% of n1 again, seen at rank 2 in document b", 0.8, 0.4),
    ]
    assert records[1]["related"] == [{"path": "nugget n1", "score": 1, "left": 0.8, "span": (40, 90)}]
    assert (missed["file"], missed["assessment"], missed["why"]) == ("c", "nugget n2", "missed")


def test_explanations_of_documents_count_missed_nuggets(tmp_path: Path) -> None:
    """The ideal gains are 2, 1 for x, y: at rank 2, xCG is 2 as for the ideal rank 1, so ep is 1/2."""
    (tmp_path / "qrels").write_text("1 a x 1\n1 b x 1\n1 c y 1\n")
    campaign = xcg.load(assessments=tmp_path / "qrels", runs={"r": {"1": ["z", "x"]}}, measures="MAep")
    assert campaign.evaluate().value("r", "MAep") == pytest.approx(0.5 / 2)
    (found,) = campaign.explain(run="r", topic="1")
    assert found.derivation.maep == pytest.approx(0.5 / 2)
    assert [(one.file, one.path, one.assessment) for one in found.missed] == [("y", "/", "nugget c")]


def test_the_report_shows_which_text_states_a_nugget(gold: Path) -> None:
    campaign = xcg.load(assessments=gold, runs=RUNS, corpus=CORPUS, user_model="spans")
    context = ReportContext(campaign.inputs, campaign.evaluate(), ["1"], StepCounter(None, 1))
    data = explanation_data(context, 1)
    (topic,) = data["topics"]
    assert [result[-1] for result in topic["models"][0]["runs"][0]["results"]] == [0, 0, 0]  # parts
    shown = {}
    for document in topic["documents"]:
        shown[document["file"]] = [
            (document["nodes"][node][2], one) for node, one in document["labels"]
        ]
    text = " ".join(TEXT.split())
    assert shown == {
        "a": [(text[:99], "nugget n1")],
        "b": [(text[40:89], "nugget n1")],
        "c": [(text[:49], "nugget n2")],
    }


QUOTES = [
    {"topic": "1", "doc": "a", "text": "Bees dance.", "nugget": "n1", "level": 2},
    {"topic": "1", "doc": "b", "text": "Dancing bees", "nugget": "n1", "level": 1},
    {"topic": "1", "doc": "b", "text": "Dancing bees", "nugget": "n2", "level": 2},
    {"topic": "1", "doc": "b", "text": "waggle.", "level": 1},
]
TEXTS = {"a": "Bees dance.", "b": "Dancing bees waggle."}
PLACED = {("a", (0, 11)): {"n1": 2}, ("b", (0, 12)): {"n1": 1, "n2": 2}}


def write(path: Path, records: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_quotes_name_nuggets(tmp_path: Path) -> None:
    corpus = Corpus.of(TEXTS)
    given = write(tmp_path / "quotes", QUOTES)
    placed = write(tmp_path / "placed", locate_passages(given, corpus).passages)
    rows = [",".join(map(str, one.values())) for one in QUOTES[:3]]
    (tmp_path / "table.csv").write_text("\n".join([",".join(QUOTES[0]), *rows]))
    table = locate_passages(tmp_path / "table.csv", corpus).passages
    assert [(one["nugget"], one["level"]) for one in table] == [("n1", 2), ("n1", 1), ("n2", 2)]
    fields = [{k: v for k, v in one.items() if k not in ("topic", "doc")} for one in QUOTES]
    in_python = {"1": {"a": fields[:1], "b": fields[1:]}}
    for source in (given, placed, in_python):
        base = xcg.load(assessments=source, corpus=TEXTS).judgements
        assert base.nuggets["1"] == PLACED
        spans = {file: sorted(found) for file, found in base.spans["1"].items()}
        assert spans == {"a": [(0, 11, 2)], "b": [(0, 12, 2), (13, 20, 1)]}
        assert {key[2][:2]: quote.exact for key, quote in base.texts.items()} == {
            (0, 11): "Bees dance.",
            (0, 12): "Dancing bees",
            (13, 20): "waggle.",
        }


def test_quotes_with_nuggets_that_documents_do_not_confirm(tmp_path: Path) -> None:
    wrong = {**QUOTES[0], "start": 1, "end": 12}
    given = write(tmp_path / "quotes", [wrong, *QUOTES[1:]])
    with pytest.raises(XcgError, match=r"quotes:1, a, 1–12: the text is 'ees dance.'"):
        _ = xcg.load(assessments=given, corpus=TEXTS).judgements
    base = xcg.load(assessments=given, corpus=TEXTS, lenient=True).judgements
    assert (base.spans["1"]["a"], base.nuggets["1"]) == ([], {("b", (0, 12)): {"n1": 1, "n2": 2}})


@pytest.mark.parametrize("name", [n for n in ASSESSMENT_FORMATS if ASSESSMENT_FORMATS.get(n).write])
@pytest.mark.parametrize("kind", ["passages", "documents"])
def test_formats_keep_nuggets_or_name_the_loss(name: str, kind: str, tmp_path: Path) -> None:
    if kind == "passages":
        base = read_assessments(write(tmp_path / "gold", QUOTES))
    else:
        base = RecallBase.of({"1": {"a": [{"nugget": "n1", "level": 2}, {"nugget": "n2"}]}})
    if kind == "documents" and name not in ("jsonl", "trec"):
        with pytest.raises(XcgError, match="holds"):
            convert_assessments(base, name)
        return
    text, lost = convert_assessments(base, name, Corpus.of(TEXTS) if kind == "passages" else None)
    (tmp_path / "new").write_text(text)
    kept = read_assessments(tmp_path / "new")
    assert ("nuggets" in lost) == (kind == "passages" and name != "jsonl")
    if "nuggets" not in lost:
        expected = PLACED if kind == "passages" else base.nuggets["1"]
        assert (kept.has_nuggets, kept.nuggets["1"]) == (True, expected)


def test_a_second_column_without_meaning_becomes_no_nugget(tmp_path: Path) -> None:
    for column, losses in (("0", 0), ("7", 1)):
        (tmp_path / "qrels").write_text(f"1 {column} d#/a 1\n1 {column} e 1\n")
        text, lost = read_assessments(tmp_path / "qrels").to_text("jsonl")
        assert ("nugget" in text, len(lost)) == (False, losses)


def test_the_ideal_run_is_the_greedy_order(gold: Path, tmp_path: Path) -> None:
    """n1 gains 1 in b (50 characters) and a (100), n2 .5 in c (50): b, c at α 1; with a last at .5."""
    for alpha, expected in ((1.0, ["b", "c"]), (0.5, ["b", "c", "a"])):
        inputs = xcg.load(assessments=gold, corpus=CORPUS, user_model=model(alpha)).inputs
        ranking = ideal_run(inputs)[0].rankings["1"]
        assert [file for file, _ in ranking] == expected
        assert ranking.spans[0] == (40, 90)
    (tmp_path / "qrels").write_text("1 a y 1\n1 b x 1\n1 a x 1\n1 b z 1\n")
    run, _ = ideal_run(xcg.load(assessments=tmp_path / "qrels").inputs)
    assert list(run.rankings["1"]) == [("x", "/")]


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


def test_the_reason_for_scores_above_1_names_nuggets(tmp_path: Path) -> None:
    """At alpha .5, a twice gains 1 + .5; the ideal has it once."""
    (tmp_path / "qrels").write_text("1 n a 1\n")
    run = {"r": {"1": ["a", "a"]}}
    half = {"base": "levels", "relevance_value": {"alpha": 0.5}}
    given = {"path": tmp_path / "qrels", "nuggets": True}
    found = xcg.evaluate(given, run, None, half, "nxCG@2")
    assert found.value("r", "nxCG@2") == 1.5
    assert any(note.endswith("because a nugget that was seen gains again") for note in found.notes)


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
    assert sum(gain for *_, gain in ideal) == pytest.approx(sum(one.score for one in nuggets))
    if share:
        return
    best = reading_of(read, "as_read")
    bound = Reading.by_density([(end - start, gain) for _, (start, end), gain in ideal])
    for amount in range(1, 30):
        assert best.gain_at([amount])[0] <= bound.gain_at([amount])[0] + 1e-9


COMPLETED = (  # a[0:5] gains on m only, but then a[5:10] completes the alternative a[0:10] of n
    [
        Nugget("n", 1.0, 1.0, [("a", 0, 10), ("b", 0, 10)]),
        Nugget("m", 0.05, 1.0, [("a", 0, 5)]),
        Nugget("o", 0.02, 1.0, [("c", 0, 5)]),
    ],
    [("b", (0, 6)), ("c", (0, 5)), ("a", (0, 5)), ("a", (5, 10))],
    True,
)


@given(cases(), st.sampled_from([0.25, 1.0]))
@example(COMPLETED, 1.0)
def test_a_greedy_reference_takes_the_greatest_gain(
    case: tuple[list[Nugget], list[tuple[str, tuple[float, float]]], bool], alpha: float
) -> None:
    """Text that was read can raise gains: it completes an alternative."""
    nuggets, results, _ = case
    topic = NuggetTopic({}, lambda file, start, end: (start, end), nuggets)
    order = order_by_gain(results, topic.readers(RelevanceValue(alpha=alpha)))
    readers = topic.readers(RelevanceValue(alpha=alpha))
    left = list(range(len(results)))
    for position in order:
        gains = {one: readers[results[one][0]].gain_of(results[one][1]) for one in left}
        assert gains[position] == pytest.approx(max(gains.values()), abs=1e-9)
        readers[results[position][0]].read(results[position][1])
        left.remove(position)


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
