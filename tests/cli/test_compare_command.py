"""``xcg compare`` on the sample campaign."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from conftest import Command, without_note

import xcg

OPTIONS = ("configs/quickstart.yaml", "--user-model", "kazai-lalmas-2006", "--measures", "MAep")


def test_runs_are_compared_with_the_best(xcg_command: Command) -> None:
    done = xcg_command("compare", *OPTIONS, "--baseline", "best", "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    assert "xcg: The baseline is paragraphs, the run with the best mean; because" in done.stderr
    lines = {row["run"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert len(lines) == 7
    found = xcg.evaluate(
        "assessments/handbook",
        "corpora_samples/handbook-runs",
        "corpora_samples/handbook",
        measures="MAep",
    )
    best = max(found.runs, key=lambda run: found.value(run, "MAep"))
    for run, line in lines.items():
        assert line["baseline"] == best
        assert line["mean"] == pytest.approx(found.value(run, "MAep"))
        assert line["low"] <= line["difference"] <= line["high"] + 1e-12
        wins = sum(
            found.value(run, "MAep", topic) > found.value(best, "MAep", topic) + 1e-12
            for topic in found.topics
        )
        assert line["wins/losses/ties"].startswith(f"{wins}/")
        first = line["deciding_topics"].split(", ")[0].split()
        largest = max(
            (found.value(run, "MAep", t) - found.value(best, "MAep", t) for t in found.topics),
            key=abs,
        )
        assert float(first[1]) == pytest.approx(largest, abs=0.005)


def test_wilcoxons_test_counts_the_topics_that_differ(xcg_command: Command, tmp_path: Path) -> None:
    qrels = "".join(f"{topic} 0 d{topic} 1\n" for topic in range(34))
    (tmp_path / "qrels").write_text(qrels)
    for name, misses in [("a", 0), ("b", 5)]:  # b ranks the relevant document of 5 topics second
        lines = [
            f"{topic} Q0 {document} 0 {score} {name}\n"
            for topic in range(34)
            for document, score in [(f"d{topic}", 2), ("other", 3 if topic < misses else 1)]
        ]
        (tmp_path / name).write_text("".join(lines))
    call = ["--assessments", tmp_path / "qrels", "--run", tmp_path / "a", "--run", tmp_path / "b"]
    call += ["--measures", "AP", "--baseline", "a", "--format", "jsonl"]
    for test, p in [("wilcoxon", 2 / 32), ("wilcoxon-pratt", 2 / 32), ("randomisation", 2 / 32)]:
        done = xcg_command("compare", *call, "--test", test)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["p"] == p
    wrong = xcg_command("compare", *call, "--test", "wilcox")
    assert wrong.returncode == 2
    assert "'wilcox' is not one of 't', 'wilcoxon', 'wilcoxon-pratt', 'randomisation'" in wrong.stderr


SPREAD = "spread: the standard deviation of a pair's differences is from {least} to {most}"


@pytest.mark.parametrize(
    ("options", "lead", "facts"),
    [
        (
            (),
            [
                "All 28 pairs of 8 runs are compared over 15 topics by the paired t test, corrected "
                "for 28 comparisons (Holm with Shaffer's steps); significance level 5 %, 95 % "
                "intervals.",
                "No baseline was named (--baseline RUN): runs are shown relative to the best one, and "
                "--baseline all prints all pairs.",
            ],
            [
                "intervals: Bonferroni's: all of a family hold together with 95 %",
                "significant, but 0 is in the interval: later steps of the correction have a higher "
                "level than the intervals, which hold together",
                SPREAD,
                "detectable: the smallest true difference that a comparison finds with 80 % power, if "
                "no other comparison finds one: {low} to {high}",
            ],
        ),
        (
            ("--baseline", "random", "--test", "randomisation"),
            [
                "7 runs are compared with the baseline random, named by the user, over 15 topics by "
                "the paired randomisation test, corrected for 7 comparisons (Holm); significance level "
                "5 %, 95 % intervals."
            ],
            [
                "intervals: Bonferroni's: all of a family hold together with 95 %",
                SPREAD,
                "detectable: the smallest true difference that a comparison finds with 80 % power, if "
                "no other comparison finds one: {low} to {high}",
            ],
        ),
        (
            ("--test", "wilcoxon", "--correction", "bonferroni", "--baseline", "all"),
            [
                "All 28 pairs of 8 runs are compared over 15 topics by Wilcoxon's signed-rank test, "
                "corrected for 28 comparisons (Bonferroni); significance level 5 %.",
            ],
            [
                "intervals and detectable differences: none, because Wilcoxon's test is about ranks, "
                "not means",
                SPREAD,
            ],
        ),
        (
            ("--correction", "none", "--baseline", "best"),
            [
                "All 28 pairs of 8 runs are compared over 15 topics by the paired t test, without a "
                "correction for 28 comparisons; significance level 5 %, 95 % intervals.",
                "The baseline is paragraphs, the run with the best mean.",
            ],
            [
                "intervals: each holds alone with 95 %",
                SPREAD,
                "detectable: the smallest true difference that a comparison finds with 80 % power: "
                "{low} to {high}",
            ],
        ),
    ],
)
def test_sentences_above_and_below_the_table_state_the_procedure(
    xcg_command: Command, options: tuple[str, ...], lead: list[str], facts: list[str]
) -> None:
    records = xcg_command("compare", *OPTIONS, *options, "--format", "jsonl")
    rows = [json.loads(line) for line in records.stdout.splitlines()]
    values = [row["detectable"] or 0 for row in rows]
    spreads = [row["difference"] / row["effect"] for row in rows]
    numbers = {
        **{"low": min(values), "high": max(values)},
        **{"least": min(spreads), "most": max(spreads)},
    }
    facts = [fact.format(**{name: f"{value:.4f}" for name, value in numbers.items()}) for fact in facts]
    messages = without_note(records.stderr).splitlines()
    assert messages == [f"xcg: {line}" for line in (*lead, *facts)]
    done = xcg_command("compare", *OPTIONS, *options)
    assert (done.returncode, without_note(done.stderr)) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[: len(lead) + 1] == [*lead, ""]
    assert lines[-len(facts) - 1 :] == ["", *facts]


def test_a_partial_run_does_not_hide_the_difference_of_the_others(
    xcg_command: Command, tmp_path: Path
) -> None:
    run = tmp_path / "partial.txt"
    run.write_text("".join(f"{topic} Q0 quantisation#/article[1] 1 1 partial\n" for topic in (1, 2)))
    call = ("compare", *OPTIONS, "--unanswered", "skip", "--format", "jsonl")
    runs = [f"corpora_samples/handbook-runs/{name}.xml" for name in ("focused", "random")]
    selected = [text for path in runs for text in ("--run", path)]
    (alone,) = map(json.loads, xcg_command(*call, *selected).stdout.splitlines())
    done = xcg_command(*call, *selected, "--run", run)
    assert done.returncode == 0, done.stderr
    rows = {(row["run"], row["baseline"]): row for row in map(json.loads, done.stdout.splitlines())}
    pair = rows["focused", "random"]
    assert (pair["topics"], pair["p"], pair["deciding_topics"]) == (
        alone["topics"],
        alone["p"],
        alone["deciding_topics"],
    )
    assert pair["p_adjusted"] < 0.05
    assert rows["focused", "partial"]["topics"] == rows["random", "partial"]["topics"] == 2
    assert "All 3 pairs of 3 runs are compared over 2 to 15 topics by the paired t" in done.stderr
    assert "note: Shaffer's steps need scores of all runs for the same topics" in done.stderr
    refused = xcg_command(*call, *selected, "--run", run, "--correction", "tukey")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "tukey is only defined if all runs have scores for the same topics" in refused.stderr


def test_tukey_with_a_named_baseline_is_refused(xcg_command: Command) -> None:
    wrong = xcg_command("compare", *OPTIONS, "--baseline", "random", "--correction", "tukey")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "the correction tukey is only defined if all pairs of runs are compared" in wrong.stderr


@pytest.mark.slow
def test_all_pairs_overall_tests_and_the_plot(xcg_command: Command, tmp_path: Path) -> None:
    plot = tmp_path / "differences.svg"
    assert xcg_command("compare", *OPTIONS, "--plot", plot).returncode == 0
    assert plot.read_text().startswith("<?xml")
    pairs = xcg_command("compare", *OPTIONS, "--baseline", "all", "--format", "csv")
    assert len(pairs.stdout.splitlines()) == 1 + 28
    assert xcg_command("compare", *OPTIONS, "--format", "csv").stdout == pairs.stdout
    overall = xcg_command("compare", *OPTIONS, "--overall", "--format", "jsonl")
    tests = [json.loads(line)["test"] for line in overall.stdout.splitlines()]
    assert tests[:2] == ["two-way ANOVA, runs", "two-way ANOVA, topics"]
    assert tests[2:4] == ["discriminative power (bootstrap, 5 %)", "Friedman"]
    assert tests[4:] == ["Conover, Holm"] * 28


@pytest.mark.slow
def test_orders_with_overlap_off_agree_with_inex_eval(xcg_command: Command) -> None:
    """The setting of Table V: with overlap=off MAep orders runs as inex-eval does, else not."""
    models = ("--user-model", "overlap-off", "--user-model", "kazai-lalmas-2006")
    call = ("configs/quickstart.yaml", *models, "--measures", "MAep inexEval", "--orders")
    done = xcg_command("compare", *call, "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 6
    tau = {
        row["user_model"]: row["tau_b"] for row in rows if row["user_model"] == row["and user_model"]
    }
    assert tau["overlap-off"] > 0.8 > tau["kazai-lalmas-2006"]
    for row in rows:  # inexEval has one value per topic, as MAep
        assert row["tau_b low"] - 1e-9 <= row["tau_b"] <= row["tau_b high"] + 1e-9
    assert any(row["tau_b low"] < row["tau_b high"] for row in rows)
    without = xcg_command("compare", *call, "--format", "jsonl", "--resamples", "0")
    assert "tau_b low" not in without.stdout
    other = xcg_command("compare", *call, "--format", "jsonl", "--seed", "1")
    assert other.stdout != done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--seed", "1"), "--seed has no effect without --orders: remove it"),
        (("--resamples", "9"), "--resamples has no effect without --orders: remove it"),
        (("--orders", "--seed", "1", "--resamples", "0"), "--seed has no effect with --resamples 0"),
    ],
)
def test_resampling_is_for_orders(xcg_command: Command, options: tuple[str, ...], message: str) -> None:
    done = xcg_command("compare", *OPTIONS, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_the_gate_by_minimums_and_by_a_baseline(xcg_command: Command) -> None:
    quiet = (*OPTIONS, "--run", "corpora_samples/handbook-runs/focused.xml")
    passed = xcg_command("compare", *quiet, "--fail-under", "MAep=0.30")
    assert (passed.returncode, passed.stdout) == (0, "")
    failed = xcg_command("compare", *quiet, "--fail-under", "MAep=0.99", "--fail-under", "Q=0.01")
    assert failed.returncode == 1
    assert failed.stderr.count("failed: focused, kazai-lalmas-2006: MAep is 0.3294") == 1
    # a limit on a measure whose name is a part of another's
    other = ("configs/kazai-lalmas-2006.yaml", "--user-model", "kazai-lalmas-2006")
    part = xcg_command("compare", *other, "--measures", "iMAep", *("--fail-under", "MAep=0.9"))
    assert part.returncode == 2  # one topic is too few for a test
    single = ("--run", "corpora_samples/kazai-lalmas-2006-runs/4-rel_leaves.xml")
    part = xcg_command("compare", *other, *single, "--measures", "iMAep", "--fail-under", "MAep=0.9")
    assert (part.returncode, part.stderr.count("MAep is 0.6333, below 0.9")) == (1, 1)
    worse = xcg_command("compare", *OPTIONS, "--fail-if-worse-than", "focused")
    assert worse.returncode == 1
    assert "failed: random" in worse.stderr
    assert "failed: focused" not in worse.stderr
    best = xcg_command("compare", *OPTIONS, "--fail-if-worse-than", "random")
    assert best.returncode == 0, best.stderr
    for option, text, message in (
        (
            "--fail-under",
            "MAep",
            "illegal threshold 'MAep': expected a measure and its minimum, like MAep=0.30",
        ),
        ("--fail-under", "MAepp=0.3", "unknown measure 'MAepp'"),
        ("--fail-if-worse-than", "focussed", "no run 'focussed': did you mean 'focused'?"),
        ("--fail-if-worse-than", "", "no run ''"),
    ):
        wrong = xcg_command("compare", *OPTIONS, option, text)
        assert wrong.returncode == 2
        assert message in wrong.stderr


def test_the_plot_of_a_single_run_is_empty(xcg_command: Command, tmp_path: Path) -> None:
    single = (*OPTIONS, "--run", "corpora_samples/handbook-runs/focused.xml")
    plot = tmp_path / "one.svg"
    done = xcg_command("compare", *single, "--fail-under", "MAep=0.30", "--plot", plot)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.endswith(" cannot be estimated: there is no baseline\n")
    assert plot.read_text().startswith("<?xml")


def test_overall_tests_need_several_runs(xcg_command: Command) -> None:
    single = (*OPTIONS, "--run", "corpora_samples/handbook-runs/focused.xml")
    done = xcg_command("compare", *single, "--overall")
    assert (done.returncode, done.stdout) == (2, "")
    assert "one run has nothing to be compared with: expected several" in done.stderr


def test_a_gate_on_unmapped_data_has_status_3(xcg_command: Command, tmp_path: Path) -> None:
    run = tmp_path / "run.txt"
    run.write_text("1 Q0 quantisation#/article/none[9] 1 2 r\n1 Q0 quantisation#/article 2 1 r\n")
    call = ("compare", *OPTIONS, "--run", run)
    ungated = xcg_command(*call)
    assert (ungated.returncode, ungated.stdout) == (2, "")
    gated = xcg_command(*call, "--fail-under", "MAep=0.01")
    assert (gated.returncode, gated.stdout) == (3, "")
    assert "quantisation: no element /article[1]/none[9]" in gated.stderr
    allowed = xcg_command(*call, "--fail-under", "MAep=0.01", "--allow-unmapped", 1)
    assert allowed.returncode == 1, allowed.stderr  # the other result is not relevant
    assert "warning: results with unknown paths: 1 time" in allowed.stderr
    useless = xcg_command(*call, "--allow-unmapped", 1)
    assert (useless.returncode, useless.stdout) == (2, "")
    assert useless.stderr == (
        "xcg: error: --allow-unmapped has no effect without --fail-under, --fail-if-worse-than, "
        "--max-drop or --max-regressed: remove it\n"
    )


# The ranks of the only relevant document of eight topics, which order the runs as in
# tests/statistics/test_significant_pairs.py.
RANKS = {"A": "55533555", "B": "33255422", "C": "41344334", "D": "22122241", "E": "14411113"}
TABLE_2 = ("--measures", "RR", "--correction", "none")


@pytest.fixture
def five_runs(tmp_path: Path) -> tuple[object, ...]:
    """Runs A to E; the sums of their reciprocal ranks are 28/15, 169/60, 3, 19/4 and 35/6 by hand."""
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 d 1\n" for topic in range(1, 9)))
    for run, ranks in RANKS.items():
        lines = [
            f"{topic} Q0 {'d' if rank == int(found) else f'n{rank}'} {rank} {9 - rank} {run}\n"
            for topic, found in enumerate(ranks, 1)
            for rank in range(1, 6)
        ]
        (tmp_path / f"{run}.run").write_text("".join(lines))
    return "--assessments", tmp_path / "qrels", "--run", tmp_path / "*.run"


def test_the_form_of_table_2_of_jarvelin_and_kekalainen(
    five_runs: tuple[object, ...], xcg_command: Command
) -> None:
    call = ("compare", *five_runs, *TABLE_2, "--means")
    table = xcg_command(*call)
    assert (table.returncode, table.stderr) == (0, "")
    assert table.stdout.splitlines() == [
        "measure       A       B       C       D       E  significance",
        "RR       0.2333  0.3521  0.3750  0.5938  0.7292  D, E > A**",
    ]
    markdown = xcg_command(*call, "--format", "markdown").stdout
    assert markdown.splitlines()[2] == (
        r"| RR      | 0.2333 | 0.3521 | 0.3750 | 0.5938 | 0.7292 | D, E > A\*\* |"
    )
    latex = xcg_command(*call, "--format", "latex").stdout
    assert r"RR & 0.2333 & 0.3521 & 0.3750 & 0.5938 & 0.7292 & D, E \textgreater{} A** \\" in latex
    assert xcg_command(*call, "--format", "csv").stdout.endswith(',"D, E > A**"\n')
    (row,) = json.loads(xcg_command(*call, "--format", "json").stdout)
    sums = {"A": 28 / 15, "B": 169 / 60, "C": 3, "D": 19 / 4, "E": 35 / 6}
    assert {run: row[run] for run in sums} == pytest.approx({run: s / 8 for run, s in sums.items()})


def test_overall_tests_name_the_significant_pairs_and_their_practical_significance(
    five_runs: tuple[object, ...], xcg_command: Command
) -> None:
    call = ("compare", *five_runs, *TABLE_2, "--overall", "--format", "jsonl")
    rows = [json.loads(line) for line in xcg_command(*call).stdout.splitlines()]
    (friedman,) = (row for row in rows if row["test"] == "Friedman")
    assert (friedman["runs"], friedman["df"]) == ("D, E > A**", "4")
    assert (friedman["statistic"], friedman["p"]) == pytest.approx((14, 8 * math.exp(-7)))
    pairs = {row["runs"]: row for row in rows if row["test"] == "Conover"}
    assert list(pairs)[:4] == ["B - A", "C - A", "D - A", "E - A"]
    # C is better than B by 3 − 169/60 = 11/60, which is 11/169 = 6.5 % of B.
    assert pairs["C - B"]["relative"] == pytest.approx(11 / 169)
    assert pairs["C - B"]["difference"] == pytest.approx(11 / 480)
    assert pairs["C - B"]["criterion"] == "noticeable"
    assert {row["criterion"] for name, row in pairs.items() if name != "C - B"} == {"material"}
    holm = xcg_command("compare", *five_runs, "--measures", "RR", "--overall", "--format", "csv")
    assert holm.stdout.count("Conover, Holm") == 10


def test_relative_differences_from_the_baseline(
    five_runs: tuple[object, ...], xcg_command: Command
) -> None:
    call = ("compare", *five_runs, *TABLE_2, "--baseline", "C", "--format", "jsonl")
    rows = {row["run"]: row for row in map(json.loads, xcg_command(*call).stdout.splitlines())}
    assert rows["B"]["relative"] == pytest.approx(-11 / 180)
    assert [rows[run]["criterion"] for run in "ABDE"] == ["material", "noticeable", *["material"] * 2]


def test_letters_name_long_runs(xcg_command: Command) -> None:
    done = xcg_command("compare", *OPTIONS, "--means", "--letters", "--format", "json")
    (row,) = json.loads(done.stdout)
    assert list(row) == ["measure", *"ABCDEFGH", "significance"]
    assert " > G**" in row["significance"]
    assert "\nxcg: runs: A = articles, B = elements, C = focused, " in f"\n{done.stderr}"
    overall = xcg_command("compare", *OPTIONS, "--overall", "--letters")
    assert "C - A" in overall.stdout
    assert "articles" not in overall.stdout


def test_user_models_are_rows_and_runs_may_have_names_of_columns(
    xcg_command: Command, five_runs: tuple[object, ...], tmp_path: Path
) -> None:
    models = ("--user-model", "overlap-off", "--user-model", "kazai-lalmas-2006")
    call = ("configs/quickstart.yaml", *models, "--measures", "MAep", "--means", "--format", "json")
    rows = json.loads(xcg_command("compare", *call).stdout)
    assert [row["user_model"] for row in rows] == ["overlap-off", "kazai-lalmas-2006"]
    run = tmp_path / "A.run"
    run.write_text(run.read_text().replace(" A\n", " measure\n"))
    (row,) = json.loads(
        xcg_command("compare", *five_runs, *TABLE_2, "--means", "--format", "json").stdout
    )
    assert (row["measure"], row["run measure"]) == ("RR", pytest.approx(28 / 15 / 8))


def test_two_runs_have_no_friedman_test(
    xcg_command: Command, five_runs: tuple[object, ...], tmp_path: Path
) -> None:
    two = ("--assessments", tmp_path / "qrels", "--run", tmp_path / "[DE].run")
    done = xcg_command("compare", *two, *TABLE_2, "--means", "--format", "jsonl")
    assert json.loads(done.stdout) == {"measure": "RR", "D": 0.59375, "E": 35 / 48, "significance": ""}
    assert done.stderr == "xcg: note: Friedman's test needs at least three runs; there are two\n"


def test_contradictory_tables_are_errors(xcg_command: Command) -> None:
    both = xcg_command("compare", *OPTIONS, "--means", "--overall")
    assert (both.returncode, both.stdout) == (2, "")
    assert "expected one of --overall, --means and --orders" in both.stderr
    useless = xcg_command("compare", *OPTIONS, "--letters")
    assert (useless.returncode, useless.stdout) == (2, "")
    assert "--letters has no effect without --overall or --means" in useless.stderr
    single = (*OPTIONS, "--run", "corpora_samples/handbook-runs/focused.xml")
    one = xcg_command("compare", *single, "--means")
    assert one.returncode == 2
    assert "one run has nothing to be compared with: expected several" in one.stderr


def test_margins_add_p_values_and_need_a_named_baseline(xcg_command: Command) -> None:
    call = ("compare", *OPTIONS, "--margin", "0.1", "--baseline")
    done = xcg_command(*call, "focused", "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    assert "p_not_worse below 0.05 shows that a run is at most the margin worse" in done.stderr
    rows = {row["run"]: row for row in map(json.loads, done.stdout.splitlines())}
    found = xcg.evaluate(
        "assessments/handbook",
        "corpora_samples/handbook-runs",
        "corpora_samples/handbook",
        measures="MAep",
    )
    for row, line in zip(
        rows.values(), xcg.compare(found, baseline="focused", margin=0.1), strict=True
    ):
        assert (row["run"], row["margin"]) == (line.run, 0.1)
        assert row["p_not_worse"] == pytest.approx(line.p_not_worse)
        assert row["p_equivalent"] == pytest.approx(line.p_equivalent)
    assert rows["random"]["p_not_worse"] > 0.5
    for baseline in ("all", "best"):
        wrong = xcg_command(*call, baseline)
        assert (wrong.returncode, wrong.stdout) == (2, "")
        assert "--margin has no effect without --fail-if-worse-than or a named --bas" in wrong.stderr
    gate = ("compare", *OPTIONS, "--fail-if-worse-than", "random", "--margin", "0.1")
    assert xcg_command(*gate).returncode == 0
