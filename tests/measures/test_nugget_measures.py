"""Measures of nuggets: as ndeval computes them, by hand, and on spans."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyndeval
import pytest

import xcg
from xcg.errors import XcgError

THEIRS = {
    "alpha_nDCG@{}": "alpha-nDCG@{}",
    "ERR_IA@{}": "ERR-IA@{}",
    "StRecall@{}": "strec@{}",
    "P_IA@{}": "P-IA@{}",
    "AP_IA": "MAP-IA",
    "NRBP": "NRBP",
}


def campaign(seed: int) -> tuple[list[tuple[str, str, str, int]], dict[str, dict[str, list[str]]]]:
    """Return random diversity qrels and a run."""
    generator = random.Random(seed)
    documents = [f"d{number}" for number in range(generator.randint(3, 40))]
    qrels = [
        (topic, str(nugget), document, generator.choice([0, 1, 1, 2]))
        for topic in ("1", "2")
        for nugget in range(1, generator.randint(3, 7))
        for document in generator.sample(documents, generator.randint(2, len(documents)))
    ]
    answers = [*documents, *(f"x{number}" for number in range(9))]
    run = {topic: generator.sample(answers, generator.randint(1, len(answers))) for topic in ("1", "2")}
    return qrels, {"r": run}


def as_lines(qrels: list[tuple[str, str, str, int]]) -> str:
    return "".join(f"{topic} {nugget} {document} {level}\n" for topic, nugget, document, level in qrels)


@pytest.mark.parametrize(
    "seeds", [range(15), pytest.param(range(15, 300), marks=pytest.mark.slow)], ids=len
)
def test_values_are_those_of_ndeval(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        qrels, runs = campaign(seed)
        (tmp_path / "qrels").write_text(as_lines(qrels))
        pairs = {
            mine.format(k): their.format(k) for mine, their in THEIRS.items() for k in (1, 2, 5, 10, 20)
        }
        found = xcg.evaluate(tmp_path / "qrels", runs, measures=list(pairs))
        scored = [(t, d, -float(i)) for t, ranking in runs["r"].items() for i, d in enumerate(ranking)]
        each = pyndeval.ndeval(qrels, scored, list(pairs.values()))
        for topic, values in each.items():
            for mine, their in pairs.items():
                name = mine, topic, seed
                assert found.value("r", mine, topic) == pytest.approx(values[their], abs=1e-6), name


def test_by_hand_beyond_rank_20_and_with_levels(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 a x 1\n1 b x 2\n1 a y 1\n1 b z 0\n")
    runs = {"r": {"1": ["y", *(f"n{number}" for number in range(23)), "x"]}}
    names = [
        "StRecall@24",
        "StRecall@25",
        "StRecall(rel=2)@25",
        "AP_IA",
        "P_IA@25",
        "ERR_IA(alpha=1)@25",
    ]
    found = xcg.evaluate(tmp_path / "qrels", runs, measures=names)
    expected = [0.5, 1, 1, ((1 + 2 / 25) / 2 + 1 / 25) / 2, 3 / 50, (1 + 1 / 25) / 2]
    assert [found.value("r", name) for name in names] == pytest.approx(expected)


def test_the_second_column_matters_only_if_it_must(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 a x 0\n1 b x 2\n1 a y 1\n")
    found = xcg.evaluate(tmp_path / "qrels", {"r": {"1": ["x", "y"]}}, measures="nDCG@1 AP")
    assert found.value("r", "nDCG@1") == 1  # the highest level of x
    assert any("read as the nugget" in note for note in found.notes)
    (tmp_path / "qrels").write_text("1 a x 2\n1 b y 1\n2 1 x 1\n")
    found = xcg.evaluate(tmp_path / "qrels", {"r": {"1": ["x"]}}, measures="AP StRecall@1")
    assert found.value("r", "StRecall@1", "1") == 0.5
    assert not any("nugget" in note for note in xcg.evaluate(tmp_path / "qrels", {"r": {}}).notes)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1 a x 1\n1 b x 1\n1 a x 2\n", r"qrels:3: topic 1, x: judged before, in line 1; expected one"),
        ("1 0 x 1\n1 0 x 1\n", r"qrels:2: topic 1, x: judged before, in line 1; expected one"),
        ("1 0 x 1\n2 0 y 1\n", r"StRecall@5 needs nuggets, but no judgement names one: expected the"),
    ],
)
def test_errors(lines: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(lines)
    with pytest.raises(XcgError, match=message):
        xcg.evaluate(tmp_path / "qrels", {"r": {"1": ["x"]}}, measures="StRecall@5")


def test_a_key_reads_the_second_column_as_the_nugget(tmp_path: Path) -> None:
    """Both documents state n: at alpha 1 the second gains nothing; without the key, each gains 1."""
    (tmp_path / "qrels").write_text("1 n x 1\n1 n y 1\n")
    (tmp_path / "run").write_text("1 Q0 x 1 2 r\n1 Q0 y 2 1 r\n")
    (tmp_path / "plain.yaml").write_text("{assessments: qrels, runs: run, measures: xCG@2}")
    (tmp_path / "named.yaml").write_text(
        "{assessments: {path: qrels, nuggets: true}, runs: run, measures: xCG@2}"
    )
    given = {"path": str(tmp_path / "qrels"), "nuggets": True}
    campaigns = [
        xcg.load(tmp_path / "named.yaml"),
        xcg.load(tmp_path / "plain.yaml", set=[f"assessments={json.dumps(given)}"]),
        xcg.load(assessments=given, runs=tmp_path / "run", measures="xCG@2"),
    ]
    xcg.load(tmp_path / "named.yaml", set=[f"record={tmp_path / 'record'}"]).evaluate()
    for campaign in (*campaigns, xcg.load(tmp_path / "record")):
        found = campaign.evaluate()
        assert found.value("r", "xCG@2") == 1
        assert any(note.endswith("as the nugget, because nuggets is true") for note in found.notes)
    assert xcg.load(tmp_path / "plain.yaml").evaluate().value("r", "xCG@2") == 2
    (tmp_path / "qrels").write_text("1 0 x 1\n")
    with pytest.raises(XcgError, match="nuggets is true, but no judgement names one"):
        xcg.load(tmp_path / "named.yaml").evaluate()


def test_text_that_the_document_lacks_uses_up_a_budget() -> None:
    fact, title = "bees make honey from nectar and store it in wax combs", "A title of 21 letters"
    gold = {"1": {"d": [{"start": 0, "end": len(fact), "nugget": "n"}]}}
    runs = {
        "plain": {"1": [{"doc": "d", "text": fact}]},
        "padded": {"1": [{"doc": "d", "text": title + fact}]},
    }
    budgets = (len(fact), len(title) + len(fact) // 2 - 1, len(title) + len(fact))
    measures = [f"NuggetRecall(budget=characters)@{budget}" for budget in budgets]
    found = xcg.evaluate(gold, runs, {"d": f"{fact}, and more text"}, "spans", measures)
    assert [found.value("plain", measure) for measure in measures] == [1, 1, 1]
    assert [found.value("padded", measure) for measure in measures] == [1, 0, 1]
