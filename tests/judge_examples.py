"""Judgements for the tests of exports and of the agreement of assessors."""

from __future__ import annotations

from xcg.documents.text_search import Quote
from xcg.judge.judgement import JudgedDocument, Judgement, StoredHighlight

Marked = tuple[int, int] | tuple[int, int, str]


def judged(
    assessor: str,
    document: str,
    text: str,
    *marked: Marked,
    topic: str = "1",
    finished: bool = True,
) -> JudgedDocument:
    """Return a judgement with highlights from start to end, with a grade or without."""
    highlights = tuple(
        StoredHighlight(
            number,
            start,
            end,
            grade[0] if grade else None,
            Quote(text[start:end], text[max(start - 5, 0) : start], text[end : end + 5]),
        )
        for number, (start, end, *grade) in enumerate(marked, 1)
    )
    return JudgedDocument(assessor, topic, document, Judgement(1, highlights, finished))
