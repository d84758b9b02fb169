"""Compute the gains of rankings of elements, document by document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xcg.errors import XcgError
from xcg.gains.document_reader import CheckedReader
from xcg.gains.element_reader import ElementReader
from xcg.gains.judged_topic import IdealRecallBase, ResolvedRanking
from xcg.lazy_modules import np
from xcg.measures import RankingGains
from xcg.runs.run import FunctionCache
from xcg.user_model.model import UserModel


def element_readers(
    ideal: IdealRecallBase, model: UserModel
) -> FunctionCache[str, ElementReader | CheckedReader | None]:
    """Return document → its new reader; None for a document without scored elements."""
    return FunctionCache(
        lambda file: _new_reader(file, ideal, model) if file in ideal.documents else None
    )


def _new_reader(file: str, ideal: IdealRecallBase, model: UserModel) -> ElementReader | CheckedReader:
    if model.relevance_value.reader is not None:
        return CheckedReader(model.relevance_value.reader, ideal.documents[file])
    return ElementReader(ideal.documents[file], model.relevance_value, model.size)


class DocumentGains(NamedTuple):
    """The gains of a ranking in one document.

    Attributes:
        gains: The gain of each result in rank order; empty if all are 0.
        retrieved: The number of ideal elements that count as retrieved.
    """

    gains: Sequence[float]
    retrieved: int


class KnownGains(dict[tuple[str, tuple[int, ...]], DocumentGains]):
    """The gains in single documents for one topic and user model, each computed once.

    The key is a document and the rows of its results in rank order. Results in other documents change
    nothing, so rankings with the same results in a document share their gains.

    Args:
        ideal: The ideal results of the topic under the user model.
        model: The user model.
    """

    def __init__(self, ideal: IdealRecallBase, model: UserModel) -> None:
        self.ideal = ideal
        self.model = model

    def __missing__(self, results: tuple[str, tuple[int, ...]]) -> DocumentGains:
        file, rows = results
        reader = _new_reader(file, self.ideal, self.model)
        if isinstance(reader, CheckedReader):
            gains = [reader.read(row) for row in rows]
        else:
            gains = reader.read_all(rows, reader.document.rows.seen_before[rows])
        found = self[results] = DocumentGains(gains if any(gains) else (), len(reader.retrieved))
        return found


def ranking_gains(ranking: ResolvedRanking, known: KnownGains) -> RankingGains:
    """Return the gain of each result of a ranking of elements."""
    ideal = known.ideal
    gains = np.zeros(len(ranking))
    retrieved = 0
    try:
        for file, (positions, rows) in ranking.by_document.items():
            if file in ideal.documents:
                found = known[file, rows]
                retrieved += found.retrieved
                if found.gains:
                    gains[positions] = found.gains
    except XcgError:
        _raise_first_error(ranking, known)
        raise
    missed = len(ideal.gains) - retrieved
    return RankingGains(gains, ideal.vector, missed)


def _raise_first_error(ranking: ResolvedRanking, known: KnownGains) -> None:
    """Read the results in rank order and raise the error of the first result that has one."""
    readers = element_readers(known.ideal, known.model)
    for file, row in ranking:
        reader = readers[file] if row is not None else None
        if reader is not None and row is not None:
            reader.read(row)
