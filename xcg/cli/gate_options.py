"""The options that make ``xcg compare`` a gate."""

from __future__ import annotations

import functools
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import click

from xcg.cli.campaign_options import CampaignOptions
from xcg.cli.messages import print_error
from xcg.cli.options import MAX_NUMBER, list_option
from xcg.cli.output import FILE, C, Printed
from xcg.cli.unused_options import given_options, refuse_unused
from xcg.documents.writing import whole_file
from xcg.errors import UnmappedError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import Results
from xcg.report.gates import gate_comment, junit_xml, regressed_questions
from xcg.statistics.gate import check_gate
from xcg.statistics.gate_limits import Limits, parse_limits, parse_thresholds

GATES = ("--fail-under", "--fail-if-worse-than", "--max-drop", "--max-regressed")
"""The options that make ``xcg compare`` a gate."""


@dataclass(frozen=True)
class GateOptions:
    """The options of a gate, as on the command line."""

    fail_under: Sequence[str]
    fail_if_worse_than: str | None
    max_drop: Sequence[str]
    max_regressed: Sequence[str]
    regressed_by: float | None
    expected_topics: str | None
    junit: Path | None
    per_topic: bool
    allow_underpowered: bool
    allow_unmapped: int | None

    @cached_property
    def minimums(self) -> dict[str, float]:
        """The smallest means."""
        return parse_thresholds(self.fail_under)

    @cached_property
    def limits(self) -> Limits:
        """The limits without a test."""
        return parse_limits(self.max_drop, self.max_regressed, self.regressed_by)

    @property
    def has_test(self) -> bool:
        """Whether a run fails that is significantly worse."""
        return self.fail_if_worse_than is not None

    @property
    def compares(self) -> bool:
        """Whether runs are compared with a baseline."""
        return self.has_test or bool(self.limits)

    @property
    def is_given(self) -> bool:
        """Whether there is a gate."""
        return bool(self.minimums) or self.compares

    @property
    def measures(self) -> list[str]:
        """The measures that the options name."""
        return [*self.minimums, *self.limits.measures]

    def refuse_unused(self) -> None:
        """Refuse options without effect."""
        refuse_unused(self.has_test, "with --fail-if-worse-than, which is the baseline", "--baseline")
        unused = ["--allow-unmapped", "--allow-underpowered", "--junit", "--expected-topics"]
        refuse_unused(not self.is_given, f"without {_or(GATES)}", *unused)
        refuse_unused(not self.compares, f"without {_or(GATES[1:])}", "--per-topic")
        refuse_unused(self.junit is None, "without --junit", "--per-topic")

    def checked(
        self,
        campaign: CampaignOptions,
        inputs: Inputs,
        results: Results,
        baseline: str | None,
        printed: Printed,
        test: str,
        correction: str | None,
        margins: Mapping[str, float] | None,
    ) -> Printed:
        """Check the gate, write the JUnit file, and return what is printed with the verdict."""
        verdict = check_gate(
            results,
            self.minimums,
            baseline if self.compares else None,
            test=test,
            correction=correction,
            margins=margins,
            allow_unmapped=self.allow_unmapped or 0,
            allow_underpowered=self.allow_underpowered,
            limits=self.limits,
            is_tested=self.has_test,
            expected_topics=self.expected_topics,
        )
        is_comment = click.get_current_context().params.get("records_format") == "markdown"
        questions = {}
        if self.junit is not None or is_comment:
            questions = regressed_questions(verdict, inputs, functools.partial(_command, campaign))
        if self.junit is not None:
            regressed_by = self.limits.regressed_by if self.per_topic else None
            with whole_file(self.junit) as file:
                file.write(junit_xml(verdict, questions, regressed_by))
        failed = [f"failed: {failure}" for failure in verdict.failures]
        rows = () if isinstance(printed.content, str) else printed.content
        return printed._replace(
            notes=[*printed.notes, *verdict.notes, *failed],
            status=lambda: int(bool(failed)),
            markdown=gate_comment(verdict, printed.notes, rows, printed.publication, questions),
        )


_OPTIONS = (
    click.option(
        "--fail-under",
        multiple=True,
        metavar="MEASURE=VALUE",
        help="Exit with status 1 if a mean is lower than this value.",
    ),
    click.option(
        "--fail-if-worse-than",
        metavar="RUN",
        help="Exit with status 1 if a run is significantly worse than this run, a name or a path, by "
        "any measure (5 %, corrected over all runs, measures and user models).",
    ),
    click.option(
        "--max-drop",
        multiple=True,
        metavar="[MEASURE=]VALUE",
        help="Exit with status 1 if a mean is worse than that of the baseline by more than this "
        "difference (0.02), or share of the baseline's mean (5%). There is no test.",
    ),
    click.option(
        "--max-regressed",
        multiple=True,
        metavar="[MEASURE=]N",
        help="Exit with status 1 if more than N topics (questions), or more than N %, regress: the run "
        "is worse than the baseline by more than --regressed-by.",
    ),
    click.option(
        "--regressed-by",
        type=click.FloatRange(0),
        metavar="NUMBER",
        help="With --max-regressed, a topic regresses if its score is worse by more than this.  "
        "[default: 0.1]",
    ),
    list_option(
        "--expected-topics",
        "Exit with status 1 unless these topics (questions), or at least this number, have scores of "
        "all runs.",
    ),
    click.option(
        "--junit",
        type=FILE,
        help="Write the verdict of the gate to this file as JUnit XML, one test case for each run, "
        "measure and user model.",
    ),
    click.option(
        "--per-topic",
        is_flag=True,
        help="With --junit, add a test case for each topic. It fails if the run fails by this measure "
        "and the topic regresses.",
    ),
    click.option(
        "--allow-underpowered",
        is_flag=True,
        help="Accept a gate that some run can never fail, because there are too few topics for the "
        "test or no score can exceed a limit.",
    ),
    click.option(
        "--allow-unmapped",
        type=click.IntRange(0, MAX_NUMBER),
        metavar="N",
        help="Let a gate pass if at most N results or assessments are unusable. Implies --lenient.",
    ),
)


def gate_options(command: C) -> C:
    """Add the options, which the command receives as the argument ``gate``.

    A gate exits with status 3 if it finds data that do not exist in the corpus.
    """

    @functools.wraps(command)
    def call(*arguments: Any, **values: Any) -> Any:
        options = {field.name: values.pop(field.name) for field in fields(GateOptions)}
        try:
            return command(*arguments, gate=GateOptions(**options), **values)
        except UnmappedError as error:
            if not given_options(*GATES):
                raise
            print_error(error)
            sys.exit(3)

    for option in reversed(_OPTIONS):
        call = option(call)
    return cast(C, call)


def _command(campaign: CampaignOptions, inputs: Inputs, run: str, topic: str) -> str:
    """Return the command that explains a run for a topic."""
    originals = {
        f"{name}+{strategy}": name for name in inputs.named_sources for strategy in inputs.strategy_list
    }
    source = inputs.named_sources.get(originals.get(run, run))
    words = ["xcg", "explain", *([str(campaign.config)] if campaign.config is not None else [])]
    many = {
        "--assessments": campaign.assessments,
        "--user-model": campaign.user_model,
        "--strategy": campaign.strategies,
    }
    one = {
        "--corpus": campaign.corpus,
        "--order": campaign.order,
        "--ties": campaign.ties,
        "--document": campaign.document,
        "--run": source if isinstance(source, Path) else run,
        "--topic": topic,
    }
    words += [word for option, values in many.items() for value in values for word in (option, value)]
    words += [str(word) for pair in one.items() if pair[1] is not None for word in pair]
    return shlex.join([*words, *(["--lenient"] if campaign.lenient else [])])


def _or(options: Sequence[str]) -> str:
    return f"{', '.join(options[:-1])} or {options[-1]}"
