"""Read and write runs as JSON Lines."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any

from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_path
from xcg.errors import InputError, Notes
from xcg.formats import writing
from xcg.formats.detection import json_certainty
from xcg.formats.json_chunks import (
    CHUNK_FIELDS,
    Result,
    StatedChunks,
    canonical_document,
    check_parent,
    document_fields,
    hint_without_document,
    named_document,
)
from xcg.formats.json_records import TOPIC_AND_DOCUMENT, Field, check_record, json_lines
from xcg.formats.stored_topics import LINES_IN_MEMORY, StoredTopics
from xcg.runs.chunk_documents import NO_SOURCE, ChunkSource
from xcg.runs.run import (
    RUN_FORMATS,
    FunctionCache,
    Order,
    Ranking,
    Run,
    RunFormat,
    Ties,
    Topics,
    check_span,
    sorted_order,
)
from xcg.runs.stored_rankings import StoredRankings
from xcg.runs.ties import (
    in_document_order,
    note_contradiction,
    note_equal_scores,
    note_missing_keys,
)
from xcg.tables import json_text

_PARENT = 'an object like {"start": 10, "end": 90}, or null'
_PARENT_FIELDS = (Field("start", (int,), "a whole number"), Field("end", (int,), "a whole number"))
_RESULT_FIELDS = (
    *TOPIC_AND_DOCUMENT,
    Field("path", (str,), "an element's path", required=False),
    Field("start", (int,), "a whole number", required=False),
    Field("end", (int,), "a whole number", required=False),
    Field("parent", (dict, type(None)), _PARENT, required=False),
    Field("rank", (int,), "a whole number from 0", required=False),
    Field("score", (int, float), "a number", required=False),
    *CHUNK_FIELDS,
)
_IDEAL_FIELDS = (
    Field("user_model", (str,), "a user model's name"),
    Field("topic", (str, int), "an id"),
    Field("file", (str,), "a document's name"),
    Field("path", (str,), "an element's path"),
    Field("assessment", (str,), "text"),
    Field("score", (int, float), "a number"),
)
"""The fields of an element or gold span that ``xcg ideal`` prints."""
_GOLD_SPAN = re.compile("([0-9]{1,15})–([0-9]{1,15})")

_Element = tuple[str, str, tuple[int, int] | None]
"""Document, path and span of a result."""
_HIGHEST_RANK = 1 << 53
_HIGHEST_SCORE = 1e300


def read_json_run(
    file: BufferedReader,
    path: Path,
    notes: Notes,
    order: Order = "score",
    ties: Ties | None = None,
    topics: Topics = None,
    source: ChunkSource = NO_SOURCE,
) -> Run:
    """Read a run from a JSON Lines file.

    A result has ``path``, or ``start`` and ``end``, or is a whole document. The results of a topic are
    ordered by ``rank`` if they have one, else by ``score`` (descending) if all have one, else as in the
    file. Results with equal keys keep the order of the file.

    A chunk can state its ``text``. With a corpus, the text is compared with the document, or searched
    if the chunk has no ``start``, as :func:`xcg.runs.chunks.span_of` does.

    A passage can state its ``parent``, such as the section of a chunk, as ``{"start": 10, "end": 90}``,
    or null if it has none.

    The JSON Lines of ``xcg ideal`` are a run too if they are those of one user model.

    Args:
        file: The open file.
        path: The file's path. Its name up to the first dot is the run's name.
        notes: Counts results that name no element if they are tolerated; these keep their ranks.
        order: Not used; it is for TREC runs.
        ties: ``document`` orders results with equal ranks or scores by document, then path or start.
        topics: The topics whose results are read; all by default.
        source: How documents are named, and the documents. The name can be another field, or a key of
            the object ``metadata``.

    Raises:
        InputError: If a record is illegal, with file and line.
        UnmappedError: If the text of a chunk is not in its document.
    """
    chunks = StatedChunks(source, notes)
    legal = document_fields(_RESULT_FIELDS, source.document)
    documents, paths = FunctionCache(canonical_document), FunctionCache(canonical_path)
    found = StoredTopics[list[Result]](list)
    skipped: set[str] = set()
    states_parents = False
    for number, (where, record) in enumerate(_results_and_ideals(file, path), 1):
        if number % LINES_IN_MEMORY == 0 and chunks.are_found:
            found.store()
            documents.clear()
            paths.clear()
        if "doc" not in record and source.document is None and (hint := hint_without_document(record)):
            raise InputError(where, f"the field 'doc' is missing{hint}")
        check_record(record, legal, where)
        states_parents = states_parents or "parent" in record
        topic = str(record["topic"])
        if topics is not None and topic not in topics:
            skipped.add(topic)
            continue
        rank, score = record.get("rank"), record.get("score")
        if rank is not None and not 0 <= rank < _HIGHEST_RANK:
            raise InputError(where, f"rank is {rank}: expected a whole number from 0")
        if score is not None and not -_HIGHEST_SCORE <= score <= _HIGHEST_SCORE:
            raise InputError(where, f"score is {score}: expected a finite number")
        results = found[topic]
        is_legal = True
        try:
            if source.document is not None:
                record["doc"] = named_document(record, source.document)
            if "text" in record:
                element = chunks.add(record, record["doc"], results, where)
            else:
                element = _element(record, documents, paths)
        except InputError:
            raise
        except ValueError as error:
            notes.problem("results that name no element", where, str(error))
            element, is_legal = (str(record.get("doc", "")), "", None), False
        parent = _parent(record, element[2], where) if "parent" in record else None
        results.append((element, parent if is_legal else None, rank, score))
    chunks.find()
    rankings = _rankings(found, path, ties, states_parents, notes)
    return Run(path.name.split(".")[0], rankings.as_mapping(), str(path), skipped)


def _rankings(
    found: StoredTopics[list[Result]],
    path: Path,
    ties: Ties | None,
    states_parents: bool,
    notes: Notes,
) -> StoredRankings:
    """Order the results of each topic, and note what is probably wrong in them."""
    rankings = StoredRankings()
    whole = parts = 0
    for topic, results in found.pop_all():
        whole_here = sum(element[1] == WHOLE for element, *_ in results)
        whole, parts = whole + whole_here, parts + len(results) - whole_here
        _note_keys(results, f"{path}, topic {topic}", notes)
        ranking = _ranking(results, states_parents)
        note_equal_scores(ranking, f"{path}, topic {topic}", notes)
        rankings.add(topic, in_document_order(ranking) if ties == "document" else ranking)
    if whole and parts:
        message = (
            f"{whole} of {whole + parts} results have no 'path' and no 'start', so each is its whole"
        )
        notes.oddity(
            "runs with whole documents among elements or passages", path, f"{message} document"
        )
    return rankings


def _results_and_ideals(file: BufferedReader, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield records, ideal elements and gold spans of ``xcg ideal`` in the form of results."""
    user_model: str | None = None
    for where, record in json_lines(file, path):
        if "user_model" not in record:
            yield where, record
            continue
        check_record(record, _IDEAL_FIELDS, where)
        user_model = user_model or record["user_model"]
        if record["user_model"] != user_model:
            raise InputError(
                where,
                f"an ideal element under the user model {record['user_model']!r}, after one under "
                f"{user_model!r}: expected one user model",
            )
        result = {"topic": record["topic"], "doc": record["file"], "score": record["score"]}
        if (span := _GOLD_SPAN.fullmatch(record["path"])) is not None:
            result |= {"start": int(span[1]), "end": int(span[2])}
        elif record["path"] != WHOLE:
            result["path"] = record["path"]
        yield where, result


def _note_keys(found: list[Result], where: str, notes: Notes) -> None:
    """Count topics whose ranks and scores contradict each other, and with a rank of some results only.

    Without any ranks, scores are checked.
    """
    _, _, ranks, scores = zip(*found, strict=True)
    if None not in (*ranks, *scores):
        note_contradiction(ranks, scores, where, notes, "ranks")
    for keys, name in ((ranks, "rank"), (scores, "score")):
        if note_missing_keys(keys, name, where, notes) == 0:
            return


def _ranking(found: list[Result], states_parents: bool) -> Ranking:
    elements, parents, *columns = zip(*found, strict=True)
    order, keys, is_descending = list(range(len(found))), None, False
    for column, is_score in zip(columns, (False, True), strict=True):
        if None not in column:
            order = sorted_order(column, is_score)
            keys, is_descending = array("d", (column[index] for index in order)), is_score
            break
    ranking = Ranking.of((elements[index] for index in order), keys, is_descending)
    if states_parents:
        in_order = enumerate(parents[index] for index in order)
        ranking.parents = {position: parent for position, parent in in_order if parent is not None}
    return ranking


def _parent(record: dict[str, Any], span: tuple[int, int] | None, where: str) -> tuple[int, int] | None:
    """Return the parent of a passage.

    Raises:
        InputError: If it is illegal.
    """
    stated = record["parent"]
    if stated is None:
        return None
    if "start" not in record and "text" not in record:
        raise InputError(where, "the result has a parent: expected a passage, with 'start' and 'end'")
    check_record(stated, _PARENT_FIELDS, f"{where}: parent")
    start, end = stated["start"], stated["end"]
    if not 0 <= start <= end:
        raise InputError(where, f"parent from {start} to {end}: expected 0 <= start <= end")
    if span is not None:
        check_parent((start, end), span, where)
    return start, end


def _element(
    fields: dict[str, Any], documents: Mapping[str, str], paths: Mapping[str, str]
) -> _Element:
    """Return document, path and span of a result; raise ValueError for an illegal one."""
    document = documents[fields["doc"]]
    match "path" in fields, "start" in fields, "end" in fields:
        case False, True, True:
            return document, "", check_span(fields["start"], fields["end"])
        case False, False, False:
            return document, WHOLE, None
        case True, False, False:
            return document, paths[fields["path"]], None
    raise ValueError("expected either the field 'path', or 'start' and 'end', or none of them")


def write_json_run(run: Run) -> tuple[str, list[str]]:
    """Return a run as JSON Lines, and what these cannot hold.

    The results of a topic have scores if these never increase with the rank, otherwise ranks.

    Raises:
        XcgError: If a result does not name an element or is a passage by points.
    """
    scores = writing.WrittenScores(run, _HIGHEST_SCORE)
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
        score = scores.score(topic, rank)
        records.append({**record, **({"rank": rank} if score is None else {"score": score})})
    lost = [
        *writing.lost_topics(run),
        *scores.lost,
        "the run's name (the name of the file is used instead)",
    ]
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
