"""Read assessments into a store."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from xcg.documents.corpus import Corpus
from xcg.documents.files import PathLike
from xcg.judge.grades import GradeScheme
from xcg.judge.store import Store


def import_assessments(
    paths: PathLike | Iterable[PathLike],
    store: Store,
    assessor: str,
    corpus: Corpus,
    scheme: GradeScheme,
    topics: Collection[str],
) -> list[str]:
    """Add the assessments in files to the judgements of an assessor, all or none.

    Returns:
        Notes: the numbers of documents and highlights, and passages that moved.

    Raises:
        InputError: If a file or record is illegal, a passage cannot be placed, or the assessor has
            judged a document differently.
    """
    raise NotImplementedError
