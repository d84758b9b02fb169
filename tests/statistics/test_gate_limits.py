"""A gate limits the drop of a mean and the number of worse topics, without a test."""

from __future__ import annotations

from typing import Any

import pytest

from xcg.errors import XcgError
from xcg.evaluation.results import Result, Results
from xcg.statistics.gate import Verdict, check_gate
from xcg.statistics.gate_rules import Amount, parse_limits

BASE = [0.8, 0.6, 0.4, 0.2]  # mean 0.5
RUN = [0.8, 0.5, 0.4, 0.22]  # mean 0.48: 0.02 or 4 % lower; worse for one topic


def results_of(**scores: list[float]) -> Results:
    measure = scores.pop("measure", "MAep")
    rows = [
        Result(run, str(topic), str(measure), score, "m")
        for run, values in scores.items()
        for topic, score in [*enumerate(values, 1), ("all", sum(values) / len(values))]
    ]
    return Results(rows)


def verdict_of(
    results: Results, max_drop: Any = None, max_regressed: Any = None, by: Any = None, **more: Any
) -> Verdict:
    limits = parse_limits(max_drop, max_regressed, by)
    return check_gate(results, {}, "base", limits=limits, is_tested=False, **more)


@pytest.mark.parametrize(
    ("limit", "failure"),
    [
        (0.02, ""),
        ("0.02", ""),
        ("4%", ""),
        (["0.001", "MAep=4%"], ""),
        ({"MAep": "4 %"}, ""),
        (0.0199, "MAep is 0.4800, 0.0200 lower than 0.5000 of base: at most 0.0199 is allowed"),
        ("3.9%", "MAep is 0.4800, 4 % lower than 0.5000 of base: at most 3.9 % is allowed"),
        (0, "MAep is 0.4800, 0.0200 lower than 0.5000 of base: at most 0 is allowed"),
        ({"MAep": 0.01}, "MAep is 0.4800, 0.0200 lower than 0.5000 of base: at most 0.01 is allowed"),
    ],
)
def test_a_mean_may_drop_by_a_difference_or_a_share(limit: Any, failure: str) -> None:
    verdict = verdict_of(results_of(base=BASE, run=RUN), limit)
    expected = [f"run, m: {failure}; lost most on topic 2 (-0.1000)"] if failure else []
    assert verdict.failures == expected
    (check,) = verdict.checks
    assert (check.run, check.measure) == ("run", "MAep")
    assert check.mean == pytest.approx(0.48)
    assert [found.rule for found in check.failures] == ["max-drop"] * len(expected)
    assert verdict.notes[0] == "gate: limits without a test, baseline base"


def test_the_number_of_worse_topics_is_limited() -> None:
    results = results_of(base=BASE, run=[0.9, 0.4, 0.2, 0.2 - 1e-15], same=BASE)
    for most in (2, ["MAep=2"], "50%"):
        assert verdict_of(results, None, most).failures == []
    for most, written in ((1, "1 is"), ("49.9%", "49.9 % are")):
        assert verdict_of(results, None, most).failures == [
            "run, m: MAep is worse than that of base by more than 0.1 for 2 topics of 4: at most "
            f"{written} allowed; lost most on topic 3 (-0.2000), topic 2 (-0.2000)"
        ]
    assert len(verdict_of(results, None, 1, 0.19).failures) == 1
    assert verdict_of(results, None, 0, 0.2).failures == []  # exactly 0.2 is not more, nor is 1e-15
    assert len(verdict_of(results, "15%", {"MAep": 0}).failures) == 1  # the mean drops by 15 %
    assert len(verdict_of(results, "14.9%", {"MAep": 0}).failures) == 2


def test_lower_is_better_measures_are_worse_if_higher() -> None:
    """ASL has no highest value, so a drop of more than its mean is a limit too."""
    results = results_of(base=[2, 4], run=[3, 4.5], better=[1, 1], measure="ASL")  # type: ignore[arg-type]
    assert verdict_of(results, 0.75).failures == []
    (failure,) = verdict_of(results, "20%").failures
    assert failure == (
        "run, m: ASL is 3.7500, 25 % higher than 3.0000 of base: at most 20 % is allowed; lost most on "
        "topic 1 (+1.0000), topic 2 (+0.5000)"
    )
    assert verdict_of(results, 5).failures == []


def test_counts_are_sums() -> None:
    results = results_of(base=[3, 3, 4], run=[3, 2, 3], measure="NumRelRet")  # type: ignore[arg-type]
    assert verdict_of(results, 2).failures == []
    (failure,) = verdict_of(results, "10%").failures
    assert "NumRelRet is 8.0000, 20 % lower than 10.0000 of base" in failure


def test_measures_without_a_limit_are_not_checked() -> None:
    rows = [*results_of(base=BASE, run=RUN), *results_of(base=BASE, run=[0.0] * 4, measure="AP")]  # type: ignore[arg-type]
    verdict = verdict_of(Results(rows), {"MAep": 0.1})
    assert verdict.failures == []
    assert [check.measure for check in verdict.checks] == ["MAep"]
    assert (
        verdict_of(Results(rows), ["0.1"]).failures[0].startswith("run, m: AP is 0.0000, 0.5000 lower")
    )


def test_topics_of_only_one_run_are_left_out() -> None:
    rows = [row for row in results_of(base=BASE, run=[0.0, 0.6, 0.4, 0.2]) if row[:2] != ("run", "1")]
    verdict = verdict_of(Results(rows), 0, 0)  # 0.6, 0.4 and 0.2 in both
    assert verdict.failures == []
    alone = [row for row in rows if row[0] == "base" or row.topic == "all"]
    with pytest.raises(XcgError, match=r"run and base share 0 topics .* expected at least two"):
        verdict_of(Results(alone), 0)


@pytest.mark.parametrize(
    ("base", "drop", "regressed", "message"),
    [
        (BASE, 5, None, "a drop of 5 is allowed, and the mean of base is 0.5000; expected a lower"),
        (BASE, "100%", None, "a drop of 100 % is allowed, and the mean of base is 0.5000"),
        ([0.0] * 4, "5%", None, "a drop of 5 % is allowed, and the mean of base is 0.0000"),
        (
            *(BASE, None, 4),
            "4 topics may regress by more than 0.1, and 4 can, with these scores of base; expected a",
        ),
        ([0.8, 0.1, 0.1, 0.1], None, "25%", "25 % of 4 topics may regress by more than 0.1, and 1 can"),
    ],
)
def test_a_limit_that_no_score_can_exceed_is_refused(
    base: list[float], drop: Any, regressed: Any, message: str
) -> None:
    results = results_of(base=base, run=RUN)
    with pytest.raises(XcgError) as error:
        verdict_of(results, drop, regressed)
    assert str(error.value).startswith(f"run, m: by MAep the gate can never fail: {message}")


def test_limits_can_be_combined_with_the_test() -> None:
    """The run is worse by nearly the same for all topics, which is significant and a small drop."""
    base = [0.5 + 0.01 * topic for topic in range(20)]
    run = [score - 0.01 - 0.001 * (topic % 2) for topic, score in enumerate(base)]
    results = results_of(base=base, run=run)
    rules = {}
    for name, tested, limits in (
        ("test", True, parse_limits()),
        ("limits", False, parse_limits(0.02)),
        ("both", True, parse_limits("1%", 3, 0)),
    ):
        verdict = check_gate(results, {}, "base", limits=limits, is_tested=tested)
        rules[name] = [failure.rule for check in verdict.checks for failure in check.failures]
    assert rules == {
        "test": ["worse-than"],
        "limits": [],
        "both": ["worse-than", "max-drop", "max-regressed"],
    }


@pytest.mark.parametrize(
    ("drop", "regressed", "message"),
    [
        ("a lot", None, "illegal max-drop 'a lot': expected a number of at least 0 or a percentage"),
        (["MAep=٣%"], None, "illegal max-drop 'MAep=٣%'"),
        ({"MAepp": 0.1}, None, "unknown measure 'MAepp'"),
        (["0.1", "5%"], None, "several values of max-drop: expected one"),
        (["AP=0.1", "AP=5%"], None, "several values of max-drop for AP: expected one"),
        (None, 1.5, "illegal max-regressed '1.5': expected a number of topics of at least 0"),
        (None, "100%", "illegal max-regressed '100%'"),
        (None, ["-1"], "illegal max-regressed '-1'"),
        ({"Q": 0.1}, None, "no measure 'Q'"),
    ],
)
def test_illegal_limits_are_refused(drop: Any, regressed: Any, message: str) -> None:
    with pytest.raises(XcgError) as error:
        verdict_of(results_of(base=BASE, run=RUN), drop, regressed)
    assert message in str(error.value)


def test_drops_are_written_as_users_write_them() -> None:
    assert parse_limits("2.5 %").drops == {"": Amount(0.025, True)}
    assert str(parse_limits("2.5%").drop("MAep")) == "2.5 %"
