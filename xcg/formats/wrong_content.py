"""Give hints on files with unexpected content, such as a run that is passed as assessments."""

from __future__ import annotations

import re
from typing import Literal

from xcg.formats.detection import column_count, is_xml, json_certainty

Kind = Literal["run", "assessments"]

_LONGEST_LINE = 4096
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


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
