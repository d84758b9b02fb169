"""List measures, and write the findings of a validation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from xcg.errors import printable
from xcg.judgements.recall_base import ASSESSMENT_FORMATS
from xcg.measures.definition import Definition, Number
from xcg.registry import Registry
from xcg.report.columns import DISTRIBUTION
from xcg.report.distributions import distribution_rows
from xcg.runs.run import RUN_FORMATS
from xcg.tables import Column, Table, json_text
from xcg.terminal_tables import Block, Prose, separated
from xcg.user_model.effort import Effort

if TYPE_CHECKING:
    from xcg.evaluation.validation import Report

_EFFORT_PARAMETERS = Effort().parameters()
_NEEDS = {
    "gains": "gains under a user model",
    "scores": "assessed elements or levels",
    "grades": "exhaustivity and specificity, and the corpus",
    "text": "highlighted passages (offset qrels, JSON Lines with start and end, or INEX 2005 and "
    "after); the corpus, unless passages and results are offsets",
    "levels": "levels of relevance or assessed elements",
}


_MEASURE_COLUMNS = (
    Column("measure", kind="text", is_key=True),
    Column("parameters", kind="text", priority=3),
    Column("what it is", kind="text"),
    Column("range", kind="text", priority=2),
    Column("needs", kind="text", priority=1),
    Column("source", kind="text", priority=3),
)


def list_measures(definitions: Iterable[Definition]) -> Table:
    """Return a table of measures: usage, parameters, title, range, needs and source."""
    rows = [
        [
            ", ".join([definition.usage, *definition.aliases]),
            _parameters(definition),
            definition.title,
            _range(definition, definition.range.partition(";")[0]),
            definition.needs,
            definition.source,
        ]
        for definition in definitions
    ]
    return Table(_MEASURE_COLUMNS, rows, is_limited=False)


def list_formats() -> Table:
    """Return a table of the file formats that are read and written."""
    kinds: dict[str, Registry[Any]] = {"assessments": ASSESSMENT_FORMATS, "runs": RUN_FORMATS}
    rows = [
        [kind, name, "read and written" if found.write is not None else "read", found.description]
        for kind, registry in kinds.items()
        for name in registry
        for found in [registry.get(name)]
    ]
    columns = [
        *(Column(name, kind="text", is_key=True) for name in ("files", "format")),
        *(Column(name, kind="text") for name in ("use", "what they hold")),
    ]
    return Table(columns, rows, is_limited=False)


def describe_measure(definition: Definition) -> str:
    """Return everything that a measure declares: formula, parameters, range, example and source."""
    declared = [
        ("cutoff", definition.cutoff.name if definition.cutoff else ""),
        ("also called", ", ".join(definition.aliases)),
        *(("parameter", _parameter(name, values)) for name, values in definition.parameters.items()),
        ("needs", _needs(definition)),
        ("range", _range(definition, definition.range)),
        ("example", definition.example),
        ("caveat", definition.caveat),
        ("source", definition.source),
        ("citation", f"xcg list measures {definition.usage} --bibtex" if definition.references else ""),
    ]
    lines = [f"{definition.usage}: {definition.title}", "", f"  {definition.formula}", ""]
    lines += [f"{label + ':':13}{text}" for label, text in declared if text]
    return "".join(f"{printable(line)}\n" for line in lines)


def _needs(definition: Definition) -> str:
    on_spans = definition.needs == "levels" and definition.on_spans
    return f"{_NEEDS[definition.needs]}{', or gold spans' if on_spans else ''}"


def _parameter(name: str, values: Number | Sequence[str]) -> str:
    """Return the values of a parameter and its default."""
    if isinstance(values, Number):
        return f"{name}={values.default:g}; {values}"
    default = "as the user model says" if name in _EFFORT_PARAMETERS else "the first"
    return f"{name}={' | '.join(values)}; by default {default}"


def _range(definition: Definition, values: str) -> str:
    return f"{values}, lower is better" if definition.lower_is_better else values


def _parameters(definition: Definition) -> str:
    return " ".join(
        f"{name}={values.default:g}" if isinstance(values, Number) else f"{name}={'|'.join(values)}"
        for name, values in definition.parameters.items()
    )


def report_blocks(report: Report) -> list[Block]:
    """Return the findings of a validation as tables and sentences."""
    counts = [
        [name, count if isinstance(count, int) else f"{count:.4f}"]
        for name, count in report.counts.items()
    ]
    lines = [
        f"{finding.level}: {finding.kind}: {finding.count}; the first: {finding.first}"
        for finding in report.findings
    ] or ["clean: no errors and no warnings"]
    lines += [f"note: {note}" for note in report.data.notes]
    tables = [
        Table([Column("what was read"), Column("number", kind="count")], counts, is_limited=False)
    ]
    if report.levels:
        tables.append(Table.of_records(distribution_rows(report.levels), DISTRIBUTION))
    findings = Prose("".join(f"{printable(line)}\n" for line in lines))
    return [*separated(tables), "\n", findings]


def report_as_json(report: Report) -> str:
    """Return the findings of a validation as JSON."""
    content = {
        "status": report.status,
        "counts": report.counts,
        "levels": [level._asdict() for level in report.levels],
        "findings": [asdict(finding) for finding in report.findings],
        "notes": report.data.notes,
    }
    return json_text(content, indent=1) + "\n"
