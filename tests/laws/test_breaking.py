"""Measures that break the laws are caught with the smallest case, and those that keep them are not."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Command
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from xcg.errors import XcgError
from xcg.laws.cases import Case, Document, Setting, beside_gold, cases, inside, pieces, rankings
from xcg.laws.laws import LAWS
from xcg.laws.search import Outcome, search
from xcg.laws.subject_types import Gold, Retrieved, overlap
from xcg.laws.subjects import FunctionSubject, MeasureSubject
from xcg.report.laws import outcome_text
from xcg.user_model.model import UserModel

Ranked = list[Retrieved]
SETTINGS = [Setting("text"), Setting("elements")]


def characters(span: Gold | Retrieved) -> set[tuple[str, int]]:
    return {(span.document, place) for place in range(span.start, span.end)}


def covered(gold: list[Gold], ranking: Ranked) -> float:
    """Return the share of the gold's characters that the ranking shows: it keeps every law."""
    relevant = set().union(*map(characters, gold))
    return len(relevant & set().union(*map(characters, ranking))) / len(relevant)


def first_gold(gold: list[Gold], ranking: Ranked) -> float:
    """Return 1 / the rank of the first result with relevant text: paid in ranks, it keeps every law."""
    places = [i for i, r in enumerate(ranking, 1) if any(overlap(g, r) for g in gold)]
    return 1 / places[0] if places else 0.0


def verdicts(function: Callable[..., float], **options: object) -> dict[str, str]:
    subject = FunctionSubject("f", function)
    return {outcome.law.name: outcome.verdict for outcome in search(subject, **options)}  # type: ignore


# The nDCG of today


def test_plain_ndcg_is_lifted_above_1_by_a_duplicate(xcg_command: Command) -> None:
    done = xcg_command(
        "break", "xcg.laws.subject_types:ndcg_over_chunks", "--law", "boundedness", "--format", "json"
    )
    assert (done.returncode, done.stderr) == (1, "")
    (record,) = json.loads(done.stdout)
    (gold,) = record["gold"]
    # The smallest case there is: one character, graded 1, returned twice; 1 + 1 / log2 3.
    assert record["documents"] == {"a": "a"}
    assert gold == ["a", 0, 1, 1]
    assert record["ranking"] == [["a", 0, 1], ["a", 0, 1]]
    assert record["score"] == pytest.approx(1 + 1 / math.log2(3), abs=1e-12)


def test_the_smallest_case_for_people(xcg_command: Command) -> None:
    done = xcg_command("break", "xcg.laws.subject_types:ndcg_over_chunks", "--law", "no-pay-twice")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "xcg.laws.subject_types:ndcg_over_chunks, seed 0"
    assert lines[1].startswith("no-pay-twice: broken, in case ")
    assert lines[2:] == [
        "  A result that repeats an earlier one, or lies inside it, never raises the score.",
        '  document a: "[a]"',
        '  gold: a 0–1 "a", grade 1',
        "  before: score 1",
        '     1. a 0–1 "a"',
        "  after: score 1.6309",
        '     1. a 0–1 "a"',
        '     2. a 0–1 "a"',
        "  The score rose from 1 to 1.6309. The measure pays twice for the same text: a system gains "
        "by",
        "  returning what its user has read already.",
    ]


def test_the_bad_examples_break_three_laws() -> None:
    for name in ("ndcg_over_chunks", "recall_over_chunks"):
        subject = FunctionSubject.named(f"xcg.laws.subject_types:{name}")
        found = {
            outcome.law.name for outcome in search(subject, examples=100) if outcome.verdict == "broken"
        }
        assert found == {"boundedness", "no-pay-twice", "granularity"}, name


# Ours


@pytest.mark.parametrize("measure", ["nxCG@2", "MAep", "iMAep", "ep@0.5"])
def test_ours_are_bounded_and_do_not_pay_twice(measure: str) -> None:
    subject = MeasureSubject.named(measure)
    outcomes = list(search(subject, ["boundedness", "no-pay-twice"], examples=150))
    assert [outcome.verdict for outcome in outcomes] == ["held", "held"]
    assert all(outcome.cases > 100 for outcome in outcomes)


@pytest.mark.parametrize(
    "measure", ["MAep(effort=characters)", "iMAep(effort=words)", "ep@0.5", "nxCG(budget=tokens)@2"]
)
def test_where_results_are_text_that_is_paid_for_every_law_holds(measure: str) -> None:
    subject = MeasureSubject.named(measure, UserModel.shipped("spans"))
    assert subject.setting.form == "text"
    assert {outcome.verdict for outcome in search(subject, examples=60)} == {"held"}


def test_results_are_not_bounded_where_one_can_show_more_than_the_ideal_does() -> None:
    # Paid by the result, the ideal reader has one gold span at rank 1, and the whole document two.
    subject = MeasureSubject.named("nxCG@1", UserModel.shipped("spans"))
    (outcome,) = search(subject, ["boundedness"])
    assert (outcome.verdict, outcome.score) == ("broken", 2.0)
    assert outcome.claim is not None
    assert len(outcome.claim.case.gold) == 2
    assert len(outcome.claim.ranking) == 1


def test_a_user_who_ignores_overlap_pays_twice(xcg_command: Command) -> None:
    done = xcg_command(
        "break", "nxCG@10", "--user-model", "overlap-off", "--law", "boundedness", "--format", "jsonl"
    )
    assert done.returncode == 1
    record = json.loads(done.stdout)
    assert record["subject"] == "nxCG@10 under overlap-off (alpha 0)"
    # One element that is gold, twice: 2 of 1.
    assert record["documents"] == {"a": "<article>a</article>"}
    assert (record["ranking"], record["score"]) == ([["a", 0, 1]] * 2, 2.0)


def test_the_command_tells_that_all_held(xcg_command: Command, tmp_path: Path) -> None:
    laws = ("--law", "boundedness", "--law", "no-pay-twice", "--law", "ideal")
    done = xcg_command("break", "nxCG@3", *laws, "--examples", "40")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "nxCG@3 under kazai-lalmas-2006 (alpha 1), seed 0"
    assert [line.partition(": held in ")[0] for line in lines[1:]] == [
        "boundedness",
        "no-pay-twice",
        "ideal",
    ]


def test_assessments_on_every_scale() -> None:
    for name, scale in (("inex-2005", "(1,0.5)"), ("levels", None), ("kazai-lalmas-2006", "(1,2)")):
        subject = MeasureSubject.named("nxCG@1", UserModel.shipped(name))
        case = Case({"a": Document((2, 2))}, (Gold("a", 0, 2, 1),))
        judged = {span[1:]: label for span, label in subject.judged(case)}
        assert judged.get((0, 4)) == scale
        assert subject.score(case, (Retrieved("a", 0, 2),)) == 1.0


_BAD = FunctionSubject.named("xcg.laws.subject_types:recall_over_chunks")


def test_grades_that_a_user_model_gives_nothing_for_are_left_out() -> None:
    strict = UserModel.shipped("kazai-lalmas-2006-strict")
    assert MeasureSubject.named("MAep", strict).setting.grades == (3,)
    assert MeasureSubject.named("MAep").setting.grades == (1, 2, 3)


# One law after the other


def test_what_keeps_the_laws() -> None:
    assert set(verdicts(covered, examples=100).values()) == {"held"}
    assert set(verdicts(first_gold, examples=100).values()) == {"held"}


def test_equality_is_asked_where_text_is_paid_for() -> None:
    # A reader who stops after the first result sees less of it when it is cut.
    def of_the_first(gold: list[Gold], ranking: Ranked) -> float:
        return covered(gold, ranking[:1])

    for effort, verdict in (("ranks", "held"), ("text", "broken")):
        subject = FunctionSubject("f", of_the_first, effort == "text")
        (outcome,) = search(subject, ["granularity"])
        assert outcome.verdict == verdict


def _rank_of(gold: list[Gold], ranking: Ranked) -> float:
    return 1 / first_gold(gold, ranking) if first_gold(gold, ranking) else 99


BREAKERS: dict[str, Callable[[list[Gold], Ranked], float]] = {
    "boundedness": lambda gold, ranking: 1.5 if covered(gold, ranking) < 1 else 1.0,
    "no-pay-twice": lambda gold, ranking: (
        1.0 if len(set(ranking)) < len(ranking) else covered(gold, ranking)
    ),
    "granularity": lambda gold, ranking: (
        1.0 if min(len(characters(r)) for r in ranking) == 1 else covered(gold, ranking)
    ),
    "order": lambda gold, ranking: (
        covered(gold, ranking) * (0.5 if _rank_of(gold, ranking) == 1 else 1)
    ),
    "ideal": lambda gold, ranking: covered(gold, ranking) / 2,
}


@pytest.mark.parametrize("law", list(LAWS))
def test_each_law_is_seen_broken(law: str) -> None:
    (outcome,) = search(FunctionSubject("f", BREAKERS[law]), [law])
    assert outcome.verdict == "broken"
    # What is shown is true, and no result of it can be left out where the law compares nothing.
    claim = outcome.claim
    assert claim is not None
    assert BREAKERS[law](list(claim.case.gold), list(claim.ranking)) == outcome.score
    if claim.before is not None:
        assert BREAKERS[law](list(claim.case.gold), list(claim.before)) == outcome.before
        assert outcome.before != outcome.score


def test_no_law_lacks_words() -> None:
    assert all(law.says.endswith(".") and law.means.endswith(".") for law in LAWS.values())


def test_rounding_breaks_nothing() -> None:
    noise = iter(range(10**9))
    found = verdicts(lambda g, r: covered(g, r) + next(noise) % 2 * 1e-12, examples=60)
    assert set(found.values()) == {"held"}


# Cases


@given(st.data(), st.sampled_from(SETTINGS))
def test_cases_are_what_they_should_be(data: DataObject, setting: Setting) -> None:
    case = data.draw(cases(setting))
    ranking = data.draw(rankings(case, setting))
    assert case.gold
    for span in (*case.gold, *ranking):
        assert 0 <= span.start < span.end <= case.documents[span.document].size
        if setting.form == "elements":
            assert (span.start, span.end) in case.documents[span.document].elements
    assert not any(overlap(a, b) for a in case.gold for b in case.gold if a != b)
    assert len({gold[:3] for gold in case.gold}) == len(case.gold)
    outer = ranking[0]
    assert characters(data.draw(inside(case, setting, outer))) <= characters(outer)
    cut = data.draw(pieces(case, setting, outer))
    assert [place for piece in cut for place in sorted(characters(piece))] == sorted(characters(outer))
    assert not any(case.relevant(stretch) for stretch in beside_gold(case, setting))


@given(st.data())
def test_the_elements_of_a_document_are_those_of_its_markup(data: DataObject) -> None:
    from xcg.documents.parsing import parse_document

    case = data.draw(cases(Setting("elements")))
    for document in case.documents.values():
        tree = parse_document(document.markup.encode())
        spans = dict(zip(tree.paths, zip(tree.start, tree.stop, strict=True), strict=True))
        assert {path: span for span, path in document.elements.items()} == spans
        assert tree.text == document.text


# Seeds and what is written


def test_the_same_seed_finds_the_same() -> None:
    def outcomes(seed: int) -> list[Outcome]:
        return list(search(_BAD, examples=60, seed=seed))

    texts = [[outcome_text(_BAD, outcome) for outcome in outcomes(seed)] for seed in (1, 1)]
    assert texts[0] == texts[1]


def test_seeds_try_different_cases() -> None:
    def asked(seed: int) -> list[tuple[list[Gold], Ranked]]:
        seen = []

        def function(gold: list[Gold], ranking: Ranked) -> float:
            seen.append((gold, ranking))
            return 0.5

        assert verdicts(function, laws=["boundedness"], examples=30, seed=seed) == {
            "boundedness": "held"
        }
        return seen

    assert asked(3) == asked(3) != asked(4)


def test_nothing_is_left_where_the_user_works(xcg_command: Command, tmp_path: Path) -> None:
    command = ("break", "xcg.laws.subject_types:recall_over_chunks", "--examples", "80", "--seed", "5")
    done = xcg_command(*command, cwd=tmp_path)
    assert done.returncode == 1
    assert list(tmp_path.iterdir()) == []
    again = xcg_command(*command, cwd=tmp_path)
    assert again.stdout == done.stdout


# Failures


def write_module(folder: Path) -> None:
    (folder / "mine.py").write_text(
        "calls = 0\n"
        "def covered(gold, ranking):\n"
        "    of = {(g.document, i) for g in gold for i in range(g.start, g.end)}\n"
        "    seen = {(d, i) for d, start, end in ranking for i in range(start, end)}\n"
        "    return len(of & seen) / len(of)\n"
        "def raises(gold, ranking):\n"
        "    return 1 / (len(ranking) != 2)\n"
        "def nan(gold, ranking):\n"
        "    return float('nan')\n"
        "def text(gold, ranking):\n"
        "    return 'high'\n"
        "def moody(gold, ranking):\n"
        "    global calls\n"
        "    calls += 1\n"
        "    return calls * 0.37 % 3\n"
        "number = 1\n"
    )


def test_a_function_of_the_users_own(xcg_command: Command, tmp_path: Path) -> None:
    write_module(tmp_path)
    done = xcg_command("break", "mine:covered", "--examples", "50", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count(": held in ") == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mine:raises"], "mine:raises raised ZeroDivisionError: division by zero"),
        (["mine:nan"], "mine:nan returned nan: expected a finite number"),
        (["mine:text"], "mine:text returned 'high': expected a number"),
        (["mine:moody"], "mine:moody gave two scores for one case: expected the same"),
        (["mine:number"], "'mine:number' is not a function"),
        (["mine:absent"], "cannot import the function 'mine:absent': AttributeError"),
        (["absent:mine"], "cannot import the function 'absent:mine': ModuleNotFoundError"),
        (["MAepp"], "unknown measure 'MAepp': did you mean 'MAep'?"),
        (["nxCG"], "nxCG lacks its cutoff"),
        (["ESL"], "ESL: less is better, and the laws are for measures of success"),
        (["MAep", "--user-model", "nobody"], "unknown user model 'nobody'"),
        (["MAep", "--effort", "text"], "--effort is for a function"),
        (["mine:covered", "--user-model", "levels"], "--user-model is for a measure of xcg"),
        (["mine:covered", "--law", "ordr"], "unknown law 'ordr': did you mean 'order'?"),
        (["mine:covered", "--examples", "0"], "0 is not in the range"),
    ],
)
def test_mistakes(xcg_command: Command, tmp_path: Path, arguments: list[str], message: str) -> None:
    write_module(tmp_path)
    done = xcg_command("break", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_smallest_case_that_made_a_function_fail(xcg_command: Command, tmp_path: Path) -> None:
    write_module(tmp_path)
    done = xcg_command("break", "mine:raises", "--law", "ideal", "--format", "json", cwd=tmp_path)
    assert done.returncode == 2
    (record,) = json.loads(done.stdout)
    assert record["verdict"] == "failed"
    assert record["failure"] == "raised ZeroDivisionError: division by zero"
    assert len(record["ranking"]) == 2
    assert record["score"] is None
    shown = xcg_command("break", "mine:raises", "--law", "ideal", cwd=tmp_path).stdout
    assert "  ranking: raised ZeroDivisionError: division by zero\n     1. a 0–1" in shown


def test_a_failure_is_told_of_the_ranking_that_made_it() -> None:
    def fails_on_two(gold: list[Gold], ranking: Ranked) -> float:
        if len(ranking) == 2:
            raise KeyError("two")
        return 0.0

    subject = FunctionSubject("f", fails_on_two)
    (outcome,) = search(subject, ["no-pay-twice"])
    assert outcome.verdict == "failed"
    assert outcome.claim is not None
    assert outcome.claim.before is not None
    lines = outcome_text(subject, outcome).splitlines()
    told = next(line for line in lines if "KeyError" in line)
    assert told.startswith("  before: " if len(outcome.claim.before) == 2 else "  after: ")


def test_several_user_models_are_too_many(xcg_command: Command, tmp_path: Path) -> None:
    model = tmp_path / "several.yaml"
    model.write_text("name: m\nrelevance_value: {alpha: [0, 1]}\n")
    done = xcg_command("break", "MAep", "--user-model", model)
    assert done.returncode == 2
    assert "means 2 user models: expected one" in done.stderr


def test_a_user_models_own_part_that_fails_is_told_with_its_case() -> None:
    def half(alpha: float, score: float, rest: float) -> float:
        raise RuntimeError("no idea")

    model = UserModel.of({"name": "mine", "relevance_value": {"partially_seen": half}})
    subject = MeasureSubject.named("nxCG@5", model)
    outcome = list(search(subject, ["no-pay-twice"]))[-1]
    assert outcome.verdict == "failed"
    assert "no idea" in outcome.failure


def test_a_model_that_no_assessment_suits() -> None:
    def never(exhaustivity: float, specificity: float) -> float:
        return 0.0

    with pytest.raises(XcgError, match="has no score for the simplest case"):
        MeasureSubject.named("MAep", UserModel.of({"name": "mine", "quantisation": never}))


def test_without_hypothesis_the_extra_is_named(xcg_command: Command, tmp_path: Path) -> None:
    (tmp_path / "hypothesis.py").write_text("raise ImportError('not there')\n")
    done = xcg_command("break", "MAep", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "xcg: error: xcg break needs hypothesis: pip install 'xcg[break]'\n"


def test_the_readme_names_the_command() -> None:
    assert "xcg break" in (ROOT / "README.md").read_text()
