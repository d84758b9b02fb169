"""What xcg offers, as text: measures, user models and the parts these are made of."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from xcg.measures.definition import Definition, Number
from xcg.tables import text_table
from xcg.user_model.effort import Effort
from xcg.user_model.ideal import SELECTIONS
from xcg.user_model.model import UserModel, shipped_models
from xcg.user_model.near_misses import NEAR_MISSES
from xcg.user_model.overlap_models import PARTIALLY_SEEN
from xcg.user_model.quantisation import QUANTISATIONS

if TYPE_CHECKING:
    from xcg.evaluation.validation import Report


def list_measures(definitions: Iterable[Definition]) -> str:
    """Return a line a measure: how it is written, its parameters, what it is, where it comes from."""
    rows = [
        [
            definition.usage,
            _parameters(definition),
            definition.title,
            definition.range.partition(";")[0],
            definition.needs,
            definition.source,
        ]
        for definition in definitions
    ]
    return text_table(["measure", "parameters", "what it is", "range", "needs", "source"], rows)


def describe_measure(definition: Definition) -> str:
    """Return all that a measure declares about itself."""
    lines = [f"{definition.usage}: {definition.title}", ""]
    lines += [f"  {definition.formula}", ""]
    if definition.cutoff:
        lines.append(f"cutoff:      {definition.cutoff.name}")
    for name, values in definition.parameters.items():
        if isinstance(values, Number):
            lines.append(f"parameter:   {name}={values.default:g}; {values}")
        elif name in _EFFORT:
            lines.append(f"parameter:   {name}={' | '.join(values)}; by default as the user model says")
        else:
            lines.append(f"parameter:   {name}={' | '.join(values)}; by default the first")
    lines.append(f"needs:       {_NEEDS[definition.needs]}")
    lines.append(f"range:       {definition.range}")
    lines.append(f"example:     {definition.example}")
    if definition.caveat:
        lines.append(f"caveat:      {definition.caveat}")
    lines.append(f"source:      {definition.source}")
    return "\n".join(lines) + "\n"


def _parameters(definition: Definition) -> str:
    return " ".join(
        f"{name}={values.default:g}" if isinstance(values, Number) else f"{name}={'|'.join(values)}"
        for name, values in definition.parameters.items()
    )


_EFFORT = Effort().parameters()
_NEEDS = {
    "gains": "gains under a user model",
    "scores": "assessed elements or levels",
    "grades": "exhaustivity and specificity, and the corpus",
    "text": "highlighted passages (offset qrels, JSON Lines with start and end, or INEX 2005 and "
    "after), and the corpus",
    "levels": "levels of relevance or assessed elements",
}


def list_user_models() -> str:
    """Return the shipped user models, and the named quantisations and ideal selections."""
    rows = []
    for name in shipped_models():
        model = UserModel.shipped(name)
        value = model.relevance_value
        rows.append(
            [
                name,
                str(model.quantisation),
                str(model.ideal),
                f"{value.alpha:g}",
                value.normalisation,
                str(value.partially_seen),
                str(value.near_misses),
                model.size,
            ]
        )
    heading = [
        "user model",
        "quantisation",
        "ideal",
        "alpha",
        "normalisation",
        "partially seen",
        "near misses",
        "size",
    ]
    parts = [
        [registry.kind, name, registry.summary(name)]
        for registry in (QUANTISATIONS, SELECTIONS, PARTIALLY_SEEN, NEAR_MISSES)
        for name in registry
    ]
    return text_table(heading, rows) + "\n" + text_table(["part", "name", "what it is"], parts)


def show_user_model(name: str) -> str:
    """Return a shipped user model's file; XcgError for an unknown name."""
    UserModel.shipped(name)
    return shipped_models()[name].read_text(encoding="utf-8")


def report_as_text(report: Report) -> str:
    """Return what a check found, for people."""
    text = text_table(["what was read", ""], [[name, str(n)] for name, n in report.counts.items()])
    if not report.findings:
        return text + "\nclean: nothing to complain about\n"
    lines = [
        f"{finding.level}: {finding.kind}: {finding.count}; the first: {finding.first}"
        for finding in report.findings
    ]
    return text + "\n" + "\n".join(lines) + "\n"


def report_as_json(report: Report) -> str:
    """Return what a check found, for programs."""
    content = {
        "status": report.status,
        "counts": report.counts,
        "findings": [asdict(finding) for finding in report.findings],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
