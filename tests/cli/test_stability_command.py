"""``xcg stability`` on the sample campaign with two assessors."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path

import numpy as np
import pytest
from conftest import Command

import xcg
from xcg.statistics.topic_sets import BIN_STARTS

CAMPAIGN = ("configs/quickstart.yaml", "--user-model", "kazai-lalmas-2006", "--measures", "MAep")


ASSESSORS = (
    "stability",
    "assessors",
    *CAMPAIGN,
    "--assessor",
    "assessments/handbook-second",
)


AGREEMENT = (
    *("stability", "assessors", "configs/quickstart.yaml", "--agreement"),
    *("--assessor", "assessments/handbook-second"),
)


TOPICS = ("stability", "topics", *CAMPAIGN, "--trials", "30", "--resamples", "0")


def handbook_results(assessments: str = "assessments/handbook") -> xcg.Results:
    return xcg.evaluate(
        assessments, "corpora_samples/handbook-runs", "corpora_samples/handbook", measures="MAep"
    )


@pytest.mark.slow
def test_orders_and_errors_as_in_tables_iii_and_iv(xcg_command: Command, tmp_path: Path) -> None:
    plot = tmp_path / "ranges.svg"
    done = xcg_command(*ASSESSORS, "--format", "jsonl", "--plot", plot)
    assert done.returncode == 0, done.stderr
    every, double_judged = map(json.loads, done.stdout.splitlines())
    assert every["combinations"] == double_judged["combinations"] == 2**7
    assert (every["topics"], double_judged["topics"]) == ("15 (all topics)", "7 (double-judged topics)")
    for row in (every, double_judged):
        assert row["tau_b min"] <= row["tau_b mean"] <= row["tau_b max"]
    assert plot.read_text().startswith("<?xml")
    for row in (every, double_judged):
        assert row["comparisons"] == 2**7 * 8 * 7 // 2
        assert row["tau_b low"] < row["tau_b mean"] < row["tau_b high"] <= 1
        assert 0 <= row["error low"] <= row["error rate %"] <= row["error high"] <= 50
    assert "low and high: 95 % bootstrap intervals over topics" in done.stderr
    # Fewer topics are less certain.
    widths = [row["tau_b high"] - row["tau_b low"] for row in (every, double_judged)]
    assert widths[0] < widths[1]
    other = xcg_command(*ASSESSORS, "--format", "jsonl", "--seed", "1", "--resamples", "50")
    assert json.loads(other.stdout.splitlines()[0])["tau_b low"] != every["tau_b low"]
    without = xcg_command(*ASSESSORS, "--format", "jsonl", "--resamples", "0")
    limits = {"tau_b low", "tau_b high", "error low", "error high"}
    assert [json.loads(line) for line in without.stdout.splitlines()] == [
        {name: value for name, value in row.items() if name not in limits}
        for row in (every, double_judged)
    ]


def test_ranges_include_the_means_of_the_first_assessor(xcg_command: Command, tmp_path: Path) -> None:
    plot = tmp_path / "ranges.png"
    done = xcg_command(*ASSESSORS, "--ranges", "--format", "jsonl", "--plot", plot)
    assert plot.read_bytes().startswith(b"\x89PNG")
    found = handbook_results()
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    every = [line for line in lines if line["topics"] == "15 (all topics)"]
    *runs, mean_of_runs = every
    assert {line["run"] for line in runs} == set(found.runs)
    for line in runs:
        assert line["lowest"] - 1e-12 <= found.value(line["run"], "MAep") <= line["highest"] + 1e-12
    assert mean_of_runs["run"] == "mean of runs"
    assert [line["topics"] for line in lines[len(every) :]] == ["7 (double-judged topics)"] * len(every)


def test_ranges_of_double_judged_topics_are_means_of_the_differences_of_assessors(
    xcg_command: Command,
) -> None:
    done = xcg_command(*ASSESSORS, "--ranges", "--topics", "double-judged", "--format", "jsonl")
    *runs, mean_of_runs = map(json.loads, done.stdout.splitlines())
    first, second = handbook_results(), handbook_results("assessments/handbook-second")
    topics = [topic for topic in first.topics if topic in second.topics]
    ranges, means = [], []
    for line in runs:
        pairs = [
            (first.value(line["run"], "MAep", topic), second.value(line["run"], "MAep", topic))
            for topic in topics
        ]
        assert line["lowest"] == pytest.approx(sum(map(min, pairs)) / 7)
        assert line["highest"] == pytest.approx(sum(map(max, pairs)) / 7)
        means.append(sum(map(sum, pairs)) / 14)
        ranges.append(sum(abs(a - b) for a, b in pairs) / 7)
        assert (line["mean"], line["range"]) == pytest.approx((means[-1], ranges[-1]))
    assert mean_of_runs["range"] == pytest.approx(sum(ranges) / 8)
    assert mean_of_runs["% of mean"] == pytest.approx(100 * sum(ranges) / sum(means))


def test_agreement_decreases_with_precision(xcg_command: Command) -> None:
    done = xcg_command(*AGREEMENT, "--format", "json")
    (row,) = json.loads(done.stdout)
    assert 0 < row["exact"] < row["paragraph"] < 1


def test_swap_rates_do_not_depend_on_workers_and_interruptions(
    xcg_command: Command, tmp_path: Path
) -> None:
    one = xcg_command(*TOPICS, "--rates", "--format", "csv")
    assert one.returncode == 0, one.stderr
    header, *rows = one.stdout.splitlines()
    assert header == (
        "measure,topics,source,difference from,comparisons,ties,swaps,rate,sparse,"
        "cumulated comparisons %"
    )
    comparisons = sum(
        sum(map(int, row.split(",")[4:6])) for row in rows if row.startswith("MAep,7,measured,")
    )
    assert comparisons == 30 * 6 * 5 // 2  # the best six of eight runs
    checkpoint = tmp_path / "study"
    two = xcg_command(*TOPICS, "--rates", "--format", "csv", "--workers", 2, "--checkpoint", checkpoint)
    assert two.stdout == one.stdout
    lines = checkpoint.read_text().splitlines(keepends=True)
    checkpoint.write_text("".join(lines[:5]))
    again = xcg_command(*TOPICS, "--rates", "--format", "csv", "--checkpoint", checkpoint)
    assert again.stdout == one.stdout
    other = xcg_command(*TOPICS, "--seed", 1, "--checkpoint", checkpoint)
    assert other.returncode == 2
    assert "the checkpoint of another study" in other.stderr


def test_the_difference_needed_is_printed_and_drawn(xcg_command: Command, tmp_path: Path) -> None:
    plot = tmp_path / "swaps.png"
    done = xcg_command(*TOPICS, "--sizes", "30", "--format", "json", "--plot", plot)
    half, extrapolated = json.loads(done.stdout)
    assert set(half) >= {"measure", "difference needed", "% of best", "% of mean"}
    assert (half["topics"], half["source"]) == (7, "measured")
    assert (extrapolated["topics"], extrapolated["source"]) == (30, "extrapolated")
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_extrapolated_rates_are_fits_of_the_measured_rates(xcg_command: Command) -> None:
    done = xcg_command(*TOPICS, "--rates", "--sizes", "3 9", "--format", "jsonl")
    rows = list(map(json.loads, done.stdout.splitlines()))
    assert [row["topics"] for row in rows[::23]] == [1, 2, 3, 4, 5, 6, 7, 9]
    assert {row["source"] for row in rows[:-23]} == {"measured"}
    assert {row["source"] for row in rows[-23:]} == {"extrapolated"}
    measured = [[row for row in rows[:-23] if row["difference from"] == start] for start in BIN_STARTS]
    for column, row in zip(measured, rows[-23:], strict=True):
        pairs = [(line["swaps"], line["comparisons"]) for line in column]
        known = [line["comparisons"] >= 59 for line in column]
        assert [line["sparse"] for line in column] == ["no" if k else "yes" for k in known]
        if not known[-1]:
            assert row["rate"] is None
            continue
        rates = [s / c if k else math.nan for (s, c), k in zip(pairs, known, strict=True)]
        points = [(size, math.log(rate)) for size, rate in enumerate(rates, 1) if rate > 0]
        if len(points) > 1:
            slope, start = np.polyfit(*zip(*points, strict=True), 1)
            assert row["rate"] == pytest.approx(min(0.5, math.exp(start + 9 * slope)))
    cumulated = [row["cumulated comparisons %"] for row in rows[:23]]
    assert cumulated == sorted(cumulated)
    assert cumulated[-1] == 100
    found = handbook_results()
    means = sorted((found.value(run, "MAep") for run in found.runs), reverse=True)[:6]
    assert (
        f"MAep: the best 6 runs have a mean score of {sum(means) / 6:.4f}, a standard deviation of "
        f"{statistics.stdev(means):.4f} and a best score of {means[0]:.4f}"
    ) in done.stderr


@pytest.mark.slow
def test_intervals_over_topics_are_printed_by_default(xcg_command: Command) -> None:
    call = ("stability", "topics", *CAMPAIGN, "--trials", "100", "--resamples")
    done = xcg_command(*call, "30", "--format", "jsonl")
    rows = list(map(json.loads, done.stdout.splitlines()))
    assert [row["topics"] for row in rows] == [7, 25, 50]
    for row in rows:
        assert row["swaps low"] < row["swaps below 0.01, %"] <= row["swaps high"]
        assert row["needed low"] is None or row["needed low"] > 0
    assert "low and high: 95 % bootstrap intervals over topics" in done.stderr
    other = xcg_command(*call, "30", "--format", "jsonl", "--seed", "1")
    assert other.stdout != done.stdout
    rates = xcg_command(*call, "30", "--rates", "--format", "jsonl")
    for row in map(json.loads, rates.stdout.splitlines()):
        assert (row["rate"] is None) == (row["rate low"] is None) == (row["rate high"] is None)
        if row["rate"] is not None:
            assert 0 <= row["rate low"] <= row["rate high"] <= 1


def test_options_of_topic_sets(xcg_command: Command) -> None:
    done = xcg_command(*TOPICS, "--smoothing", "isotonic", "--sizes", "25")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("measure  topics  source        difference needed")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ((*ASSESSORS[:-2],), "one assessor: expected a further one"),
        ((*ASSESSORS, "--topics", "double"), "'double' is not one of"),
        ((*AGREEMENT, "--topics", "all"), "--topics has no effect with --agreement"),
        ((*AGREEMENT, "--ranges"), "--ranges has no effect with --agreement"),
        ((*AGREEMENT, "--sample", "9"), "--sample has no effect with --agreement"),
        ((*AGREEMENT, "--resamples", "0"), "--resamples has no effect with --agreement"),
        ((*ASSESSORS, "--ranges", "--resamples", "9"), "--resamples has no effect with --ranges"),
        ((*TOPICS, "--smoothing", "median"), "'median' is not one of"),
        ((*TOPICS, "--smoothing", "isotonic", "--sizes", "7"), "expected a number of topics above 7"),
        ((*TOPICS, "--resamples", "-1"), "-1 is not in the range 0<=x<=1000000"),
        ((*TOPICS, "--sizes", "0"), "illegal sizes '0'"),
        ((*TOPICS, "--sizes", "many"), "illegal sizes 'many'"),
        ((*TOPICS, "--workers", "0"), "0 workers: expected 1 to 1,000"),
        ((*TOPICS, "--user-model", "overlap-off"), "several user models: expected one"),
    ],
)
def test_illegal_options_are_errors(xcg_command: Command, call: tuple[str, ...], message: str) -> None:
    done = xcg_command(*call)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
