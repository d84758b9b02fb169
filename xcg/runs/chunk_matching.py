"""Find the text of a chunk in its document."""

from __future__ import annotations

from xcg.errors import UnmappedError
from xcg.runs.chunk_adapters import shortened


def checked_span(start: int, end: int) -> tuple[int, int]:
    """Return the span of a chunk.

    Raises:
        ValueError: If it is empty, or starts before the text.
    """
    if start == end:
        raise ValueError(f"the chunk is empty: it starts and ends at {start}")
    if not 0 <= start < end:
        raise ValueError(f"start {start} and end {end}: expected 0 <= start < end")
    return start, end


def matched_span(body: str, start: int, end: int, text: str | None, name: str) -> tuple[int, int]:
    """Return the span of a chunk's text in its document; white space at its ends may differ.

    Args:
        body: The text of the document.
        start: The offset of the chunk.
        end: The offset of the first character after the chunk.
        text: The text of the chunk, if known.
        name: The document, for messages.

    Raises:
        UnmappedError: If the document has another text there.
    """
    if text is None:
        if end > len(body):
            raise UnmappedError("", f"the chunk ends at {end}, but {name} has {len(body)} characters")
        return start, end
    wanted = text.strip()
    if start < len(body) and body[start:end].strip() == wanted:
        return start, min(end, len(body))
    first = len(body) - len(body[start:].lstrip())
    if wanted and body.startswith(wanted, first):
        return first, first + len(wanted)
    raise UnmappedError(
        "",
        f"the chunk is {shortened(repr(text))}, but {name} has {shortened(repr(body[start:end]))} at "
        f"{start} to {end} of its {len(body)} characters: do its offsets belong to this text?",
    )


def only_occurrence(body: str, text: str, name: str) -> tuple[int, int]:
    """Return the span of a text that occurs exactly once in a document.

    Raises:
        ValueError: If the text is empty.
        UnmappedError: If it does not occur, or occurs more than once.
    """
    problem = "does not occur"
    for wanted in (text, text.strip()):
        if not wanted.strip():
            raise ValueError("the chunk is empty: it has no text")
        start = body.find(wanted)
        if start >= 0:
            if body.find(wanted, start + 1) < 0:
                return start, start + len(wanted)
            problem = "occurs more than once"
            break
    raise UnmappedError(
        "", f"the chunk has no offsets, and its text {shortened(repr(text))} {problem} in {name}"
    )
