"""Functions that tell from the first bytes of a file which format it may have."""

from __future__ import annotations

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
