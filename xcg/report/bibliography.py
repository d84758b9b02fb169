"""The bibliography of measures, parts of user models and strategies: the entries of ``references.bib``.

A definition states its published sources in ``references``, a tuple. A reference is the key of an entry
in ``references.bib``, or, in a plug-in, a whole BibTeX entry.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from xcg.errors import XcgError, nearest

_START = re.compile(r"@(\w+)\s*\{\s*([^\s,{}]+)\s*,")
_FIELD = re.compile(r"\s*(\w[\w-]*)\s*=\s*")
_ACCENT = re.compile(r"\{?\\(['\"`^~])\{?(\w)\}?\}?")
_COMBINING = {"'": "\u0301", '"': "\u0308", "`": "\u0300", "^": "\u0302", "~": "\u0303"}


class Entry(NamedTuple):
    """An entry of a bibliography.

    ``str(entry)`` is its BibTeX.

    Attributes:
        key: The key by which a document cites it.
        kind: The type of the entry in lower case, for example ``article``.
        fields: Name in lower case → value in BibTeX, without the outer braces.
        bibtex: The whole entry as it was written.
    """

    key: str
    kind: str
    fields: Mapping[str, str]
    bibtex: str

    def __str__(self) -> str:
        return self.bibtex

    def plain(self, field: str) -> str:
        """Return a field without markup; empty if the entry lacks it."""
        return _plain(self.fields.get(field, ""))

    @property
    def text(self) -> str:
        """The reference as people write it: authors, year, title and where it was published."""
        return ". ".join(filter(None, self._sentences())).replace("?.", "?") + "."

    def _sentences(self) -> Iterable[str]:
        authors = _names(self.fields.get("author", ""))
        year = self.plain("year")
        yield f"{authors} ({year})" if year else authors
        yield self.plain("title")
        source = self.plain("journal") or self.plain("school") or self.plain("institution")
        if self.kind in ("inproceedings", "incollection"):
            source = f"In: {self.plain('booktitle')}"
        elif self.kind == "phdthesis":
            source = f"Ph.D. thesis, {source}"
        volume, number, pages = map(self.plain, ("volume", "number", "pages"))
        if self.kind == "article":
            source += f" {volume}" * bool(volume) + f"({number})" * bool(number)
            number = ""
        elif self.fields.get("series"):
            source += f", {self.plain('series')} {volume or number}".rstrip()
        chapter = self.plain("chapter")
        source += f", chapter {chapter}" * bool(chapter) + f", {pages}" * bool(pages)
        yield source or self.plain("howpublished")
        yield self.plain("publisher")

    @property
    def link(self) -> str:
        """The address of the publication; empty if it is not known."""
        doi = self.fields.get("doi")
        return f"https://doi.org/{doi}" if doi else self.fields.get("url", "")


@cache
def bibliography() -> Mapping[str, Entry]:
    """Return key → entry of ``references.bib``."""
    text = Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
    entries = [_entry(part.strip()) for part in re.split(r"\n(?=@)", text)]
    return {entry.key: entry for entry in entries}


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
        if reference.lstrip().startswith("@"):
            entry = _entry(reference.strip())
        elif reference in bibliography():
            entry = bibliography()[reference]
        else:
            hint = nearest(reference, bibliography())
            raise XcgError(
                f"unknown reference {reference!r}: {hint}; expected a key of references.bib, or "
                "a whole BibTeX entry"
            )
        found.setdefault(entry.key, entry)
    return list(found.values())


def _entry(text: str) -> Entry:
    """Read one BibTeX entry."""
    start = _START.match(text)
    problem = f"illegal BibTeX entry {text[:40]!r}: expected @type{{key, field = {{value}}, …}}"
    if start is None:
        raise XcgError(problem)
    fields = {}
    position = start.end()
    while found := _FIELD.match(text, position):
        end = _value_end(text, found.end())
        fields[found[1].lower()] = " ".join(text[found.end() : end].strip().strip('"').split())
        position = end + (text[end : end + 1] == ",")
    if text[position:].strip() != "}":
        raise XcgError(problem)
    values = {name: _unwrapped(value) for name, value in fields.items()}
    return Entry(start[2], start[1].lower(), values, text)


def _value_end(text: str, start: int) -> int:
    """Return the position of the comma or the brace after a value."""
    depth, in_quotes = 0, False
    for position in range(start, len(text)):
        character = text[position]
        if character == '"' and depth == 0:
            in_quotes = not in_quotes
        if depth == 0 and not in_quotes and character in ",}":
            return position
        depth += (character == "{") - (character == "}")
    return len(text)


def _unwrapped(value: str) -> str:
    return value[1:-1] if value.startswith("{") and value.endswith("}") else value


def _plain(value: str) -> str:
    r"""Return a value without markup.

    >>> _plain(r"J{\"a}rvelin, {INEX} 1--2")
    'Järvelin, INEX 1–2'
    """
    accents = _ACCENT.sub(lambda found: found[2] + _COMBINING[found[1]], value)
    text = unicodedata.normalize("NFC", accents).replace("--", "–").replace(r"\_", "_")
    return text.replace("{", "").replace("}", "")


def _names(authors: str) -> str:
    """Return the names of authors with the first name first.

    >>> _names("Kazai, Gabriella and Lalmas, Mounia")
    'Gabriella Kazai and Mounia Lalmas'
    """
    names = [" ".join(reversed(_plain(name).split(", ", 1))) for name in authors.split(" and ") if name]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""
