"""Read highlights, and relevant passages that are given as text, from JSON Lines files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.files import PathLike, expand, open_input
from xcg.documents.paths import canonical_file
from xcg.errors import InputError, XcgError
from xcg.formats.json_records import Field, check_record, json_lines
from xcg.judgements.highlights import Highlight
from xcg.judgements.text_search import TextIndex

_HIGHLIGHT_FIELDS = (
    Field("topic", (str, int), "an id"),
    Field("doc", (str,), "a document's name"),
    Field("start", (int,), "a whole number"),
    Field("end", (int,), "a whole number"),
    Field("exhaustivity", (int,), "a whole number"),
    Field("text", (str,), "text", required=False),
)
_PASSAGE_FIELDS = (
    Field("topic", (str, int), "an id"),
    Field("doc", (str,), "a document's name"),
    Field("text", (str,), "the words of the passage"),
    Field("near", (int, float), "a number from 0 to 1", required=False),
    Field("exhaustivity", (int,), "1, 2 or 3", required=False),
)


def read_highlights(paths: PathLike | Iterable[PathLike]) -> list[Highlight]:
    """Read highlights from JSON Lines files.

    A record has the fields ``topic``, ``doc``, ``start``, ``end`` (characters of the document's text),
    ``exhaustivity`` (1, 2 or 3) and optionally ``text``, the text of the span.

    Args:
        paths: Files, folders and globs.

    Raises:
        InputError: If a file cannot be read or a record is illegal, with file and line.
    """
    highlights = []
    for path in expand(paths, "highlights in JSON Lines"):
        with open_input(path) as file:
            highlights += [_highlight(record, where) for where, record in json_lines(file, path)]
    return highlights


def _highlight(record: dict[str, Any], where: str) -> Highlight:
    check_record(record, _HIGHLIGHT_FIELDS, where)
    topic, exhaustivity, text = str(record["topic"]), record["exhaustivity"], record.get("text")
    if exhaustivity not in (1, 2, 3):
        raise InputError(where, f"exhaustivity is {exhaustivity}: expected 1, 2 or 3")
    start, end = record["start"], record["end"]
    if not 0 <= start < end:
        raise InputError(where, f"start {start} and end {end}: expected 0 <= start < end")
    return Highlight(topic, _document_name(record, where), start, end, exhaustivity, text)


class LocatedPassages(NamedTuple):
    """The result of :func:`locate_passages`.

    Attributes:
        passages: Records of the passages that were found, with ``start`` and ``end``.
        missing: Messages on passages that do not occur in their document.
        ambiguous: Number of passages that occur more than once.
    """

    passages: list[dict[str, object]]
    missing: list[str]
    ambiguous: int


def locate_passages(paths: PathLike | Iterable[PathLike], corpus: Corpus) -> LocatedPassages:
    """Find passages, given as text in JSON Lines files, in their documents.

    A record has the fields ``topic``, ``doc``, ``text``, and optionally ``near`` and ``exhaustivity``.
    ``near`` is the approximate position in the document, from 0 (its start, the default) to 1. If a
    passage occurs more than once, the occurrence nearest to it is taken.

    Args:
        paths: Files, folders and globs.
        corpus: The documents.

    Raises:
        InputError: If a record is illegal, the corpus does not have its document, or the passage occurs
            too often.
    """
    passages: list[dict[str, object]] = []
    missing = []
    ambiguous = 0
    indexes: dict[str, TextIndex] = {}
    for path in expand(paths, "passages in JSON Lines"):
        with open_input(path) as file:
            for where, record in json_lines(file, path):
                check_record(record, _PASSAGE_FIELDS, where)
                name, text, near = _passage(record, corpus, where)
                if name not in indexes:
                    indexes[name] = TextIndex(corpus.tree(name))
                index = indexes[name]
                try:
                    occurrences = index.find(text)
                except XcgError as error:
                    raise InputError(where, f"{name}: {error}") from None
                if not occurrences:
                    missing.append(f"{where}: {name} does not contain {text[:60]!r}")
                    continue
                ambiguous += len(occurrences) > 1
                position = near * index.length
                start, end = min(occurrences, key=lambda span: abs(span[0] - position))
                record.pop("near", None)
                record.update(doc=name, start=start, end=end, text=corpus.tree(name).text[start:end])
                passages.append(record)
    return LocatedPassages(passages, missing, ambiguous)


def _passage(record: dict[str, Any], corpus: Corpus, where: str) -> tuple[str, str, float]:
    name, near = _document_name(record, where), record.get("near", 0)
    if name not in corpus:
        raise InputError(where, f"the corpus does not contain the document {name!r}")
    if not 0 <= near <= 1:
        raise InputError(where, f"near is {near}: expected a number from 0 to 1")
    return name, record["text"], float(near)


def _document_name(record: dict[str, Any], where: str) -> str:
    try:
        return canonical_file(record["doc"])
    except ValueError as error:
        raise InputError(where, str(error)) from None
