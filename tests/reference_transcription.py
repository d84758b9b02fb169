"""A literal transcription of the measures' definitions, as an independent implementation for tests.

It follows the specification (sections 3 to 8) and the equations of Kazai and Lalmas 2006 (KL)
sentence by sentence. It works on path strings, without arrays or trees, and imports nothing from
the package that it checks. A document is a dict from canonical path to size.

Undefined cases (no ideal element, an unknown size, an unknown option) raise an error.
"""

from typing import Literal

Document = dict[str, int]
Result = tuple[str, str]
Normalisation = Literal["subtree", "related", "none"]
PartiallySeen = Literal["recursive", "capped"]
NearMisses = Literal["judged", "exact"]
Interpolation = Literal["segment", "linear"]
Unretrieved = Literal["uncredited", "max"]

GAIN_FLOOR = 1e-9
LEVEL_TOLERANCE = 1e-9


def _one_of(value: str, *allowed: str) -> None:
    """Raise ValueError for an unknown option."""
    if value not in allowed:
        raise ValueError(f"{value!r}: expected one of {allowed}")


# --- Section 1: elements -----------------------------------------------------------------


def parent(path: str) -> str:
    """Section 1: the path without its last step; empty for a root element."""
    return path.rpartition("/")[0]


def depth(path: str) -> int:
    """Section 1: the number of steps."""
    return path.count("/")


def is_ancestor(above: str, below: str) -> bool:
    """Section 1: whether the first element properly contains the second."""
    return below.startswith(above + "/")


def is_self_or_ancestor(above: str, below: str) -> bool:
    """Section 1: whether the second element is the first or lies inside it."""
    return above == below or is_ancestor(above, below)


def related(one: str, other: str) -> bool:
    """Section 5: whether one element is the other, an ancestor of it or a descendant of it."""
    return is_self_or_ancestor(one, other) or is_ancestor(other, one)


def children(path: str, document: Document) -> list[str]:
    """Section 1: the child elements of an element."""
    return [other for other in document if parent(other) == path]


# --- Section 3: quantisation -------------------------------------------------------------

QUANT: dict[str, dict[tuple[int, int], float]] = {
    # KL equation 1
    "strict": {
        (3, 3): 1.0,
        (3, 2): 0.0,
        (3, 1): 0.0,
        (2, 3): 0.0,
        (2, 2): 0.0,
        (2, 1): 0.0,
        (1, 3): 0.0,
        (1, 2): 0.0,
        (1, 1): 0.0,
        (0, 0): 0.0,
    },
    # KL equation 2
    "gen": {
        (3, 3): 1.0,
        (2, 3): 0.75,
        (3, 2): 0.75,
        (3, 1): 0.75,
        (1, 3): 0.5,
        (2, 2): 0.5,
        (2, 1): 0.5,
        (1, 2): 0.25,
        (1, 1): 0.25,
        (0, 0): 0.0,
    },
    # KL equation 3
    "sog": {
        (3, 3): 1.0,
        (2, 3): 0.9,
        (1, 3): 0.75,
        (3, 2): 0.75,
        (2, 2): 0.5,
        (1, 2): 0.25,
        (3, 1): 0.25,
        (2, 1): 0.1,
        (1, 1): 0.1,
        (0, 0): 0.0,
    },
}


# --- Section 4: ideal recall-base --------------------------------------------------------


def relevant_paths(scores: dict[str, float]) -> list[list[str]]:
    """Section 4: for each relevant element without relevant descendants, the elements on its path.

    Irrelevant elements on the path score 0 and are never kept, so they are omitted.
    """
    leaves = [path for path in scores if not any(is_ancestor(path, other) for other in scores)]
    return [[path for path in scores if is_self_or_ancestor(path, leaf)] for leaf in leaves]


def best_on_path(path: list[str], scores: dict[str, float], tie: str) -> str:
    """Section 4: the element with the highest score; on a tie the deepest (or shallowest)."""
    highest = max(scores[element] for element in path)
    tied = [element for element in path if scores[element] == highest]
    return max(tied, key=depth) if tie == "deeper" else min(tied, key=depth)


def ideal_kazai_lalmas(
    scores: dict[str, float], tie: str = "deeper", keep: str = "shorter"
) -> set[str]:
    """Section 4, `kazai_lalmas` (KL 4), for one file.

    Args:
        scores: the quantised score of every relevant element, including scores of 0.
        tie: of two elements with the same score on a path, keep the deeper or the shallower one.
        keep: of two kept elements that overlap, keep the one with the shorter or the longer path.
    """
    _one_of(tie, "deeper", "shallower")
    _one_of(keep, "shorter", "longer")
    kept = {best_on_path(path, scores, tie) for path in relevant_paths(scores)}
    kept = {element for element in kept if scores[element] > 0}
    if keep == "shorter":
        return {one for one in kept if not any(is_ancestor(other, one) for other in kept)}
    return {one for one in kept if not any(is_ancestor(one, other) for other in kept)}


def ideal_full(scores: dict[str, float]) -> set[str]:
    """Section 4, `full`: every element with quant > 0, overlapping or not, for one file."""
    return {element for element, score in scores.items() if score > 0}


# --- Section 5: relevance value ----------------------------------------------------------


def relevance_value(
    c: str,
    earlier: list[str],
    document: Document,
    scores: dict[str, float],
    alpha: float,
    partially_seen: PartiallySeen,
) -> float:
    """Section 5, rv(c) (KL equation 9), against the earlier results of the same file."""
    q = scores.get(c, 0.0)
    if any(is_self_or_ancestor(result, c) for result in earlier):  # fully seen
        return (1 - alpha) * q
    if not any(is_ancestor(c, result) for result in earlier):  # not seen
        return q
    below = [
        relevance_value(c_j, earlier, document, scores, alpha, partially_seen) * document[c_j]
        for c_j in children(c, document)
    ]
    share = 0.0 if document[c] == 0 else sum(below) / document[c]
    value = alpha * share + (1 - alpha) * q
    return min(value, q) if partially_seen == "capped" else value


def left_over(
    c: str, earlier: list[tuple[str, float]], scores: dict[str, float], ideal: set[str]
) -> float:
    """Section 5, B: what is left of the ideal elements related to c.

    Args:
        c: the result.
        earlier: the earlier results of the same file, with their gains.
        scores: the quantised scores of the file.
        ideal: the ideal elements of the file.
    """
    total = 0.0
    for element in ideal:
        if related(c, element):
            used = sum(gain for result, gain in earlier if is_self_or_ancestor(element, result))
            total += max(0.0, scores[element] - used)
    return total


def gains(
    ranking: list[Result],
    documents: dict[str, Document],
    scores: dict[str, dict[str, float]],
    ideal: dict[str, set[str]],
    alpha: float,
    normalisation: Normalisation,
    partially_seen: PartiallySeen,
    near_misses: NearMisses,
) -> list[float]:
    """Section 5: the gain of every (file, path) result (KL equations 8, 9 and 10)."""
    _one_of(normalisation, "subtree", "related", "none")
    _one_of(partially_seen, "recursive", "capped")
    _one_of(near_misses, "judged", "exact")
    found: list[float] = []
    left = {(file, path): scores[file][path] for file, paths in ideal.items() for path in paths}
    for file, c in ranking:
        before = [(p, g) for (f, p), g in zip(ranking, found, strict=False) if f == file]
        gain = 0.0
        if file in scores:  # in other files every score is 0, and so is every gain
            seen = [result for result, _ in before]
            gain = relevance_value(c, seen, documents[file], scores[file], alpha, partially_seen)
            in_file = ideal.get(file, set())
            if normalisation == "subtree":
                gain = max(0.0, min(gain, left_over(c, before, scores[file], in_file)))
            if near_misses == "exact" and c not in in_file:
                gain = 0.0
            if normalisation == "related":
                limit = {element: left[file, element] for element in in_file if related(c, element)}
                total = sum(limit.values())
                gain = min(gain, total)
                for element, rest in limit.items():
                    if gain >= GAIN_FLOOR:
                        left[file, element] -= gain * rest / total
        found.append(0.0 if gain < GAIN_FLOOR else gain)
    return found


def ideal_gains(scores: dict[str, dict[str, float]], ideal: dict[str, set[str]]) -> list[float]:
    """Section 6, xI: the scores of the ideal elements of all files in decreasing order."""
    found = [scores[file][path] for file, paths in ideal.items() for path in paths]
    return sorted(found, reverse=True)


# --- Section 6: cumulated gain -----------------------------------------------------------


def xcg_at(gains: list[float], i: int) -> float:
    """Section 6, xCG[i] (KL equation 4); constant after the end of the list."""
    return sum(gains[:i])


def total_gain(ideal: list[float]) -> float:
    """Section 6, xCI[n]; if it is 0, measures that compare with the ideal are undefined."""
    total = sum(ideal)
    if total <= 0:
        raise ValueError("there is no ideal element: the measure is undefined")
    return total


def nxcg_at(gains: list[float], ideal: list[float], i: int) -> float:
    """Section 6, nxCG[i] (KL equation 5)."""
    total_gain(ideal)
    return xcg_at(gains, i) / xcg_at(ideal, i)


def manxcg_at(gains: list[float], ideal: list[float], i: int) -> float:
    """Section 6, MAnxCG[i] (KL equation 6)."""
    return sum(nxcg_at(gains, ideal, j) for j in range(1, i + 1)) / i


def gr_at(gains: list[float], ideal: list[float], i: int) -> float:
    """Section 6, gr[i] (KL equation 14)."""
    return xcg_at(gains, i) / total_gain(ideal)


# --- Section 7: effort-precision ---------------------------------------------------------


def rank_at(
    curve: list[float], g: float, tolerance: float, interpolation: Interpolation
) -> float | None:
    """Section 7, i(g): the rank at which the cumulated list reaches g; None if it never does.

    It depends on the first rank k with C[k] > 0 and C[k] ≥ g (less the tolerance).
    """
    _one_of(interpolation, "segment", "linear")
    for k in range(1, len(curve) + 1):
        here, before = xcg_at(curve, k), xcg_at(curve, k - 1)
        if here > 0 and here >= g - tolerance:
            if interpolation == "segment":
                return (k - 1) + g / here
            return (k - 1) + (g - before) / (here - before)
    return None


def ideal_rank_at(ideal: list[float], g: float, interpolation: Interpolation) -> float:
    """Section 7, i_ideal(g); a level above xCI[n] counts as xCI[n]."""
    total = total_gain(ideal)
    rank = rank_at(ideal, min(g, total), LEVEL_TOLERANCE * total, interpolation)
    assert rank is not None
    return rank


def ep_at(
    gains: list[float], ideal: list[float], r: float, interpolation: Interpolation = "segment"
) -> float:
    """Section 7, ep[r] for r > 0 (KL equation 13)."""
    total = total_gain(ideal)
    run_rank = rank_at(gains, r * total, LEVEL_TOLERANCE * total, interpolation)
    if run_rank is None:
        return 0.0
    return ideal_rank_at(ideal, r * total, interpolation) / run_rank


def imaep(gains: list[float], ideal: list[float], interpolation: Interpolation = "segment") -> float:
    """Section 7, iMAep: the mean of ep at 0.1, 0.2, …, 1.0."""
    return sum(ep_at(gains, ideal, tenth / 10, interpolation) for tenth in range(1, 11)) / 10


def hits(gains: list[float]) -> list[int]:
    """Sections 7 and 8: the ranks with gain > 0, from 1."""
    return [rank for rank, gain in enumerate(gains, start=1) if gain > 0]


def number_of_ideal(ideal: list[float]) -> int:
    """Sections 7 and 8: the number of ideal elements; all of them score above 0."""
    return sum(1 for gain in ideal if gain > 0)


def divisor(
    gains: list[float], ideal: list[float], not_retrieved: int, unretrieved: Unretrieved
) -> int:
    """Section 7, N, the divisor of MAep and Q."""
    _one_of(unretrieved, "uncredited", "max")
    if unretrieved == "max":
        return max(len(hits(gains)), number_of_ideal(ideal))
    return len(hits(gains)) + not_retrieved


def count_not_retrieved(
    ranking: list[Result], gains: list[float], ideal: dict[str, set[str]], normalisation: Normalisation
) -> int:
    """Section 7: the number of ideal elements that no result with gain > 0 is or lies inside.

    Without normalisation only a result that is the ideal element itself retrieves it.
    """
    _one_of(normalisation, "subtree", "related", "none")
    credited = [result for result, gain in zip(ranking, gains, strict=True) if gain > 0]
    missing = 0
    for file, paths in ideal.items():
        for element in paths:
            if normalisation != "none":
                retrieved = any(f == file and is_self_or_ancestor(element, p) for f, p in credited)
            else:
                retrieved = (file, element) in credited
            missing += not retrieved
    return missing


def maep(
    gains: list[float],
    ideal: list[float],
    not_retrieved: int,
    interpolation: Interpolation = "segment",
    unretrieved: Unretrieved = "uncredited",
) -> float:
    """Section 7, MAep: the sum of ep at the gain level of each rank with gain > 0, divided by N."""
    total_gain(ideal)
    at_ranks = [ideal_rank_at(ideal, xcg_at(gains, rank), interpolation) / rank for rank in hits(gains)]
    return sum(at_ranks) / divisor(gains, ideal, not_retrieved, unretrieved)


# --- Section 8: Q and R ------------------------------------------------------------------


def cbg_at(gains: list[float], j: int) -> float:
    """Section 8, cbg(j): the running sum of the gains with bonus."""
    return sum(gain + 1 if gain > 0 else 0.0 for gain in gains[:j])


def q_measure(
    gains: list[float], ideal: list[float], not_retrieved: int, unretrieved: Unretrieved = "uncredited"
) -> float:
    """Section 8, Q (KL equation 11, with cig as in KL footnotes 12 and 13)."""
    total_gain(ideal)
    at_ranks = [cbg_at(gains, j) / (xcg_at(ideal, j) + j) for j in hits(gains)]
    return sum(at_ranks) / divisor(gains, ideal, not_retrieved, unretrieved)


def r_measure(gains: list[float], ideal: list[float]) -> float:
    """Section 8, R (KL equation 12, with the denominator cig(R) + R)."""
    total_gain(ideal)
    count = number_of_ideal(ideal)
    return cbg_at(gains, count) / (xcg_at(ideal, count) + count)
