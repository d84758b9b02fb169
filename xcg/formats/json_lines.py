"""Read and write runs as JSON Lines."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_file, canonical_path
from xcg.errors import InputError, Notes, UnmappedError, nearest_name
from xcg.formats import writing
from xcg.formats.base import json_certainty
from xcg.formats.json_records import Field, check_record, json_lines, legal_fields
from xcg.runs.chunk_adapters import ChunkFields, as_metadata, check_parent, shortened, stated_parent
from xcg.runs.chunk_documents import (
    FILE_NAME,
    NO_SOURCE,
    PATH_KEYS,
    ChunkSource,
    DocumentKey,
    GoldText,
    document_of,
    file_name,
    missing_document,
    name_in_corpus,
)
from xcg.runs.chunk_matching import (
    DocumentText,
    checked_span,
    no_place,
    note_placement,
    note_unplaced,
    place,
)
from xcg.runs.ordering import Results, note_equal_scores, note_whole_documents
from xcg.runs.run import RUN_FORMATS, Run, RunFormat, Ties, Topics, check_span
from xcg.tables import json_text

_OPTIONAL = f"path start end parent rank score text metadata {' '.join(PATH_KEYS)}"
"""The fields that a result can have besides its topic and its document."""
_Element = tuple[str, str, tuple[int, int] | None]
"""Document, path and span of a result."""


_TRIED = 50  # chunks
_COMPARED_NAMES = 2000
_HIGHEST_RANK = 1 << 53
_HIGHEST_SCORE = 1e300


def read_json_run(
    file: BufferedReader,
    path: Path,
    notes: Notes,
    ties: Ties | None = None,
    topics: Topics = None,
    source: ChunkSource = NO_SOURCE,
) -> Run:
    """Read a run from a JSON Lines file.

    A result has ``path``, or ``start`` and ``end``, or is a whole document. The results of a topic are
    ordered by ``rank`` if they have one, else by ``score`` (descending) if all have one, else as in the
    file. Results with equal keys keep the order of the file.

    A chunk can state its ``text``. With a corpus, the text is searched in the document, at ``start`` if
    it is stated, as :func:`xcg.runs.chunks.span_of` does.

    A passage can state its ``parent``, such as the section of a chunk, as ``{"start": 10, "end": 90}``,
    or null if it has none.

    Args:
        file: The open file.
        path: The file's path. Its name up to the first dot is the run's name.
        notes: Counts results that name no element if they are tolerated; these keep their ranks.
        ties: ``document`` orders results with equal ranks or scores by document, then path or start.
        topics: The topics whose results are read; all by default.
        source: How documents are named, and the documents. The name can be another field, or a key of
            the object ``metadata``.

    Raises:
        InputError: If a record is illegal, with file and line.
        UnmappedError: If the document of a chunk is missing, or more than half of the results have text
            that is not in their document.
    """
    chunks: _Chunks = {}
    legal = _result_fields(source.document)
    found: defaultdict[str, Results] = defaultdict(Results)
    skipped: set[str] = set()
    states_parents = False
    for where, record in json_lines(file, path):
        if "doc" not in record and source.document is None and (hint := _hint_without_document(record)):
            raise InputError(where, f"the field 'doc' is missing{hint}")
        check_record(record, legal, where)
        states_parents = states_parents or "parent" in record
        topic = str(record["topic"])
        if topics is not None and topic not in topics:
            skipped.add(topic)
            continue
        rank, score = _keys(record, where)
        results = found[topic]
        parent = None
        try:
            parent = stated_parent(record)
            if source.document is not None:
                record["doc"] = _named_document(record, source)
            if "text" in record:
                name, stated = _stated_chunk(record, source.corpus, where)
                element: _Element = name, "", None  # its span is not yet known
                use = _Chunk(results, len(results.files), where, source.gold.get(topic, {}))
                chunks.setdefault(name, {}).setdefault(stated, []).append(use)
            else:
                element = _element(record)
                check_parent(parent, element[2])
        except InputError:
            raise
        except ValueError as error:
            notes.problem("results that name no element", where, str(error))
            element, parent = (str(record.get("doc", "")), "", None), None
        if parent is not None:
            results.parents[len(results.files)] = parent
        results.add(*element)
        results.ranks.append(rank)
        results.scores.append(score)
    other_names = cache(partial(_setting_that_works, file, path, source))
    unplaced = _find_chunks(chunks, source.corpus, notes, other_names)
    note_unplaced(str(path), unplaced, sum(len(one.files) for one in found.values()), notes)
    rankings = {
        topic: results.ranking(f"{path}, topic {topic}", notes, ties, states_parents=states_parents)
        for topic, results in found.items()
    }
    for topic, ranking in rankings.items():
        note_equal_scores(ranking, f"{path}, topic {topic}", notes)
    note_whole_documents(rankings.values(), str(path), notes)
    return Run(path.name.split(".")[0], rankings, str(path), frozenset(skipped))


def _keys(record: dict[str, Any], where: str) -> tuple[int | None, float | None]:
    """Return the rank and the score of a result; raise InputError if one is illegal."""
    rank, score = record.get("rank"), record.get("score")
    if rank is not None and not 0 <= rank < _HIGHEST_RANK:
        raise InputError(where, f"rank is {rank}: expected a whole number from 0")
    if score is not None and not -_HIGHEST_SCORE <= score <= _HIGHEST_SCORE:
        raise InputError(where, f"score is {score}: expected a finite number")
    return rank, score


def _element(fields: dict[str, Any]) -> _Element:
    """Return document, path and span of a result; raise ValueError for an illegal one."""
    document = _canonical_document(fields["doc"])
    match "path" in fields, "start" in fields, "end" in fields:
        case False, True, True:
            return document, "", check_span(fields["start"], fields["end"])
        case False, False, False:
            return document, WHOLE, None
        case True, False, False:
            return document, canonical_path(fields["path"]), None
    raise ValueError("expected either the field 'path', or 'start' and 'end', or none of them")


def _result_fields(document: DocumentKey) -> tuple[Field, ...]:
    """Return the legal fields of a result; an option may say which of them names its document."""
    if document is None:
        return legal_fields("topic doc", _OPTIONAL)
    legal = legal_fields("topic", f"doc {_OPTIONAL}")
    if isinstance(document, str) and document not in (FILE_NAME, *(one.name for one in legal)):
        legal += (Field(document, (str, int), "a document's name", required=False),)
    return legal


def _hint_without_document(record: Mapping[str, Any]) -> str:
    """Return a hint on the option that names the document of a record without ``doc``, or ""."""
    values = {**as_metadata(record.get("metadata")), **record}
    key = next((name for name in PATH_KEYS if name in values), None)
    if key is None:
        return ""
    value = str(values[key])
    option = repr(FILE_NAME) if file_name(value) != value else key
    return f", but its {key!r} is {shortened(repr(value))}: expected --set document={option}"


def _named_document(record: Mapping[str, Any], source: ChunkSource) -> str:
    """Return the name of a record's document in the corpus; raise ValueError without a legal one."""
    metadata = {**as_metadata(record.get("metadata")), **record}
    fields = ChunkFields(
        document=record.get("doc"), metadata=metadata, no_document="the result has no 'doc'"
    )
    return name_in_corpus(document_of(record, fields, source.document, source.corpus or ()))


def _setting_that_works(file: BufferedReader, path: Path, source: ChunkSource) -> str:
    """Return what the setting ``document`` achieves that places most of the first chunks, or "".

    Keys of the results, the ends of paths, and a table of the most similar names are tried.
    """
    corpus = source.corpus
    if corpus is None or not file.seekable():
        return ""
    file.seek(0)
    records = [record for _, record in islice(json_lines(file, path), _TRIED) if "text" in record]
    keys = dict.fromkeys(key for one in records for key in {**as_metadata(one.get("metadata")), **one})
    stated = dict.fromkeys(str(one.get("doc", "")) for one in records)
    ends = {file_name(name): name for name in islice(corpus, _COMPARED_NAMES)}
    similar = {name: nearest_name(name_in_corpus(file_name(name)), ends) for name in stated if name}
    renamed = {name: ends[end] for name, end in similar.items() if end}

    @cache
    def document(name: str) -> DocumentText:
        return DocumentText(corpus.tree(name).text)

    def placed(key: DocumentKey) -> int:
        count = 0
        for record in records:
            with suppress(ValueError):
                name = _named_document(record, source._replace(document=key))
                count += bool(document(name).find(record["text"]))
        return count

    settings: list[DocumentKey] = [source.document, FILE_NAME, *keys, renamed]
    counts = list(map(placed, settings))
    best = settings[counts.index(max(counts))]
    if not 2 * counts[0] < len(records) < 2 * max(counts):
        return ""
    option = f"--set document={shlex.quote(str(best))}"
    if best is renamed:
        line = ",".join(next((old, new) for old, new in renamed.items() if name_in_corpus(old) != new))
        option = f"--set document=names.csv, a table with a line such as {line!r} for each name,"
    return f"{option} places {max(counts)} of the first {len(records)} chunks"


def _canonical_document(name: str) -> str:
    """Return the canonical name of a document.

    Raises:
        ValueError: If it is illegal, such as an absolute path. The message names the option that helps.
    """
    try:
        return canonical_file(name)
    except ValueError as error:
        hint = f"; --set document={FILE_NAME!r} takes its end that names a document"
        raise ValueError(f"{error}{hint if file_name(name) else ''}") from None


class _Chunk(NamedTuple):
    """A use of a chunk with a text: its topic's results, its index, its file and line, and the gold."""

    results: Results
    position: int
    where: str
    gold: GoldText


_Stated = tuple[int | None, int | None, str]
"""Start, end and text, as the file states them."""


_Chunks = dict[str, dict[_Stated, list[_Chunk]]]
"""Document → stated chunk → its uses. Equal texts are stored and searched once."""


def _stated_chunk(record: Mapping[str, Any], corpus: Corpus | None, where: str) -> tuple[str, _Stated]:
    """Return the document of a chunk with a text, and what it states.

    Raises:
        InputError: If the chunk has no offsets, and there is no corpus.
        ValueError: If it is illegal.
    """
    text, start, end = record["text"], record.get("start"), record.get("end")
    if "path" in record or (start is None and end is not None):
        raise ValueError("expected the field 'text' with 'start' and 'end', with 'start', or alone")
    if start is not None:
        checked_span(start, start + len(text) if end is None else end)
    elif not text.strip():
        raise ValueError("the chunk is empty: it has no text")
    elif corpus is None:
        message = "the chunk is given by its text: expected a corpus, or start and end"
        raise InputError(where, message)
    return _canonical_document(record["doc"]), (start, end, text)


def _find_chunks(
    chunks: _Chunks, corpus: Corpus | None, notes: Notes, other_names: Callable[[], str]
) -> list[UnmappedError]:
    """Add the spans of chunks to the results. Each document is prepared for the search once.

    Without a corpus, the stated offsets count.

    Returns:
        A message for each chunk that has no place in its document.

    Raises:
        UnmappedError: If a document is missing.
    """
    unplaced = []
    for name in list(chunks) if corpus is None else corpus.prepared(list(chunks)):
        document = None if corpus is None else DocumentText("")
        problem: InputError | None = None
        try:
            if corpus is not None:
                if name not in corpus:
                    raise UnmappedError("", missing_document(name, corpus, tried=other_names()))
                document = DocumentText(corpus.tree(name).text)
        except InputError as unreadable:
            problem = unreadable
        for stated, uses in chunks.pop(name).items():
            found = place(document, *stated, name)
            for results, position, where, gold in uses:
                if found.other:
                    results.other_text[position] = found.other
                if problem is not None:
                    kind = "chunks without a place in a document"
                    notes.tolerate(kind, type(problem)(where, str(problem)))
                elif not found.occurrences:
                    unplaced.append(UnmappedError(where, no_place(stated[2], stated[0], name)))
                else:
                    span = found.best(stated[2], gold.get(name, ()))
                    try:
                        check_parent(results.parents.get(position), span)
                    except ValueError as error:
                        raise InputError(where, str(error)) from None
                    results.files[position], results.spans[position] = name, span
                    note_placement(found, stated[2], where, name, notes)
    return unplaced


def write_json_run(run: Run) -> tuple[str, list[str]]:
    """Return a run as JSON Lines, and what these cannot hold.

    The results of a topic have scores if these never increase with the rank, otherwise ranks.

    Raises:
        XcgError: If a result does not name an element or is a passage by points.
    """
    scores, lost_scores = writing.written_scores(run, _HIGHEST_SCORE)
    records: list[dict[str, object]] = []
    for topic, rank, document, path, span in writing.results(run):
        if isinstance(span, Passage):
            raise writing.points_error(run, topic, rank, "jsonl")
        record: dict[str, object] = {"topic": topic, "doc": document}
        if span is not None:
            record |= {"start": span[0], "end": span[1]}
            parents = run.rankings[topic].parents
            if parents is not None:
                parent = parents.get(rank - 1)
                record["parent"] = parent and {"start": parent[0], "end": parent[1]}
        elif path != WHOLE:
            record["path"] = path
        key, value = ("score", scores[topic][rank - 1]) if topic in scores else ("rank", rank)
        records.append({**record, key: value})
    lost = [*writing.lost_of_run(run, "topics"), *lost_scores, *writing.lost_of_run(run, "text")]
    lost.append("the run's name (the name of the file is used instead)")
    return "".join(f"{json_text(record)}\n" for record in records), lost


RUN_FORMATS.add(
    "jsonl",
    RunFormat(
        "JSON Lines: topic, doc, and path, start and end, or text, with rank or score",
        json_certainty,
        read_json_run,
        write_json_run,
        reads_chunks=True,
    ),
)
