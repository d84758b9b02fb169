"""State in sentences how runs were compared and ordered: baseline, test, correction, level, topics."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from xcg.evaluation.results import Results
from xcg.report.plot_selection import grouped
from xcg.statistics.rank_correlation import OrderShift
from xcg.statistics.significance import BestRun, Comparison
from xcg.statistics.significance_tests import CORRECTION_NAMES, SIGNIFICANCE_LEVEL
from xcg.statistics.topic_scores import ALL_PAIRS, ROUNDING, scores_by_run
from xcg.tables import p_equation

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
) -> Statement:
    """State baseline, test, correction, level, topics, intervals and power of comparisons.

    Args:
        comparisons: What ``xcg compare`` returned.
        baseline: The baseline with which it was called.
        correction: The correction with which it was called.

    >>> from xcg.evaluation.evaluate import evaluate
    >>> from xcg.statistics.significance import compare
    >>> gold = {"1": {"d": 1}, "2": {"d": 1}, "3": {"d": 1}}
    >>> runs = {run: {"1": ["d"], "2": [run, "d"], "3": ["d"]} for run in "ab"}
    >>> from xcg import evaluate
    >>> results = evaluate(gold, runs, measures="MAep")
    >>> for sentence in comparison_statement(compare(results, baseline="b"), "b").lead:
    ...     print(sentence)
    1 run is compared with the baseline b over 3 topics by the paired t test; \
significance level 5 %, 95 % intervals.
    """
    # Correction and number of comparisons can differ by measure.
    parts = grouped(comparisons, attrgetter("correction", "comparisons")).values()
    lead: list[str] = []
    facts: dict[str, None] = {}
    for lines in parts:
        names = ", ".join(dict.fromkeys(f"{line.measure} ({line.user_model})" for line in lines))
        about = f"{names}: " if len(parts) > 1 else ""
        lead.append(about + _lead(lines, baseline))
        facts |= dict.fromkeys(about + fact for fact in _facts(lines, baseline, correction))
    if baseline is None and comparisons[0].comparisons > 1:
        lead.append(
            "No baseline was named (--baseline RUN): runs are shown relative to the best one, and "
            "--baseline all prints all pairs."
        )
    return Statement(lead, [*facts])


def comparison_methods(comparisons: Sequence[Comparison], baseline: str) -> list[str]:
    """Return the sentences on comparisons for the methods section of a paper."""
    return [
        sentence.replace(" are compared", " were compared").replace(" is compared", " was compared")
        for sentence in comparison_statement(comparisons, baseline).lead
    ]


def _lead(lines: Sequence[Comparison], baseline: str | None) -> str:
    size = lines[0].comparisons
    if baseline not in (None, ALL_PAIRS):
        runs = "1 run is" if size == 1 else f"{size} runs are"
        what = f"{runs} compared with the baseline {baseline}"
    elif size == 1:
        what = f"{lines[0].run} is compared with {lines[0].baseline}"
    else:
        names = {name for line in lines for name in (line.run, line.baseline)}
        what = f"All {size} pairs of {len(names)} runs are compared"
    return f"{what} over {_topics(lines)} by {_procedure(lines[0])}."


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


def _facts(lines: Sequence[Comparison], baseline: str | None, correction: str | None) -> list[str]:
    test, used, size = lines[0].test, lines[0].correction, lines[0].comparisons
    facts = []
    if size > 1 and used != "none" and len({(line.measure, line.user_model) for line in lines}) > 1:
        facts.append("family: the comparisons by one measure under one user model, corrected together")
    if test not in ("t", "randomisation"):
        facts.append("intervals: none, because Wilcoxon's test is about ranks, not means")
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
            "note: Shaffer's steps need scores of all runs for the same topics; here each pair is "
            "tested on the topics that both runs have"
        )
    return facts


def _contains_0(line: Comparison) -> bool:
    return line.low is not None and line.high is not None and line.low <= 0 <= line.high


def _spreads(lines: Sequence[Comparison]) -> list[str]:
    """State the smallest and the largest standard deviation, of the family where they differ most."""
    deviations: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        deviations.setdefault((line.measure, line.user_model), []).append(line.deviation)
    facts = []
    limits = {family: (min(each), max(each)) for family, each in deviations.items() if len(each) > 1}
    if limits:
        family, (low, high) = max(
            limits.items(), key=lambda item: item[1][1] / (item[1][0] or ROUNDING)
        )
        where = f" by {family[0]} under {family[1]}" if len(deviations) > 1 else ""
        facts.append(
            f"spread: the standard deviation of a pair's differences is from {low:.4f} to {high:.4f}"
            f"{where}"
        )
        if lines[0].correction == "tukey" and high > _MOST_UNEQUAL * low:
            unequal = f"these differ {high / low:.1f}-fold" if low else "one of these is 0"
            facts.append(
                f"warning: Tukey's HSD assumes equal standard deviations; {unequal}, so more than 5 % "
                "of such comparisons may be false alarms; use the correction shaffer or holm"
            )
    return facts


def zero_notes(results: Results, comparisons: Sequence[Comparison]) -> list[str]:
    """Note runs whose shares of topics with score 0 differ so much that tests find false differences.

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
        if shares[most] - shares[fewest] > _MOST_ZEROS:
            notes.append(
                f"note: {measure} under {model} is 0 for {100 * shares[most]:.0f} % of the topics of "
                f"{most}, and for {100 * shares[fewest]:.0f} % of {fewest}: tests of such runs can "
                "have more false alarms than 5 %, above all with few topics or by Wilcoxon's test"
            )
    return notes


def sweep_sentences(results: Results, resamples: int) -> list[str]:
    """Return sentences that state which orders are compared, and over how many topics.

    Args:
        results: The results whose orders are compared.
        resamples: Number of bootstrap resamples for the intervals; 0 for no intervals.
    """
    runs, models, topics = (len(names) for names in (results.runs, results.user_models, results.topics))
    sentences = [
        f"The order of {runs} runs by their means over {topics} topics under each of {models} user "
        f"models is compared with the order under {results.user_models[0]}, the first."
    ]
    if resamples:
        sentences.append(
            f"Intervals of tau_b are 95 % bootstrap intervals over topics ({resamples:,} resamples)."
        )
    return sentences


def shift_facts(shifts: Sequence[OrderShift], best: Sequence[BestRun], resamples: int) -> list[str]:
    """Return sentences on the best and the second run, and the reasons for empty cells."""
    facts = best_run_sentences(best)
    if any(shift.tau_b is None for shift in shifts):
        facts.append("empty tau_b: all runs have the same mean under one of the models")
    if resamples and any(shift.interval is None for shift in shifts if shift.tau_b is not None):
        facts.append("empty interval: tau_b is not defined in the resamples")
    return facts


def best_run_sentences(found: Sequence[BestRun]) -> list[str]:
    """Return a sentence for each measure, and one on the test.

    >>> for sentence in best_run_sentences([BestRun("MAep", "m", "a", "b", 0.25, "shaffer", 3, 9)]):
    ...     print(sentence)
    MAep: the best run, a, does not differ significantly from the second, b (p = 0.2500)
    best and second: the paired t test, corrected for 3 comparisons (Holm with Shaffer's steps), \
significance level 5 %; the best run was chosen after seeing the scores, so the correction is for all \
pairs of runs
    """
    sentences = [
        _best_run_sentence(measure, own)
        for measure, own in grouped(found, lambda one: one.measure).items()
    ]
    tested = [one for one in found if one.p is not None]
    if not tested:
        return sentences
    corrections = [
        f"corrected for {one.comparisons} comparisons ({CORRECTION_NAMES[one.correction]}), "
        for one in tested
        if one.comparisons > 1
    ]
    chosen = "the best run was chosen after seeing the scores"
    if corrections:
        chosen += ", so the correction is for all pairs of runs"
    if len(found) > 1:
        chosen += "; there is no correction for the number of measures and user models"
    corrected = "or ".join(dict.fromkeys(corrections))
    return [
        *sentences,
        f"best and second: the paired t test, {corrected}significance level "
        f"{100 * SIGNIFICANCE_LEVEL:g} %; {chosen}",
    ]


def _best_run_sentence(measure: str, found: Sequence[BestRun]) -> str:
    p_values = [one.p for one in found if one.p is not None]
    different = sum(p < SIGNIFICANCE_LEVEL for p in p_values)
    if not p_values:
        return (
            f"{measure}: whether the best run differs from the second cannot be tested, because they "
            "share fewer than two topics"
        )
    if len(found) > 1:
        return (
            f"{measure}: the best run differs significantly from the second under {different} of "
            f"{len(p_values)} user models"
        )
    differs = "differs" if different else "does not differ"
    return (
        f"{measure}: the best run, {found[0].best}, {differs} significantly from the second, "
        f"{found[0].second} (p {p_equation(p_values[0])})"
    )
