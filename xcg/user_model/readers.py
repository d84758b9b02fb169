"""Users' own readers: classes that replace the whole relevance value of elements.

A reader is a class, or a function that returns an object, which is called with one document,
:class:`xcg.gains.element_reader.JudgedDocument`, and implements :class:`xcg.gains.reader.Reader`.
Keyword-only arguments are parameters. A subclass of :class:`xcg.gains.document_reader.DocumentReader`
has to define only ``gain_of``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from xcg.errors import XcgError
from xcg.registry import FunctionRegistry, Part

ReaderClass = Callable[..., Any]
READERS: FunctionRegistry[ReaderClass] = FunctionRegistry("reader", "xcg.reader", allows_classes=True)

READER_METHODS = ("read", "gain_of", "raised_by", "score", "value", "related", "remaining", "seen")
"""The methods of the protocol of readers."""
_HINT = "expected the methods of xcg.gains.reader.Reader, or a subclass of DocumentReader"


def check_reader(part: Part[ReaderClass]) -> None:
    """Check that a reader can be called with a document, and that a class has the required methods.

    Raises:
        XcgError: If the call is not possible, or methods are missing.
    """
    if isinstance(part.plain, type):
        check_methods(part, part.plain)
    try:
        inspect.signature(part.function).bind("document")
    except TypeError as error:
        raise XcgError(
            f"reader {part}: {error}; expected a document as the only argument without a default"
        ) from None
    except ValueError:  # a builtin without a signature; the call decides
        return


def check_methods(part: Part[ReaderClass], reader: object) -> None:
    """Raise XcgError if a reader, or its class, lacks a method of the protocol."""
    missing = [name for name in READER_METHODS if not callable(getattr(reader, name, None))]
    if missing:
        raise XcgError(f"reader {part} lacks {', '.join(missing)}: {_HINT}")
