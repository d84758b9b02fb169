"""The publications to cite for measures, user models and their parts, strategies and configurations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import xcg
from xcg.documents.text_units import TOKENIZERS
from xcg.errors import XcgError, nearest
from xcg.measures import MEASURES
from xcg.measures.definition import Definition
from xcg.registry import Part
from xcg.report.bibliography import Entry, bibliography, entries_of
from xcg.report.listings import REGISTRIES
from xcg.strategies.registry import STRATEGIES, strategies_of
from xcg.user_model.model import UserModel, resolve_models, shipped_models
from xcg.user_model.relevance_value import READERS

if TYPE_CHECKING:
    from xcg.evaluation.inputs import Inputs


class Citation(NamedTuple):
    """What to cite for something that xcg provides.

    Attributes:
        subject: What it is, for example ``the measure MAep``.
        entries: The publications; empty without a published source.
    """

    subject: str
    entries: Sequence[Entry]


def citations(names: Sequence[str]) -> list[Citation]:
    """Return what to cite for each of the names; xcg itself without names.

    Args:
        names: Measures as users write them, like ``nxCG@10``; shipped user models; parts of user
            models, like ``sog``; overlap strategies; paths of YAML files with a user model.

    Raises:
        XcgError: If a name is unknown, or a file is wrong.

    >>> print(bibtex(citations(["MAep"])).splitlines()[0])
    @article{kazai-lalmas-2006,
    """
    if not names:
        return [Citation("xcg", [_entry_of_xcg()])]
    return [citation for name in names for citation in _citations_of(name)]


def citable() -> set[str]:
    """Return the names of all measures, shipped user models, parts of user models and strategies."""
    return {*MEASURES, *shipped_models(), *STRATEGIES}.union(*REGISTRIES.values())


def bibtex(cited: Iterable[Citation]) -> str:
    """Return the BibTeX entries, each once, in the order of their first citation."""
    entries = {entry.key: entry for one in cited for entry in one.entries}
    return "\n".join(f"{entry}\n" for entry in entries.values())


def _entry_of_xcg() -> Entry:
    entry = bibliography()["xcg"]
    with_version = f"  version = {{{xcg.__version__}}},\n}}"
    return entry._replace(bibtex=entry.bibtex.removesuffix("}") + with_version)


def _citations_of(name: str) -> list[Citation]:
    if name.endswith((".yaml", ".yml")):
        return [citation for model in resolve_models(Path(name)) for citation in _of_model(model)]
    found: list[Citation] = []
    if MEASURES.knows(name.partition("@")[0].partition("(")[0].strip()):
        found += map(_of_definition, MEASURES.definitions(name))
    if name in shipped_models():
        found += _of_model(UserModel.shipped(name))
    found += [_of_function(one.kind, one.part(name)) for one in REGISTRIES.values() if name in one]
    if name.partition("(")[0].strip() in STRATEGIES or ":" in name:
        found.append(_of_function("strategy", strategies_of(name, Path())[0]))
    if not found:
        raise XcgError(
            f"unknown name {name!r} of a measure, user model, part of a user model or strategy: "
            f"{nearest(name, citable())}"
        )
    return found


def citations_of_inputs(inputs: Inputs) -> list[Citation]:
    """Return what to cite for everything that an evaluation uses."""
    found = [_of_definition(measure.definition) for measure in inputs.measure_list]
    found += [citation for model in inputs.user_models for citation in _of_model(model)]
    found += [_of_function("strategy", strategy) for strategy in inputs.strategy_list]
    return [*found, Citation("xcg", [_entry_of_xcg()])]


def _of_definition(definition: Definition) -> Citation:
    return Citation(f"the measure {definition.name}", entries_of(definition.references))


def _of_model(model: UserModel) -> Iterator[Citation]:
    has_reader = model.relevance_value.reader is not None
    for key, registry in REGISTRIES.items():
        is_replaced = key.startswith("relevance_value.") and has_reader and registry is not READERS
        part = attrgetter(key)(model)
        if isinstance(part, Part) and not (is_replaced or registry is TOKENIZERS):
            yield _of_function(registry.kind, part)


def _of_function(kind: str, part: Part[Any]) -> Citation:
    function = part.plain
    while isinstance(function, partial):
        function = function.func
    return Citation(f"the {kind} {part.name}", entries_of(getattr(function, "references", ())))
