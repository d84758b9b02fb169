"""Assessment files by their content: XML, JSON Lines, or qrels with four columns or more.

The readers of other forms than TREC's are imported when a file has one.
"""

from __future__ import annotations

from collections.abc import Iterable

from xcg.documents.files import (
    PathLike,
    expand,
    looks_like_xml,
    open_input,
    peek_columns,
)
from xcg.errors import Notes
from xcg.formats.json_records import looks_like_json
from xcg.formats.trec_qrels import read_trec_qrels
from xcg.judgements.recall_base import RecallBase


def read_assessments(paths: PathLike | Iterable[PathLike], notes: Notes | None = None) -> RecallBase:
    """Read assessment files, folders and globs into one recall-base.

    Raises InputError with file and line for anything wrong; with ``Notes(lenient=True)`` illegal
    values are counted and the elements left unassessed.
    """
    notes = notes if notes is not None else Notes()
    base = RecallBase()
    for path in expand(paths, "assessments"):
        with open_input(path) as file:
            if looks_like_xml(file):
                from xcg.formats.inex_assessments import read_inex_assessments

                read_inex_assessments(file, path, base, notes)
            elif looks_like_json(file):
                from xcg.formats.json_lines import read_json_assessments

                read_json_assessments(file, path, base, notes)
            elif peek_columns(file) == 4:
                read_trec_qrels(file, path, base, notes)
            else:
                from xcg.formats.offset_qrels import read_offset_qrels

                read_offset_qrels(file, path, base, notes)
    return base
