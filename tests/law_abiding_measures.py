"""Chunk measures that keep all laws, for tests of the laws."""

from __future__ import annotations

from xcg.laws.chunk_measures import Gold, Retrieved, overlap


def characters(span: Gold | Retrieved) -> set[tuple[str, int]]:
    """Return the characters of a span."""
    return {(span.document, position) for position in range(span.start, span.end)}


def covered_gold(gold: list[Gold], ranking: list[Retrieved]) -> float:
    """Return the fraction of the gold's characters that the ranking contains."""
    relevant = set().union(*map(characters, gold))
    return len(relevant & set().union(*map(characters, ranking))) / len(relevant)


def reciprocal_rank(gold: list[Gold], ranking: list[Retrieved]) -> float:
    """Return 1 / rank of the first result with relevant text, 0 without one."""
    ranks = [i for i, r in enumerate(ranking, 1) if any(overlap(g, r) for g in gold)]
    return 1 / ranks[0] if ranks else 0.0
