"""Read assessments and runs in any format, which the first bytes of a file show.

Each format is one module of this package, which registers it in ``xcg.runs.run.RUN_FORMATS`` or in
``xcg.judgements.recall_base.ASSESSMENT_FORMATS``. Installed packages add formats through the entry
points ``xcg.run_format`` and ``xcg.assessment_format``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import BufferedReader
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from xcg.documents.files import CHUNK_BYTES, SAFE_PARSING, PathLike, expand, is_xml, open_input
from xcg.errors import MAX_NAME_LENGTH, FileError, InputError, Notes, XcgError, name_too_long, nearest
from xcg.judgements.recall_base import ASSESSMENT_FORMATS, AssessmentFormat, RecallBase
from xcg.lazy_modules import etree
from xcg.registry import Registry
from xcg.runs.chunk_documents import NO_SOURCE, ChunkSource
from xcg.runs.run import RUN_FORMATS, TIES, Run, RunFormat, Ties, Topics

Kind = Literal["run", "assessments"]

_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MOST_LINES = 20


def xml_certainty(head: bytes, root: bytes) -> float:
    """Return how certain it is that a file is XML with this root element: 0, 0.5 or 1.

    Args:
        head: The first bytes of the file.
        root: The name of the root element.

    >>> xml_certainty(b"<assessments topic='1'>", b"assessments")
    1.0
    >>> xml_certainty(b"<judgements/>", b"assessments")
    0.5
    """
    if not is_xml(head):
        return 0.0
    return 1.0 if b"<" + root in head.replace(b"\0", b"").lower() else 0.5


_LARGE_LINE = 65_535
"""libxml2 stores a line number in 16 bits, and guesses larger ones from the text after the element."""
MAX_ELEMENTS = 1_000_000
"""Maximum number of XML elements between two results of a run, or in the assessments of a document."""
MAX_BYTES = 1 << 26
"""Maximum number of bytes between two results of a run, or in the assessments of a document."""


class XmlElements:
    r"""The elements with given names in an XML file.

    Each element is cleared after its use, and the content between these elements is limited. So the
    memory is bounded.

    Args:
        file: The open XML file.
        tags: Names in lower case; upper and capitalised spellings match too.
        path: The path of the file, for messages.

    Raises:
        lxml.etree.XMLSyntaxError: If the file is not well-formed, during the iteration.
        InputError: If the file has entities, or more than :data:`MAX_ELEMENTS` elements or
            :data:`MAX_BYTES` bytes without one of the names.

    >>> import io
    >>> elements = XmlElements(io.BufferedReader(io.BytesIO(b"<a>\n<b>1</b><c/><b>2</b></a>")), ["b"])
    >>> [(element.text, elements.line(element)) for element in elements]
    [('1', 2), ('2', 2)]
    """

    def __init__(self, file: BufferedReader, tags: Iterable[str], path: object = "") -> None:
        self._file = file
        self._path = path
        self._elements = self._bytes = 0  # since the last element with one of the names
        self._tags = {spelling for tag in tags for spelling in (tag, tag.upper(), tag.capitalize())}
        self._line = 1  # line in which the last bytes read begin
        self._line_breaks = 0  # in these bytes
        self._large_lines: dict[etree._Element, int] = {}

    def __iter__(self) -> Iterator[etree._Element]:
        """Yield the elements in the order of their end tags."""
        parsed = etree.iterparse(self, events=("start", "end"), **SAFE_PARSING)
        for event, element in parsed:
            if event == "start":
                self._elements += 1
                if self._elements > MAX_ELEMENTS:
                    raise self._size_error(f"{MAX_ELEMENTS} elements")
                if element.getparent() is None:
                    declared = element.getroottree().docinfo.internalDTD
                    if declared is not None and list(declared.iterentities()):
                        raise self._entity_error(self.line(element))
                if self._line >= _LARGE_LINE:
                    self._large_lines[element] = self._line
            elif element.tag in self._tags:
                self._elements = self._bytes = 0
                for warning in parsed.error_log:
                    # It could expand to any number of results, or to a part of a name.
                    if warning.type_name == "WAR_UNDECLARED_ENTITY":
                        raise self._entity_error(warning.line)
                yield element
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
                while element in self._large_lines:  # its descendants were added after it
                    self._large_lines.popitem()

    def _size_error(self, limit: str) -> InputError:
        tags = ", ".join(f"<{tag}>" for tag in sorted(self._tags) if tag.islower())
        message = f"more than {limit} without one of {tags}; expected a run or assessments"
        return InputError(f"{self._path}:{self._line}", message)

    def _entity_error(self, line: int) -> InputError:
        message = "the file has entities, which are not read: expected XML without <!ENTITY> and &name;"
        return InputError(f"{self._path}:{line}", message)

    def line(self, element: etree._Element) -> int:
        """Return the line in which the start tag of an element ends.

        Args:
            element: The element that was yielded last, or a descendant or an ancestor of it.
        """
        return self._large_lines.get(element) or cast(int, element.sourceline)

    def read(self, size: int) -> bytes:
        """Return the next bytes for the parser, or only one line if line numbers may be too large.

        After a single line, the parser has seen exactly the elements whose start tags end in this line
        or before.
        """
        self._line += self._line_breaks
        is_small = self._line + CHUNK_BYTES < _LARGE_LINE
        data = self._file.read(CHUNK_BYTES) if is_small else self._file.readline(CHUNK_BYTES)
        self._line_breaks = data.count(b"\n")
        self._bytes += len(data)
        if self._bytes > MAX_BYTES:
            raise self._size_error(f"{MAX_BYTES >> 20} MB")
        return data


def json_certainty(head: bytes) -> float:
    """Return how certain it is that a file is JSON Lines with topics: 0, 0.5 or 1.

    Args:
        head: The first bytes of the file.

    >>> json_certainty(b'{"topic": 1}'), json_certainty(b"[1]"), json_certainty(b"1 0 d 1")
    (1.0, 0.5, 0.0)
    """
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    if not start.startswith((b"{", b"[")):
        return 0.0
    return 1.0 if start.startswith(b"{") and b'"topic"' in start else 0.5


def is_letor(head: bytes) -> bool:
    """Return whether the second column of a file is ``qid:`` and a topic, as in LETOR.

    >>> is_letor(b"2 qid:10 1:0.5 2:1 #docid = d7"), is_letor(b"10 0 d7 2")
    (True, False)
    """
    first = _first_line(head).split(None, 2)
    return len(first) > 1 and first[1].startswith(b"qid:")


def column_count(head: bytes) -> int:
    """Return the largest number of columns in the first lines of a file; 0 for XML, JSON and LETOR.

    Lines that begin with ``#`` are comments and are skipped.

    Args:
        head: The first bytes of the file.

    >>> column_count(b"1 0 FT911-3 2"), column_count(b"<a b='1'>")
    (4, 0)
    """
    if is_xml(head) or json_certainty(head) or is_letor(head):
        return 0
    lines = _text_lines(head)
    if len(lines) > 1 and not head.endswith(b"\n"):
        del lines[-1]  # it may be cut off
    rows = [line.split() for line in lines if not line.startswith(b"#")]
    return max(map(len, rows[:_MOST_LINES]), default=0)


def _text_lines(head: bytes) -> list[bytes]:
    return head.removeprefix(b"\xef\xbb\xbf").splitlines()


def content_hint(head: bytes, expected: Kind) -> str:
    """Return a hint on the unexpected content of a file; empty if there is none.

    Args:
        head: The first bytes of the file.
        expected: What the file should hold.

    >>> content_hint(b"1 0 d 2", "run")
    'It looks like assessments: use --assessments'
    >>> content_hint(b"1,d,0.5", "run")
    'Its values are separated by commas; expected spaces'
    >>> content_hint(b"question,quote", "assessments")
    'It looks like a table of quotes: xcg place makes gold of it'
    """
    kind = _looks_like(head)
    if kind and kind != expected:
        return f"It looks like {'a run' if kind == 'run' else kind}: use --{kind}"
    first = _first_line(head)
    if expected == "assessments" and re.search(rb"(?i)^\W*(?:question|quote)\b", first):
        return "It looks like a table of quotes: xcg place makes gold of it"
    for separator, name in ((b",", "commas"), (b";", "semicolons")):
        if first.count(separator) > 1 and not is_xml(head) and not json_certainty(head):
            return f"Its values are separated by {name}; expected spaces"
    return ""


_KEYS = {
    "run": rb'<inex-submission|"(?:rank|score)"\s*:',
    "assessments": rb'<assessments|"(?:level|exhaustivity)"\s*:',
}


def _looks_like(head: bytes) -> str:
    """Return whether a file seems to be a run or assessments; empty if neither or both."""
    if is_xml(head) or json_certainty(head):
        shown = head if is_xml(head) else _first_line(head)
        found = [kind for kind, keys in _KEYS.items() if re.search(keys, shown)]
        return found[0] if len(found) == 1 else ""
    row = _first_line(head).split()
    has_passage = any(re.fullmatch(rb"[0-9]+:[0-9]+", field) for field in row[5:])
    if has_passage or (len(row) in (4, 5) and all(map(_NUMBER.fullmatch, row[3:]))):
        return "assessments"  # offset qrels, or TREC qrels and offset qrels without passages
    is_run = len(row) > 5 and all(map(_NUMBER.fullmatch, row[3:5]))
    return "run" if is_run and not re.fullmatch(rb"-?[0-9]+", row[5]) else ""


def _first_line(head: bytes) -> bytes:
    """Return the first line that is neither blank nor a comment."""
    lines = _text_lines(head)
    return next((line for line in lines if line.strip() and not line.lstrip().startswith(b"#")), b"")


_HEAD_SIZE = 4096


def read_assessments(
    paths: PathLike | Iterable[PathLike], notes: Notes | None = None, base: RecallBase | None = None
) -> RecallBase:
    """Read assessment files into one recall-base.

    The format of each file is detected from its content.

    Args:
        paths: Files, folders and globs.
        notes: Collects warnings. With ``Notes(lenient=True)`` illegal values are counted, and their
            elements are left unassessed.
        base: The recall-base to which they are added; a new one by default.

    Returns:
        The assessments of all files.

    Raises:
        InputError: If a file cannot be read or holds an illegal value, with file and line.

    >>> read_assessments("assessments/kazai-lalmas-2006")
    <RecallBase: 1 topics, 10 assessed elements>
    """
    notes = notes if notes is not None else Notes()
    base = base if base is not None else RecallBase()
    for path in expand(paths, "assessments"):
        with _opened(path, ASSESSMENT_FORMATS, "assessments") as (file, _, format_):
            format_.read(file, path, base, notes)
    return base


def read_run(
    path: PathLike,
    notes: Notes | None = None,
    ties: Ties | None = None,
    topics: Topics = None,
    source: ChunkSource = NO_SOURCE,
) -> Run:
    """Read one run file, whose format is detected from its content.

    Args:
        path: The file.
        notes: Collects warnings. With ``Notes(lenient=True)`` results with an illegal path are counted;
            they keep their rank and name no element.
        ties: The order of results with equal scores or ranks, see :data:`xcg.runs.run.Ties`.
        topics: The topics whose results are read; all by default.
        source: How the chunks in JSON Lines name their document, and the documents. Chunks without
            offsets are searched in the documents.

    Returns:
        The run. Its name is stated in the file, or is the name of the file.

    Raises:
        InputError: If the file cannot be read or holds an illegal value, with file and line.
        XcgError: If the order of ties is unknown.

    >>> read_run("corpora_samples/kazai-lalmas-2006-runs/1-ideal.xml")
    <Run ideal: 1 topics>
    """
    if ties is not None and ties not in TIES:
        raise XcgError(f"ties is {ties!r}: {nearest(ties, TIES)}")
    notes = notes if notes is not None else Notes()
    path = Path(path)
    with _opened(path, RUN_FORMATS, "run") as (file, format_name, format_):
        of_chunks = [source] if format_.reads_chunks else []
        run = format_.read(file, path, notes, ties, topics, *of_chunks)
        run.format = format_name
    for kind, names in (("run", [run.name]), ("topic", [*run.rankings, *run.skipped])):
        longest = max(names, key=len, default="")
        if len(longest) > MAX_NAME_LENGTH:
            raise InputError(path, name_too_long(kind, longest))
    if topics is not None and not all(topic in topics for topic in run.rankings):
        rankings = {topic: ranking for topic, ranking in run.rankings.items() if topic in topics}
        skipped = run.skipped | (run.rankings.keys() - rankings.keys())
        run = replace(run, rankings=rankings, skipped=skipped)
    return run


def can_have_chunks(path: Path) -> bool:
    """Return whether a run file has a format that can state chunks by their text."""
    with _opened(path, RUN_FORMATS, "run") as (_, _, format_):
        return format_.reads_chunks


def read_runs(paths: PathLike | Iterable[PathLike], *options: Any, **named: Any) -> list[Run]:
    """Read run files, folders and globs with the options of :func:`read_run`, in the order of names.

    Raises:
        InputError: If a path does not exist, and as :func:`read_run`.

    >>> [run.name for run in read_runs("corpora_samples/kazai-lalmas-2006-runs")]
    ['ideal', 'frb', 'reverse_ideal', 'rel_leaves']
    """
    return [read_run(path, *options, **named) for path in expand(paths, "runs")]


_AnyFormat = TypeVar("_AnyFormat", RunFormat, AssessmentFormat)


@contextmanager
def _opened(
    path: Path, formats: Registry[_AnyFormat], expected: Kind
) -> Iterator[tuple[BufferedReader, str, _AnyFormat]]:
    """Open a file and detect its format; errors have a hint if it seems to hold something else.

    The first format of xcg that is certain has the file, otherwise the one that is most certain.
    Installed packages are asked only if no format of xcg is certain, because finding them is slow.
    """
    with open_input(path) as file:
        head = bytes(file.peek(_HEAD_SIZE))
        own = formats.registered()
        name = next((name for name, format_ in own.items() if format_.detect(head) >= 1), "")
        name = name or max(formats, key=lambda name: formats.get(name).detect(head))
        try:
            yield file, name, formats.get(name)
        except InputError as error:
            if not (hint := content_hint(head, expected)):
                raise
            raise FileError(error.where, str(error).removeprefix(f"{error.where}: "), hint) from None
