"""The publications to cite for measures, user models and their parts, strategies and configurations.

A definition states its published sources in ``references``, a tuple. A reference is the key of an entry
in ``references.bib``, or, in a plug-in, a whole BibTeX entry.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import xcg
from xcg.errors import XcgError, nearest
from xcg.measures import MEASURES
from xcg.measures.definition import Definition
from xcg.registry import Part
from xcg.report.listings import REGISTRIES
from xcg.strategies.registry import STRATEGIES, strategies_of
from xcg.user_model.model import UserModel, resolve_models, shipped_models

if TYPE_CHECKING:
    from xcg.evaluation.inputs import Inputs


_ENTRY = re.compile(r"@(\w+)\s*\{\s*([^\s,{}]+)\s*,(.*)\}", re.DOTALL)
_FIELD = re.compile(r"^\s*(\w+)\s*=\s*(?:\{(.*)\}|\"(.*)\"|(\w+)),?$", re.MULTILINE)
_ACCENT = re.compile(r"\{?\\(['\"`^~])\{?(\w)\}?\}?")
_COMBINING = {"'": "\u0301", '"': "\u0308", "`": "\u0300", "^": "\u0302", "~": "\u0303"}
_SOURCES = ("journal", "booktitle", "school", "institution", "howpublished")
_KINDS = {"inproceedings": "In: ", "incollection": "In: ", "phdthesis": "Ph.D. thesis, "}


class Entry(NamedTuple):
    """An entry of a bibliography.

    Attributes:
        key: The key by which a document cites it.
        kind: The type of the entry in lower case, for example ``article``.
        bibtex: The whole entry as it was written.
    """

    key: str
    kind: str
    bibtex: str

    @property
    def fields(self) -> dict[str, str]:
        """Name → value in BibTeX, of the fields that have a line of their own."""
        return {name: "".join(values) for name, *values in _FIELD.findall(self.bibtex)}

    def plain(self, field: str) -> str:
        """Return a field without markup; empty if the entry lacks it."""
        accents = _ACCENT.sub(lambda one: one[2] + _COMBINING[one[1]], self.fields.get(field, ""))
        text = unicodedata.normalize("NFC", accents).replace("--", "–").replace(r"\_", "_")
        return text.replace("{", "").replace("}", "")

    @property
    def text(self) -> str:
        """The reference as people write it: authors, year, title and where it was published."""
        names = [" ".join(reversed(one.split(", ", 1))) for one in self.plain("author").split(" and ")]
        authors = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        year, volume, number = map(self.plain, ("year", "volume", "number"))
        source = _KINDS.get(self.kind, "") + next(filter(None, map(self.plain, _SOURCES)), "")
        if self.kind == "article":
            source += f" {volume}" * bool(volume) + f"({number})" * bool(number)
        else:
            series, chapter = self.plain("series"), self.plain("chapter")
            source += f", {series} {volume or number}".rstrip() * bool(series)
            source += f", chapter {chapter}" * bool(chapter)
        source += f", {self.plain('pages')}" * ("pages" in self.fields)
        year = f" ({year})" * bool(year)
        sentences = (authors + year, self.plain("title"), source, self.plain("publisher"))
        return ". ".join(filter(None, sentences)).replace("?.", "?") + "."

    @property
    def link(self) -> str:
        """The address of the publication; empty if it is not known."""
        doi = self.fields.get("doi")
        return f"https://doi.org/{doi}" if doi else self.fields.get("url", "")


@cache
def bibliography() -> Mapping[str, Entry]:
    """Return key → entry of ``references.bib``."""
    text = Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
    return {entry.key: entry for entry in map(_entry, re.split(r"\n(?=@)", text))}


def entries_of(references: Iterable[str]) -> list[Entry]:
    """Return the entries that a definition refers to, each once.

    Args:
        references: Keys of ``references.bib``, or whole BibTeX entries.

    Raises:
        XcgError: If a key is not in the bibliography, or an entry cannot be read.

    >>> [entry.key for entry in entries_of(["kazai-lalmas-2006", "@misc{own, title = {T}}"])]
    ['kazai-lalmas-2006', 'own']
    """
    found: dict[str, Entry] = {}
    for reference in references:
        entry = bibliography().get(reference)
        if entry is None and not reference.lstrip().startswith("@"):
            hint = nearest(reference, bibliography())
            raise XcgError(
                f"unknown reference {reference!r}: {hint}; expected a key of references.bib, or "
                "a whole BibTeX entry"
            )
        entry = entry or _entry(reference)
        found.setdefault(entry.key, entry)
    return list(found.values())


def _entry(text: str) -> Entry:
    match = _ENTRY.fullmatch(text.strip())
    if match is None or match[3].count("{") != match[3].count("}"):
        raise XcgError(
            f"illegal BibTeX entry {text[:40]!r}: expected @type{{key, field = {{value}}, …}}"
        )
    return Entry(match[2], match[1].lower(), text.strip())


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
    return "\n".join(f"{entry.bibtex}\n" for entry in entries.values())


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
    for key in model.settings:
        part = attrgetter(key)(model)
        if isinstance(part, Part) and key != "effort.tokenizer":
            yield _of_function(REGISTRIES[key].kind, part)


def _of_function(kind: str, part: Part[Any]) -> Citation:
    return Citation(f"the {kind} {part.name}", entries_of(getattr(part.plain, "references", ())))
