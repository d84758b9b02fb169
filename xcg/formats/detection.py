"""Tell from the first bytes of a file which format it may have, or what a wrong file holds instead."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["run", "assessments"]

_LONGEST_LINE = 4096
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MOST_LINES = 20
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def is_xml(head: bytes) -> bool:
    """Return whether the first character of a file other than white space is ``<``.

    Args:
        head: The first bytes of the file.

    >>> is_xml(b" <a/>"), is_xml(b"1 0 d 1")
    (True, False)
    """
    for mark in _BYTE_ORDER_MARKS:
        head = head.removeprefix(mark)
    return head.strip(b" \t\r\n\0").startswith(b"<")


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
    rows = [line.split(None, 2) for line in _text_lines(head)]
    first = next((row for row in rows if row and not row[0].startswith(b"#")), [])
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
    """
    option = "--run" if expected == "run" else "--assessments"
    if expected == "run" and _looks_like_assessments(head):
        return "It looks like assessments: use --assessments"
    if expected == "assessments" and _looks_like_run(head):
        return "It looks like a run: use --run"
    if is_xml(head):
        root = xml_root(head)
        is_known = b"<inex-submission" in head or b"<assessments" in head
        return "" if root is None or is_known else f"Its root is <{root}>"
    first = _first_line(head)
    if re.match(rb"[A-Za-z_]+:(?:[ \r\n]|$)", first):
        return f"It looks like YAML: use a configuration without {option}"
    for separator, name in ((b",", "commas"), (b";", "semicolons")):
        if first.count(separator) > 1 and not json_certainty(head):
            return f"Its values are separated by {name}; expected spaces"
    return ""


def xml_root(head: bytes) -> str | None:
    """Return the name of the first element of an XML file, None if it is not in the first bytes.

    >>> xml_root(b"<?xml version='1.0'?><!-- <a> --><html>")
    'html'
    """
    without_comments = re.sub(rb"(?s)<!--.*?-->", b"", head.replace(b"\0", b""))
    root = re.search(rb"<([A-Za-z_][\w.:-]*)", without_comments)
    return root[1].decode() if root else None


def _looks_like_run(head: bytes) -> bool:
    if is_xml(head):
        return b"<inex-submission" in head
    if json_certainty(head):
        return _has_field(head, rb"rank|score") and not _has_field(head, rb"level|exhaustivity")
    row = _first_line(head).split()
    return (
        column_count(head) > 5
        and len(row) > 5
        and all(map(_NUMBER.fullmatch, row[3:5]))
        and not re.fullmatch(rb"-?[0-9]+|[0-9]+:[0-9]+", row[5])
    )


def _looks_like_assessments(head: bytes) -> bool:
    if is_xml(head):
        return b"<assessments" in head
    if json_certainty(head):
        return _has_field(head, rb"level|exhaustivity") and not _has_field(head, rb"rank|score")
    row = _first_line(head).split()
    if len(row) in (4, 5):  # TREC qrels, or offset qrels without passages
        return all(map(_NUMBER.fullmatch, row[3:]))
    return any(re.fullmatch(rb"[0-9]+:[0-9]+", field) for field in row[5:])


def _has_field(head: bytes, names: bytes) -> bool:
    return re.search(rb'"(?:' + names + rb')"\s*:', _first_line(head)) is not None


def _first_line(head: bytes) -> bytes:
    """Return the first whole line that is neither blank nor a comment."""
    if b"\n" not in head and len(head) >= _LONGEST_LINE:
        return b""
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
    return next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
