"""The store of pools, assignments and judgements: one SQLite file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.text_search import Span
from xcg.errors import XcgError
from xcg.judge.judgement import Judgement


class PoolDocument(NamedTuple):
    """A document that an assessor is asked to judge for a topic.

    Attributes:
        name: The document.
        results: Start and end of the results of the runs in it, in characters.
    """

    name: str
    results: tuple[Span, ...] = ()


class JudgedDocument(NamedTuple):
    """A judgement with its assessor, topic and document."""

    assessor: str
    topic: str
    document: str
    judgement: Judgement


class Move(NamedTuple):
    """What a change of a document's text did to a judgement.

    Attributes:
        assessor: The assessor.
        topic: The topic.
        document: The document.
        part: What has moved: a highlight, the best entry point, or the text of a document in which the
            assessor found nothing relevant.
        outcome: ``moved`` to the new position of its text; ``doubtful`` if it moved, but its words may
            be those of another passage; ``lost`` if its text was not found; ``changed`` for a document.
        id: The highlight; None for other parts.
        old: Start and end before the change; None for documents.
        new: Start and end after the change; None for documents and lost parts.
        text: The beginning of the old text.
        time: When the change was found, in UTC.
        is_open: Whether the assessor has not checked it yet.
    """

    assessor: str
    topic: str
    document: str
    part: Literal["highlight", "entry point", "document"]
    outcome: Literal["moved", "doubtful", "lost", "changed"]
    id: int | None
    old: Span | None
    new: Span | None
    text: str
    time: str
    is_open: bool


class ConflictError(XcgError):
    """A change was made to an old version of a judgement.

    Args:
        current: The current version.
    """

    def __init__(self, current: Judgement) -> None:
        super().__init__(f"the judgement has changed: its version is now {current.version}")
        self.current = current


class Store:
    """Pools, assignments and judgements in a SQLite file, created if it does not exist.

    One process at a time opens a store; its threads share the object. Documents whose text has changed
    since are placed again, see :mod:`xcg.judge.reanchoring`.

    Args:
        path: The file.
        corpus: The documents.

    Raises:
        InputError: If another process has opened the store, the file is not a store, or the corpus has
            none of its documents.
    """

    def __init__(self, path: Path, corpus: Corpus) -> None:
        raise NotImplementedError

    @classmethod
    def snapshot(cls, path: Path, corpus: Corpus) -> Store:
        """Return a copy in memory of an existing store, which another process may have opened.

        Changes of the copy are not saved.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Close the file, so that another process can open it."""

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Save the changes in a ``with`` block together, or none of them if it raises an exception."""
        raise NotImplementedError

    def assessors(self) -> list[str]:
        """Return the names of all assessors, in the order of their addition."""
        raise NotImplementedError

    def add_assessors(self, names: Iterable[str]) -> None:
        """Add assessors that the store does not have yet."""
        raise NotImplementedError

    def assignments(self) -> dict[str, list[str]]:
        """Return assessor → the topics that are assigned to them, in the order of assignment."""
        raise NotImplementedError

    def assign(self, assessor: str, topics: Iterable[str]) -> None:
        """Assign topics to an assessor, after those that they already have."""
        raise NotImplementedError

    def topics(self) -> list[str]:
        """Return the topics that have a pool, in the order of their addition."""
        raise NotImplementedError

    def pool(self, topic: str) -> tuple[PoolDocument, ...]:
        """Return the documents of a topic in the order in which assessors see them; may be empty."""
        raise NotImplementedError

    def extend_pool(self, topic: str, documents: Sequence[PoolDocument]) -> None:
        """Append documents to the pool of a topic; for those that it has, add the new results.

        Raises:
            InputError: If the corpus does not have a document, or it cannot be read.
        """
        raise NotImplementedError

    def judgement(self, assessor: str, topic: str, document: str) -> Judgement:
        """Return the current version of a judgement.

        Raises:
            XcgError: If there is no such assessor, or the topic's pool does not have the document.
        """
        raise NotImplementedError

    def apply(
        self,
        assessor: str,
        topic: str,
        document: str,
        version: int,
        operation: str,
        values: Mapping[str, object],
    ) -> Judgement:
        """Change a judgement, and return its new version after it is saved.

        Args:
            assessor: The assessor.
            topic: The topic.
            document: A document of the topic's pool.
            version: The version to change.
            operation: A name in ``OPERATIONS`` of :mod:`xcg.judge.editing`, ``undo`` or ``redo``.
            values: The fields of the operation.

        Returns:
            The new version; the current one if the operation changes nothing.

        Raises:
            ConflictError: If the version is not the current one.
            XcgError: If the operation, a field or its value is illegal.
        """
        raise NotImplementedError

    def replace(
        self,
        assessor: str,
        topic: str,
        document: str,
        highlights: Iterable[tuple[int, int, str | None]],
        entry_point: int | None,
        finished: bool,
    ) -> Judgement:
        """Replace the content of a judgement, for imports; the change can be undone.

        Args:
            assessor: The assessor.
            topic: The topic.
            document: A document of the topic's pool.
            highlights: Start, end and grade of each highlight.
            entry_point: The best entry point; None without one.
            finished: Whether the assessor is done with the document.

        Raises:
            XcgError: If highlights overlap or a position is not in the document.
        """
        raise NotImplementedError

    def progress(self, assessor: str) -> dict[str, tuple[int, int]]:
        """Return topic → number of finished documents and size of the pool, for assigned topics."""
        raise NotImplementedError

    def judgements(self, assessor: str | None = None) -> Iterator[JudgedDocument]:
        """Yield the judgements that have at least one change, by assessor, topic and pool order."""
        raise NotImplementedError

    def moved(self) -> list[Move]:
        """Return what changes of documents did to judgements, oldest first."""
        raise NotImplementedError
