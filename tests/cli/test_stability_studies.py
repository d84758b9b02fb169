"""``xcg study assessors`` and ``study topics`` on the sample campaign."""

from __future__ import annotations

import json

import pytest
from conftest import Command

CAMPAIGN = (
    *("configs/quickstart.yaml", "--set", "user_model=kazai-lalmas-2006"),
    *("--set", "measures=MAep"),
)


def of(study: str, **keys: object) -> tuple[str, ...]:
    """Return the options that set keys of a study."""
    return tuple(
        word for key, value in keys.items() for word in ("--set", f"study.{study}.{key}={value}")
    )


SECOND = of("assessors", others="assessments/handbook-second")
ASSESSORS = ("study", "assessors", *CAMPAIGN, *SECOND)
AGREEMENT = (
    "study",
    "assessors",
    "configs/quickstart.yaml",
    *SECOND,
    *of("assessors", agreement="true"),
)
TOPICS = ("study", "topics", *CAMPAIGN, *of("topics", trials=30))


@pytest.mark.slow
def test_orders_and_errors_as_in_tables_iii_and_iv(xcg_command: Command) -> None:
    done = xcg_command(*ASSESSORS, "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    every, double_judged = map(json.loads, done.stdout.splitlines())
    assert every["combinations"] == double_judged["combinations"] == 2**7
    assert (every["topics"], double_judged["topics"]) == ("15 (all topics)", "7 (double-judged topics)")
    for row in (every, double_judged):
        assert row["tau_b min"] <= row["tau_b mean"] <= row["tau_b max"]
        assert row["comparisons"] == 2**7 * 8 * 7 // 2
        assert 0 <= row["error rate %"] <= 50


def test_agreement_decreases_with_precision(xcg_command: Command) -> None:
    done = xcg_command(*AGREEMENT, "--format", "jsonl")
    row = json.loads(done.stdout)
    assert 0 < row["exact"] < row["paragraph"] < 1
    sets = ("study", "assessors", "--set", "assessments=assessments/handbook", *AGREEMENT[3:])
    assert xcg_command(*sets, "--format", "jsonl").stdout == done.stdout  # runs are not needed


def test_the_difference_needed_is_printed_and_drawn(xcg_command: Command) -> None:
    done = xcg_command(*TOPICS, *of("topics", sizes=30), "--format", "jsonl")
    half, extrapolated = map(json.loads, done.stdout.splitlines())
    assert set(half) >= {"measure", "difference needed", "% of best", "% of mean"}
    assert (half["topics"], half["source"]) == (7, "measured")
    assert (extrapolated["topics"], extrapolated["source"]) == (30, "extrapolated")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("study", "assessors", *CAMPAIGN), "one assessor: expected further ones, --set study.assess"),
        ((*AGREEMENT, "--plot", "a.svg"), "there is no plot of this answer: print a table"),
        ((*TOPICS, *of("topics", sizes="many")), "--set study.topics.sizes: expected a whole number"),
        (
            (*TOPICS, "--set", "user_model=[overlap-off, kazai-lalmas-2006]"),
            "several user models: expected one for this study",
        ),
    ],
)
def test_misuse(xcg_command: Command, call: tuple[str, ...], message: str) -> None:
    done = xcg_command(*call)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: {message}")
