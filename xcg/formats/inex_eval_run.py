"""Read runs as inex_eval does: exactly eight columns, in the order of the file.

The reader of TREC runs accepts more: comments, six or seven columns, and text after the sixth.
"""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from xcg.documents.files import is_xml, lines, open_input
from xcg.documents.paths import canonical_file
from xcg.errors import InputError
from xcg.formats.base import json_certainty
from xcg.runs.run import AnySpan, Ranking, Run, span_of

_UNKNOWN_OFFSETS = {"X", "-1"}
_EXPECTED = "expected eight, topic Q0 document rank score tag offset length"


def read_inex_eval_run(file: str, topics: Container[str]) -> tuple[Run, str]:
    """Read a run of INEX 2009 or 2010 as inex_eval does.

    A line is ``topic Q0 document rank score tag offset length``. The results keep the order of the
    file; rank and score are not read. The offset ``X`` or ``-1`` is unknown, see
    :data:`xcg.runs.run.UNKNOWN_SPAN`.

    Args:
        file: The file's path; ``-`` is standard input.
        topics: The assessed topics. Results of other topics are skipped.

    Returns:
        The run, named by its file, and the tag of its last result of an assessed topic; an empty tag
        without such a result.

    Raises:
        InputError: If a line is illegal, with file and line.
    """
    path = Path(file)
    results: dict[str, tuple[list[str], list[AnySpan]]] = {}
    tag, current, columns = "", None, None
    with open_input(path) as opened:
        head = opened.peek()
        if is_xml(head) or json_certainty(head):
            raise InputError(file, f"XML or JSON Lines; {_EXPECTED}: xcg convert --to trec")
        for number, line in lines(opened, path):
            fields = line.split()
            if len(fields) != 8:
                raise InputError(f"{file}:{number}", f"{len(fields)} columns; {_EXPECTED}")
            topic, _, document, _, _, tag_here, offset, length = fields
            if topic != current:
                current = topic
                columns = results.setdefault(topic, ([], [])) if topic in topics else None
            if columns is None:
                continue
            files, spans = columns
            try:
                files.append(canonical_file(document))
                spans.append(span_of(offset, "0" if offset in _UNKNOWN_OFFSETS else length))
            except ValueError as error:
                raise InputError(f"{file}:{number}", str(error)) from None
            tag = tag_here
    rankings = {
        topic: Ranking(files, [""] * len(files), dict(enumerate(spans)))
        for topic, (files, spans) in results.items()
    }
    return Run(file, rankings, file), tag
