"""The tables of ``xcg compare`` on the sample campaign, as people see them."""

from __future__ import annotations

import pytest
from conftest import Command, without_note
from rich.cells import cell_len

from xcg.terminal_tables import Terminal

CAMPAIGN = ("configs/quickstart.yaml", "--measures", "MAep")
OPTIONS = (*CAMPAIGN, "--user-model", "kazai-lalmas-2006")

ALL_PAIRS = """\
All 28 pairs of 8 runs are compared over 15 topics by the paired t test,
corrected for 28 comparisons (Holm with Shaffer's steps); significance level 5
%, 95 % intervals.
No baseline was named (--baseline RUN): runs are shown relative to the best one,
and --baseline all prints all pairs.

run           mean  difference       95 % interval       p    d_z  group
paragraphs  0.3363        best                                     ab
focused     0.3294     -0.0069  [-0.1455, +0.1318]       1  -0.05  a
merged      0.2911     -0.0452  [-0.1475, +0.0571]  0.5585  -0.44  abc
elements    0.2261     -0.1101  [-0.2360, +0.0157]  0.0554  -0.87  bc
sections    0.1913     -0.1450  [-0.3012, +0.0113]  0.0402  -0.92  c
parents     0.1891     -0.1471  [-0.3174, +0.0231]  0.0554  -0.86  bcd
articles    0.0671     -0.2692  [-0.4600, -0.0783]  0.0019  -1.40  d
random      0.0152     -0.3211  [-0.4983, -0.1440]  0.0001  -1.80  e
hidden columns: relative, better/worse/equal, criterion, p alone, level; a wider
terminal or a pipe prints them

mean           mean over topics; the sum if the measure is a count
difference     mean minus the mean of the baseline or best run
95 % interval  confidence interval of the difference
p              p value, corrected for 28 comparisons
d_z            Cohen's d_z: difference / its standard deviation
group          runs that share a letter do not differ significantly

intervals: Bonferroni's: all of a family hold together with 95 %
significant, but 0 is in the interval: later steps of the correction have a
higher level than the intervals, which hold together
spread: the standard deviation of a pair's differences is from 0.0230 to 0.2152
"""
NAMED = """\
7 runs are compared with the baseline sections over 15 topics by the paired t
test, corrected for 7 comparisons (Holm); significance level 5 %, 95 %
intervals.

run           mean  difference       95 % interval  relative       p    d_z
sections    0.1913    baseline
paragraphs  0.3363     +0.1450  [+0.0171, +0.2728]   +75.8 %  0.0124  +0.92
focused     0.3294     +0.1381  [+0.0388, +0.2374]   +72.2 %  0.0038  +1.13
merged      0.2911     +0.0998  [+0.0012, +0.1984]   +52.2 %  0.0199  +0.82
elements    0.2261     +0.0348  [-0.0234, +0.0931]   +18.2 %  0.1619  +0.49
parents     0.1891     -0.0022  [-0.0610, +0.0567]    -1.1 %  0.9092  -0.03
articles    0.0671     -0.1242  [-0.2253, -0.0231]   -64.9 %  0.0086  -1.00
random      0.0152     -0.1762  [-0.2741, -0.0782]   -92.1 %  0.0004  -1.46
"""


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output is a terminal of 80 columns."""
    monkeypatch.setattr(Terminal, "of", lambda stream: Terminal(80))


@pytest.mark.usefixtures("terminal")
def test_all_pairs_are_summarised_relative_to_the_best_run(xcg_command: Command) -> None:
    done = xcg_command("compare", *OPTIONS)
    assert (done.returncode, without_note(done.stderr)) == (0, "")
    assert done.stdout == ALL_PAIRS


@pytest.mark.usefixtures("terminal")
def test_runs_are_below_a_named_baseline(xcg_command: Command) -> None:
    done = xcg_command("compare", *OPTIONS, "--baseline", "sections")
    assert (done.returncode, without_note(done.stderr)) == (0, "")
    assert done.stdout.startswith(NAMED)


@pytest.mark.usefixtures("terminal")
def test_all_pairs_are_printed_if_they_are_named(xcg_command: Command) -> None:
    done = xcg_command("compare", *OPTIONS, "--baseline", "all")
    lines = done.stdout.splitlines()
    rows = [line.split()[:2] for line in lines if line.startswith("articles    ")]
    assert rows[0] == ["articles", "elements"]
    assert len(rows) == 7
    assert max(map(cell_len, lines)) <= 80


@pytest.mark.slow
@pytest.mark.usefixtures("terminal")
def test_several_families_have_titles_and_one_note_on_columns(xcg_command: Command) -> None:
    lines = xcg_command("compare", "configs/quickstart.yaml").stdout.splitlines()
    assert "MAep under kazai-lalmas-2006-gen" in lines
    assert "nxCG@10 under overlap-off-gen" in lines
    assert sum(line.startswith("hidden columns: ") for line in lines) == 1
    assert max(map(cell_len, lines)) <= 80


def test_a_pipe_gets_everything(xcg_command: Command) -> None:
    lines = xcg_command("compare", *OPTIONS).stdout.splitlines()
    headings = [line.split("  ") for line in lines if line.startswith("run ")]
    (names,) = headings
    found = {name.strip() for name in names}
    assert {"95 % interval", "relative", "p alone"} <= found
    assert max(map(cell_len, lines)) > 80


def test_wilcoxon_states_that_there_are_no_intervals(xcg_command: Command) -> None:
    done = xcg_command("compare", *OPTIONS, "--set", "compare.test=wilcoxon")
    lead, facts = done.stdout.splitlines()[0], done.stdout.splitlines()[-2:]
    assert lead.endswith("corrected for 28 comparisons (Holm); significance level 5 %.")
    assert facts[0] == ("intervals: none, because Wilcoxon's test is about ranks, not means")
