"""State in sentences how runs were compared: baseline, test, correction, level, topics, intervals."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from xcg.evaluation.results import Results
from xcg.report.plot_selection import grouped
from xcg.statistics.corrections import CORRECTION_NAMES, SIGNIFICANCE_LEVEL
from xcg.statistics.significance import Comparison
from xcg.statistics.topic_scores import ALL_PAIRS, scores_by_run

TEST_NAMES = {
    ("t", "tukey"): "Tukey's HSD (two-way ANOVA of runs and topics)",
    ("randomisation", "tukey"): "randomised Tukey HSD (scores of each topic permuted among the runs)",
    ("t", ""): "the paired t test",
    ("wilcoxon", ""): "Wilcoxon's signed-rank test",
    ("randomisation", ""): "the paired randomisation test",
}
"""Test, and correction if it changes the test → name."""
_INTERVALS = {
    "tukey": "all of a family hold together with 95 %",
    **dict.fromkeys(
        ("shaffer", "holm", "bonferroni"), "Bonferroni's: all of a family hold together with 95 %"
    ),
    "fdr_bh": "each has a higher level; 5 % of those that exclude 0 are expected to be wrong",
    "none": "each holds alone with 95 %",
}
_MOST_UNEQUAL = 3
"""Ratio of standard deviations above which Tukey's HSD is warned of."""
_MOST_ZEROS = 0.3
_LEVEL = f"{100 * SIGNIFICANCE_LEVEL:g} %"


class Statement(NamedTuple):
    """Sentences that describe comparisons.

    Attributes:
        lead: One or two sentences: what is compared, the baseline, test, correction, level and topics.
        facts: Lines with details, each with a name: family, intervals, assumption, power.
    """

    lead: list[str]
    facts: list[str]


def comparison_statement(
    comparisons: Sequence[Comparison],
    baseline: str | None,
    correction: str | None = None,
    within_runs: bool = False,
) -> Statement:
    """State baseline, test, correction, level, topics, intervals and power of comparisons.

    Args:
        comparisons: What ``xcg compare`` returned.
        baseline: The baseline with which it was called.
        correction: The correction with which it was called.
        within_runs: Whether only strategies of the same run were compared.

    >>> from xcg.evaluation.evaluate import evaluate
    >>> from xcg.statistics.significance import compare
    >>> gold = {"1": {"d": 1}, "2": {"d": 1}, "3": {"d": 1}}
    >>> runs = {run: {"1": ["d"], "2": [run, "d"], "3": ["d"]} for run in "ab"}
    >>> from xcg import evaluate
    >>> results = evaluate(gold, runs, measures="MAep")
    >>> for sentence in comparison_statement(compare(results, baseline="b"), "b").lead:
    ...     print(sentence)
    1 run is compared with the baseline b, named by the user, over 3 topics by the paired t test; \
significance level 5 %, 95 % intervals.
    """
    # Correction and number of comparisons can differ by measure.
    parts = grouped(comparisons, attrgetter("correction", "comparisons")).values()
    lead: list[str] = []
    facts: list[str] = []
    for lines in parts:
        sentences = _lead(lines, baseline, within_runs)
        names = ", ".join(dict.fromkeys(f"{line.measure} ({line.user_model})" for line in lines))
        about = f"{names}: " if len(parts) > 1 else ""
        lead += [about + sentences[0], *sentences[1:]]
        facts += [about + fact for fact in _facts(lines, baseline, correction, within_runs)]
    return Statement(lead, list(dict.fromkeys(facts)))


def comparison_methods(
    comparisons: Sequence[Comparison], baseline: str, within_runs: bool
) -> list[str]:
    """Return the sentences on comparisons for the methods section of a paper."""
    return [
        sentence.replace(", named by the user,", "")
        .replace(" are compared", " were compared")
        .replace(" is compared", " was compared")
        for sentence in comparison_statement(comparisons, baseline, within_runs=within_runs).lead
    ]


def _lead(lines: Sequence[Comparison], baseline: str | None, within_runs: bool) -> list[str]:
    size = lines[0].comparisons
    if baseline not in (None, ALL_PAIRS):
        runs = "1 run is" if size == 1 else f"{size} runs are"
        what = f"{runs} compared with the baseline {baseline}, named by the user,"
    elif size == 1:
        what = f"{lines[0].run} is compared with {lines[0].baseline}"
    elif within_runs:
        what = f"All {size} pairs of strategies of the same run are compared"
    else:
        names = {name for line in lines for name in (line.run, line.baseline)}
        what = f"All {size} pairs of {len(names)} runs are compared"
    first = f"{what} over {_topics(lines)} by {_procedure(lines[0])}."
    if baseline is not None or within_runs or size == 1:
        return [first]
    return [
        first,
        "No baseline was named (--baseline RUN): runs are shown relative to the best one, and "
        "--baseline all prints all pairs.",
    ]


def _topics(lines: Sequence[Comparison]) -> str:
    counts = {line.topics for line in lines}
    return f"{min(counts)} topics" if len(counts) == 1 else f"{min(counts)} to {max(counts)} topics"


def _procedure(line: Comparison) -> str:
    test, correction, size = line.test, line.correction, line.comparisons
    levels = f"significance level {_LEVEL}"
    if test in ("t", "randomisation"):
        levels += ", 95 % intervals"
    if size == 1:
        return f"{TEST_NAMES[test, '']}; {levels}"
    if correction == "tukey":
        return f"{TEST_NAMES[test, 'tukey']}, which corrects for the number of pairs; {levels}"
    corrected = f"corrected for {size} comparisons ({CORRECTION_NAMES[correction]})"
    if correction == "none":
        corrected = f"without a correction for {size} comparisons"
    return f"{TEST_NAMES[test, '']}, {corrected}; {levels}"


def _facts(
    lines: Sequence[Comparison], baseline: str | None, correction: str | None, within_runs: bool
) -> list[str]:
    test, used, size = lines[0].test, lines[0].correction, lines[0].comparisons
    facts = []
    if size > 1 and used != "none" and len({(line.measure, line.user_model) for line in lines}) > 1:
        facts.append("family: the comparisons by one measure under one user model, corrected together")
    if test not in ("t", "randomisation"):
        facts.append(
            "intervals and detectable differences: none, because Wilcoxon's test is about ranks, not "
            "means"
        )
    else:
        facts.append(f"intervals: {_INTERVALS['none' if size == 1 else used]}")
        if any(_contains_0(line) and line.p_adjusted < SIGNIFICANCE_LEVEL for line in lines):
            facts.append(
                "significant, but 0 is in the interval: later steps of the correction have a higher "
                "level than the intervals, which hold together"
            )
        if any(line.low is None for line in lines):
            facts.append("empty intervals: there are too few topics for the level")
    facts += _spreads(lines)
    all_pairs = baseline in (None, ALL_PAIRS) and size > 1
    if all_pairs and used == "holm" != correction and test == "t":
        facts.append(
            "note: Shaffer's steps need all pairs of runs, not only the strategies of the same run"
            if within_runs
            else "note: Shaffer's steps need scores of all runs for the same topics; here each pair is "
            "tested on the topics that both runs have"
        )
    if any(line.relative is None for line in lines):
        facts.append("empty relative: the mean of the baseline is 0")
    if any(line.effect is None for line in lines):
        facts.append("empty d_z: all topics have the same difference")
    return facts + _power(lines)


def _contains_0(line: Comparison) -> bool:
    return line.low is not None and line.high is not None and line.low <= 0 <= line.high


def _spreads(lines: Sequence[Comparison]) -> list[str]:
    """State the smallest and the largest standard deviation, of the family where they differ most."""
    deviations: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        if line.effect:
            found = deviations.setdefault((line.measure, line.user_model), [])
            found.append(line.difference / line.effect)
    facts = []
    limits = {family: (min(each), max(each)) for family, each in deviations.items() if len(each) > 1}
    if limits:
        family, (low, high) = max(limits.items(), key=lambda item: item[1][1] / item[1][0])
        where = f" by {family[0]} under {family[1]}" if len(deviations) > 1 else ""
        facts.append(
            f"spread: the standard deviation of a pair's differences is from {low:.4f} to {high:.4f}"
            f"{where}"
        )
        if lines[0].correction == "tukey" and high > _MOST_UNEQUAL * low:
            facts.append(
                "warning: Tukey's HSD assumes equal standard deviations; these differ "
                f"{high / low:.1f}-fold, so more than 5 % of such comparisons may be false alarms; "
                "use the correction shaffer or holm"
            )
    return facts


def zero_notes(results: Results, comparisons: Sequence[Comparison]) -> list[str]:
    """Note runs whose shares of topics with score 0 differ so much that t tests find false differences.

    One note for each measure and user model, on the two compared runs that differ most.
    """
    notes = []
    for (measure, model), lines in grouped(comparisons, attrgetter("measure", "user_model")).items():
        shares = {
            run: sum(score == 0 for score in values.values()) / len(values)
            for run, values in scores_by_run(results, measure, model).items()
        }
        pairs = [sorted((line.run, line.baseline), key=shares.__getitem__) for line in lines]
        fewest, most = max(pairs, key=lambda pair: shares[pair[1]] - shares[pair[0]])
        if lines[0].test == "t" and shares[most] - shares[fewest] > _MOST_ZEROS:
            notes.append(
                f"note: {measure} under {model} is 0 for {100 * shares[most]:.0f} % of the topics of "
                f"{most}, and for {100 * shares[fewest]:.0f} % of {fewest}: t tests of such runs can "
                "have more false alarms than 5 %, above all with few topics"
            )
    return notes


def _power(lines: Sequence[Comparison]) -> list[str]:
    """State the detectable differences, with their values if there is one family."""
    values = [line.detectable for line in lines if line.detectable is not None]
    if not values:
        return []
    size, used = lines[0].comparisons, lines[0].correction
    text = "detectable: the smallest true difference that a comparison finds with 80 % power"
    if size > 1 and used not in ("tukey", "none"):
        text += ", if no other comparison finds one"
    if len({(line.measure, line.user_model) for line in lines}) == 1:
        low, high = f"{min(values):.4f}", f"{max(values):.4f}"
        text += f": {low}" if low == high else f": {low} to {high}"
    return [text]
