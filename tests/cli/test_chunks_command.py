"""Chunkers and retrievers compared on one gold set."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from hypothesis import given
from span_examples import DOCUMENTS, GOLD, chunk_run, in_three_forms, recall_base, span_cases

import xcg
from xcg.errors import InputError, XcgError
from xcg.evaluation.chunks import ChunkComparison, Row
from xcg.evaluation.chunks import compare_chunks as compare_inputs
from xcg.evaluation.inputs import Inputs
from xcg.judgements.recall_base import RecallBase, Span
from xcg.runs.chunks import run_of_chunks
from xcg.user_model.model import default_text_model

# 20 tokens of five characters; gold 10–30 worth 1 (four tokens) and 50–60 worth .5 (two).
_OF_CHUNKS = ("budgets", "measures", "questions")


def compare_chunks(*inputs: Any, **keys: Any) -> ChunkComparison:
    """Compare gold, runs, a corpus and a user model with keys of inputs and of the comparison."""
    chosen = {key: keys.pop(key) for key in _OF_CHUNKS if key in keys}
    return compare_inputs(Inputs(*inputs, **keys), **chosen)


def of_kind(found: ChunkComparison, kind: str) -> list[Row]:
    return [row for row in found.questions if row["kind"] == kind]


RUN = [("bees", 0, 40), ("bees", 20, 60), ("bees", 0, 100)]


def test_a_line_by_hand() -> None:
    found = compare_chunks(recall_base(GOLD), chunk_run("r", RUN), DOCUMENTS, budgets=[6, 15, 6])
    (row,) = found.rows
    # Paid: 4 tokens of nothing, 4 for the first gold span; 6 of nothing new, 2 for the second; 20 of
    # nothing new. Seen before: 4 of the second result, 12 of the third.
    maep = (1 - math.log(2) + 0.5 - 2.5 * math.log(16 / 14)) / 1.5
    assert row == {
        **{"run": "r", "questions": 1, "unanswered": 0, "nothing found": 0, "chunks": 3},
        **{"tokens/chunk": 12, "tokens": 36, "found": 1, "useful": 6 / 36, "twice": 16 / 36},
        **{"MAep": pytest.approx(maep), "nxCG@6": pytest.approx(0.5 / 1.5)},
        "nxCG@15": pytest.approx(1.25 / 1.5),
    }


def test_text_that_states_a_nugget_is_gold_text() -> None:
    """A result shows 4 of the 6 tokens of two passages, of which the first states a nugget."""
    stated = {"1": {"bees": [{"start": 10, "end": 30, "nugget": "n"}, (50, 60)]}}
    plain = {"1": {"bees": [(10, 30), (50, 60)]}}
    both = [
        xcg.load(
            assessments=gold, runs={"r": {"1": [("bees", 0, 40)]}}, corpus=DOCUMENTS, user_model="spans"
        )
        for gold in (stated, plain)
    ]
    for found in (one.chunks().records()[0] for one in both):
        assert found["nothing found"] == 0
        assert (found["found"], found["useful"]) == pytest.approx((1 / 2, 4 / 8))
    with_nuggets, without = (one.chunks(questions=True).records() for one in both)
    assert with_nuggets == without


def test_scores_of_questions_are_those_of_evaluate() -> None:
    base, runs = recall_base(GOLD), [chunk_run("r", RUN), chunk_run("late", RUN[1:])]
    base.add_span("2", "bees", Span(0, 5), "test")
    strategies = ["unique", "oracle"]
    found = compare_chunks(base, runs, DOCUMENTS, budgets=[6], measures="RR", strategies=strategies)
    names = {"MAep": "MAep(effort=tokens)", "nxCG@6": "nxCG(budget=tokens)@6", "RR": "RR"}
    expected = xcg.evaluate(base, runs, DOCUMENTS, "spans", [*names.values()], strategies="unique")
    assert found.scores.runs == ["r+unique", "late+unique"]  # oracle is a greedy reference
    assert found.scores.topics == ["1", "2"]
    for row in found.scores:
        value = expected.value(row.run, names[row.measure], row.topic)
        assert row.value == pytest.approx(value, abs=1e-12)


def test_questions_by_hand() -> None:
    found = compare_chunks(
        recall_base([*GOLD, ("bees", 80, 100, 2.0)]),
        chunk_run("r", [*RUN[:2], ("bees", 0, 40), ("bees", 60, 85)]),
        DOCUMENTS,
        questions=True,
    )
    gold = of_kind(found, "gold")
    assert [tuple(row.values())[:-1] for row in gold] == [
        ("1", "r", "gold", "bees", 10, 30, 4.0, 1.0, 1.0, "found", 1, 4.0),
        ("1", "r", "gold", "bees", 50, 60, 2.0, 0.5, 1.0, "found", 2, 14.0),
        ("1", "r", "gold", "bees", 80, 100, 4.0, 1.0, 0.25, "partly found", 4, 28.0),
    ]
    results = of_kind(found, "result")
    assert [tuple(row.values())[3:-1] for row in results] == [
        # rank, doc, start, end, text, new, again, irrelevant, seen
        (1, "bees", 0, 40, 8.0, 4.0, 0.0, 4.0, 0.0, "new"),
        (2, "bees", 20, 60, 8.0, 2.0, 2.0, 4.0, 4.0, "new"),
        (3, "bees", 0, 40, 8.0, 0.0, 4.0, 4.0, 8.0, "paid twice"),
        (4, "bees", 60, 85, 5.0, 1.0, 0.0, 4.0, 0.0, "new"),
    ]
    assert gold[0]["words"] == "word word word word"
    assert results[0]["words"] == "word " * 7 + "word"
    far = compare_chunks(
        recall_base(GOLD),
        chunk_run("r", [("bees", 70, 90)]),
        DOCUMENTS,
        questions=True,
    )
    assert [(row["verdict"], row["tokens"]) for row in far.questions] == [
        ("missed", 4),
        ("missed", 2),
        ("irrelevant", 4),
    ]
    assert far.rows[0]["nothing found"] == 1


def test_beginnings_are_short_and_harmless() -> None:
    text = "bees \x9b2J\u202e dance\n" + "and waggle " * 20
    found = compare_chunks(
        recall_base([("d", 0, 50, 2.0)]), chunk_run("r", []), {"d": text}, questions=True
    )
    (row,) = found.questions
    assert row["words"].startswith("bees  2J  dance and")
    assert len(row["words"]) <= 60


@given(span_cases())
def test_the_figures_are_those_of_an_evaluation(case: Any) -> None:
    documents, gold, ranking = case
    base, run = recall_base(gold), chunk_run("r", ranking)
    names = ["MAep(effort=tokens)", *(f"nxCG(budget=tokens)@{n}" for n in (3, 7))]
    names.append("gr(budget=tokens)@999999999")
    expected = xcg.evaluate(base, [run], documents, "spans", names)
    found = compare_chunks(base, run, documents, "spans", budgets=(3, 7), questions=True)
    (row,) = found.rows
    values = [row[name] for name in ("MAep", "nxCG@3", "nxCG@7", "found")]
    assert values == pytest.approx([expected.value("r", name) for name in names], abs=1e-12)
    shown, pieces = of_kind(found, "result"), of_kind(found, "gold")
    for result in shown:
        parts = result["new"] + result["again"] + result["irrelevant"]
        assert parts == pytest.approx(result["tokens"], abs=1e-8)
        assert result["again"] - 1e-8 <= result["seen"] <= result["tokens"] + 1e-8
    # Relevant text is new once, and what was shown of gold is worth what was gained on it.
    text = sum(gold["found"] * gold["tokens"] for gold in pieces)
    assert sum(result["new"] for result in shown) == pytest.approx(text, abs=1e-8)
    gain = sum(gold["found"] * gold["score"] for gold in pieces)
    assert gain / sum(gold["score"] for gold in pieces) == pytest.approx(row["found"], abs=1e-8)


def test_by_path_by_offsets_and_as_chunks_is_one_line() -> None:
    base, documents, runs = in_three_forms("r", "r", "r")
    first, *others = (compare_chunks(base, run, documents, questions=True) for run in runs)
    for other in others:
        assert (other.rows, other.questions) == (first.rows, first.questions)


def base_of_topics(*topics: str) -> RecallBase:
    base = RecallBase()
    for topic in topics:
        base.add_topic(topic, "test")
        base.add_span(topic, "bees", Span(0, 50), "test")
    return base


def test_unanswered_questions_and_those_without_gold() -> None:
    base = base_of_topics("1", "2")
    base.add_topic("3", "test")
    runs = [chunk_run("one", [("bees", 0, 50)]), run_of_chunks("none", {"7": [("bees", 0, 50)]})]
    found = compare_chunks(base, runs, DOCUMENTS, questions=True)
    # questions, unanswered, nothing found, chunks, text per chunk, text, found, useful, twice, MAep
    one, none = (tuple(row.values())[1:11] for row in found.rows)
    assert one[:-1] == (2, 1, 0, 0.5, 10, 5, 0.5, 1, 0)
    assert none == (2, 2, 0, 0, None, 0, 0, None, None, 0)
    assert found.notes == [
        "warning: run none answers no assessed topic, so each is counted 0: topic 1, 2, 3; its topics "
        "have other names, such as '7'",
        "note: run one: not answered, so counted 0: topic 2, 3",
        "note: run none: no assessments, so left out: topic 7",
        "note: spans: tokens are counted by the tokenizer approximate",
        "note: spans: no gold text, so left out: question 3",
    ]
    # An unanswered question's gold is told too.
    assert [(row["question"], row["run"]) for row in found.questions] == [
        ("1", "one"),
        ("1", "one"),
        ("1", "none"),
        ("2", "one"),
        ("2", "none"),
    ]
    (skipped,) = compare_chunks(base, runs, DOCUMENTS, unanswered="skip").rows
    assert (*list(skipped.values())[:3], skipped["found"]) == ("one", 1, 1, 1)
    with pytest.raises(XcgError, match="no topic of the runs is assessed"):
        compare_chunks(base, runs[1], DOCUMENTS, unanswered="skip")


def test_what_fits_no_document() -> None:
    base = base_of_topics("1")
    good = ("bees", 0, 50)
    for place, message in (
        (("ants", 0, 5), "rank 1, ants: the corpus has no document 'ants'; expected corpus/ants.xml"),
        (("bees.md", 0, 5), "no document 'bees.md'; did you mean 'bees'. Documents are named without"),
        (("bees", 90, 101), "rank 1, bees: no characters 90–101: the document's text has 100"),
    ):
        run = chunk_run("r", [place, good])
        with pytest.raises(InputError, match=message):
            compare_chunks(base, run, DOCUMENTS)
        found = compare_chunks(base, run, DOCUMENTS, lenient=True, questions=True)
        assert found.notes[0].startswith("warning: results with unknown paths: 1 time")
        # It keeps its rank and has to be looked at, and hides nothing.
        assert [found.rows[0][name] for name in ("chunks", "tokens", "found", "twice")] == [2, 11, 1, 0]
        gold, bad, _ = found.questions
        assert (gold["rank"], gold["after"]) == (2, 1)
        names = ("start", "end", "tokens", "verdict")
        assert [bad[name] for name in names] == [0, 0, 1, "irrelevant"]
    base.add_span("1", "bees.md", Span(0, 5), "test")
    with pytest.raises(
        InputError, match=r"topic 1: the corpus has no document 'bees.md'; did you mean"
    ):
        compare_chunks(base, chunk_run("r", [good]), DOCUMENTS)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"user_model": "levels"}, "levels has 'spans: refuse': expected one with 'spans: text'"),
        ({"user_model": ["spans", "spans-levels"]}, "2 user models: expected one"),
        ({"corpus": None}, "expected a corpus"),
        ({"runs": []}, "no runs"),
        ({"assessments": {}}, "nothing to compare"),
    ],
)
def test_what_cannot_be_compared(changed: dict[str, Any], message: str) -> None:
    given_: dict[str, Any] = {
        "assessments": recall_base(GOLD),
        "runs": chunk_run("r", RUN),
        "corpus": DOCUMENTS,
        **changed,
    }
    with pytest.raises(XcgError, match=message):
        compare_chunks(**given_)


def test_the_user_model_follows_the_gold() -> None:
    assert default_text_model(recall_base(GOLD)).name == "spans"
    assert default_text_model(recall_base([("bees", 0, 10, 3.0)])).name == "spans-levels"
    assert default_text_model(RecallBase.of({"1": {"d": 2}})).name == "spans-levels"
    four_point = RecallBase.of({"1": {"d": {"/a": (3, 2), "/a/p[1]": (3, 3)}}})
    assert default_text_model(four_point).name == "kazai-lalmas-2006, as text"
    documents = {"d": "<a><p>one two </p><p>three four</p></a>"}
    # The ideal element, two tokens, is gold; the run pays two more first.
    (row,) = compare_chunks(four_point, {"r": {"1": ["d#/a"]}}, documents, budgets=[3]).rows
    assert [row[name] for name in ("found", "useful", "nxCG@3")] == [1, 0.5, 0.5]


# The command


@pytest.fixture
def campaign(tmp_path: Path) -> list[str]:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "bees.txt").write_text("word " * 20)
    gold = [{"topic": "1", "doc": "bees", "start": a, "end": b} for a, b in ((10, 30), (50, 60))]
    gold += [{"topic": "2", "doc": "bees", "start": 90, "end": 95}]
    write_lines(tmp_path / "gold.jsonl", gold)
    (tmp_path / "big.txt").write_text(
        "".join(f"1 Q0 bees {n} {9 - n} big {a} {b - a}\n" for n, (_, a, b) in enumerate(RUN, 1))
    )
    small = [{"topic": "1", "doc": "bees", "start": a, "end": a + 10} for a in (0, 10, 20)]
    write_lines(tmp_path / "small.jsonl", small)
    files = ["--gold", tmp_path / "gold.jsonl", "--corpus", documents]
    files += ["--run", tmp_path / "big.txt", "--run", tmp_path / "small.jsonl"]
    return [str(word) for word in files]


def write_lines(path: Path, lines: Sequence[object]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_the_table(xcg_command: Command, campaign: list[str]) -> None:
    done = xcg_command("chunks", *campaign, "--budget", 4)
    assert done.returncode == 0, done.stderr
    heading, big, small = (line.split() for line in done.stdout.splitlines())
    assert " ".join(heading[:8]) == "run questions unanswered nothing found chunks tokens/chunk tokens"
    assert " ".join(heading[8:]) == "found useful twice MAep nxCG@4"
    # Both gold spans of question 1 are worth 1 here; question 2 is unanswered.
    # Relevant and new of what big reads: 6 of 36 tokens, 16 were seen; small: 4 of 6.
    assert big[:10] == ["big", "2", "1", "0", "1.5", "12.0", "18.0", "0.5000", "0.1667", "0.4444"]
    assert small[:10] == ["small", "2", "1", "0", "1.5", "2.0", "3.0", "0.2500", "0.6667", "0.0000"]
    assert done.stderr.count("not answered, so counted 0: topic 2") == 2
    best, second = ("big", "small") if big[10] > small[10] else ("small", "big")
    sentence = f"MAep: the best run, {best}, does not differ significantly from the second, {second}"
    assert sentence in done.stderr


def test_every_form(xcg_command: Command, campaign: list[str], tmp_path: Path) -> None:
    options = ["chunks", *campaign, "--budget", "1"]
    lines = xcg_command(*options, "--format", "jsonl").stdout.splitlines()
    found = [json.loads(line) for line in lines]
    assert [(row["run"], row["tokens"], row["tokens/chunk"]) for row in found] == [
        ("big", 18.0, 12.0),
        ("small", 3.0, 2.0),
    ]
    table = tmp_path / "questions.txt"
    done = xcg_command("chunks", *campaign, "--questions", "--output", table)
    assert (done.returncode, done.stdout) == (0, "")
    gold, results = table.read_text().split("\n\n")
    heading = "question run doc start end tokens score found verdict rank after words"
    assert " ".join(gold.splitlines()[0].split()) == heading
    third = results.splitlines()[3].split()
    assert third[6:13] == ["20.0", "0.0", "6.0", "14.0", "12.0", "paid", "twice"]
    done = xcg_command(*options, "--questions", "--format", "jsonl")
    first, *_, last = map(json.loads, done.stdout.splitlines())
    assert (
        list(first)
        == list(last)
        == [
            *("question", "run", "kind", "rank", "doc", "start", "end", "tokens", "score", "found"),
            *("after", "new", "again", "irrelevant", "seen", "verdict", "words"),
        ]
    )


def test_the_measures_of_a_configuration_are_further_columns(
    xcg_command: Command, campaign: list[str], tmp_path: Path
) -> None:
    config = tmp_path / "config.yaml"
    inputs = "corpus: documents\nassessments: gold.jsonl\nruns: [big.txt, small.jsonl]\n"
    config.write_text(inputs)
    assert xcg_command("chunks", config).stdout == xcg_command("chunks", *campaign).stdout
    config.write_text(f"{inputs}measures: [SpanPrecision, R@1, MAep]\n")
    lines = xcg_command("chunks", config, "--format", "jsonl").stdout.splitlines()
    # MAep has a column already. Question 1: 20 + 10 of 180 characters; question 2 is unanswered.
    row = json.loads(lines[0])
    assert list(row)[-3:] == ["nxCG@2000", "SpanPrecision", "R@1"]
    assert row["SpanPrecision"] == pytest.approx(30 / 180 / 2)
    wrong = xcg_command("chunks", config, "--measures", "SpanIou")
    message = "--measures: unknown measure 'SpanIou': did you mean 'SpanIoU'?"
    assert (wrong.returncode, wrong.stderr) == (2, f"xcg: error: {message}\n")
