"""Standard input as an input file, which is named ``-``.

Its content is kept in memory, because formats are detected from the beginning of a file, and some
commands read their inputs twice.
"""

from __future__ import annotations

import sys
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any, cast
from weakref import WeakKeyDictionary

from xcg.errors import InputError

STANDARD_INPUT = Path("-")
"""The name of standard input; a file with this name needs its absolute path."""

MAX_BYTES = 1 << 30
"""Maximum size of standard input, which is kept in memory: 1 GB."""

_uses: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
_contents: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()


def claim_standard_input(what: str) -> Path:
    """Return the path of standard input, which can hold one kind of input.

    Args:
        what: The kind of input, for messages.

    Raises:
        InputError: If it holds another kind, or there is no standard input.
    """
    first = _uses.setdefault(_stream(), what)
    if first != what:
        raise InputError(
            STANDARD_INPUT, f"standard input is already used for {first}; expected a file with {what}"
        )
    return STANDARD_INPUT


def open_standard_input() -> BufferedReader:
    """Open standard input for reading, each time from its beginning.

    Raises:
        InputError: If there is no standard input, or it is larger than 1 GB.
    """
    stream = _stream()
    if stream not in _contents:
        content = stream.buffer.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise InputError(STANDARD_INPUT, "standard input of more than 1 GB; expected a file")
        _contents[stream] = content
    return BufferedReader(cast(Any, BytesIO(_contents[stream])))


def _stream() -> Any:
    if sys.stdin is None:
        raise InputError(STANDARD_INPUT, "there is no standard input; expected a file")
    return sys.stdin
