"""The definitions, once more: literal, slow, over path strings, and without a line of the package.

Every function transcribes one definition of Kazai & Lalmas 2006 (KL) with the choices that the
project made where the paper is silent. It is what the package is checked against.
"""

from __future__ import annotations

QUANT: dict[str, dict[tuple[int, int], float]] = {
    "strict": {  # KL equation 1
        (0, 0): 0, (1, 1): 0, (1, 2): 0, (1, 3): 0, (2, 1): 0,
        (2, 2): 0, (2, 3): 0, (3, 1): 0, (3, 2): 0, (3, 3): 1,
    },
    "gen": {  # KL equation 2
        (0, 0): 0, (1, 1): 0.25, (1, 2): 0.25, (1, 3): 0.5, (2, 1): 0.5,
        (2, 2): 0.5, (2, 3): 0.75, (3, 1): 0.75, (3, 2): 0.75, (3, 3): 1,
    },
    "sog": {  # KL equation 3
        (0, 0): 0, (1, 1): 0.1, (1, 2): 0.25, (1, 3): 0.75, (2, 1): 0.1,
        (2, 2): 0.5, (2, 3): 0.9, (3, 1): 0.25, (3, 2): 0.75, (3, 3): 1,
    },
}  # fmt: skip


def above(path: str) -> list[str]:
    """The proper ancestors of a path, the parent first."""
    found = []
    while path.count("/") > 1:
        path = path.rpartition("/")[0]
        found.append(path)
    return found


def inside(path: str, container: str) -> bool:
    """Whether a path is a container or lies below it."""
    return path == container or path.startswith(container + "/")


def related(one: str, other: str) -> bool:
    """Whether two paths are one, or one lies below the other."""
    return inside(one, other) or inside(other, one)


# KL section 4


def ideal_kazai_lalmas(
    scores: dict[str, float], tie: str = "deeper", keep: str = "shorter"
) -> set[str]:
    """The best element of every relevant path, then without overlap."""
    kept = set()
    for leaf in scores:
        if any(other != leaf and inside(other, leaf) for other in scores):
            continue
        relevant_path = [path for path in [leaf, *above(leaf)] if path in scores]
        best = relevant_path[0]
        for candidate in relevant_path[1:]:  # upwards
            if scores[candidate] > scores[best]:
                best = candidate
            if scores[candidate] == scores[best] and tie == "shallower":
                best = candidate
        if scores[best] > 0:
            kept.add(best)
    if keep == "shorter":
        return {path for path in kept if not any(up in kept for up in above(path))}
    return {path for path in kept if not any(o != path and inside(o, path) for o in kept)}


def ideal_full(scores: dict[str, float]) -> set[str]:
    """Every element that scores."""
    return {path for path, score in scores.items() if score > 0}


# KL section 5.2


def relevance_value(
    path: str,
    seen: list[str],
    sizes: dict[str, int],
    scores: dict[str, float],
    alpha: float,
    partially_seen: str,
) -> float:
    """KL equation 9 for an element, given the earlier results from its document."""
    q = scores.get(path, 0.0)
    if path in seen or any(up in seen for up in above(path)):
        return (1 - alpha) * q
    if not any(inside(earlier, path) for earlier in seen):
        return q
    total = 0.0
    for child in sizes:
        if above(child)[:1] == [path]:
            value = relevance_value(child, seen, sizes, scores, alpha, partially_seen)
            total += value * sizes[child]
    share = total / sizes[path] if sizes[path] else 0.0
    value = alpha * share + (1 - alpha) * q
    return min(value, q) if partially_seen == "capped" else value


def gains(
    ranking: list[tuple[str, str]],
    documents: dict[str, dict[str, int]],
    scores: dict[str, dict[str, float]],
    ideal: dict[str, set[str]],
    alpha: float,
    normalisation: str,
    partially_seen: str,
    near_misses: str,
) -> list[float]:
    """KL equations 8 to 10: what every result gains."""
    gained: list[float] = []
    for i, (file, path) in enumerate(ranking):
        judged, wanted = scores.get(file, {}), ideal.get(file, set())
        earlier = [j for j in range(i) if ranking[j][0] == file]
        seen = [ranking[j][1] for j in earlier]
        value = relevance_value(path, seen, documents[file], judged, alpha, partially_seen)
        if near_misses == "exact" and path not in wanted:
            value = 0.0
        if normalisation == "subtree":
            left = 0.0
            for element in wanted:
                if related(element, path):
                    used = sum(gained[j] for j in earlier if inside(ranking[j][1], element))
                    left += max(0.0, judged[element] - used)
            value = max(0.0, min(value, left))
        gained.append(value if value >= 1e-9 else 0.0)
    return gained


def ideal_gains(scores: dict[str, dict[str, float]], ideal: dict[str, set[str]]) -> list[float]:
    """xI: the scores of the ideal elements in decreasing order."""
    return sorted((scores[file][path] for file in ideal for path in ideal[file]), reverse=True)


# KL section 5.1


def xcg_at(gained: list[float], i: int) -> float:
    """KL equation 4; past the end the sum stays."""
    return sum(gained[:i])


def nxcg_at(gained: list[float], best: list[float], i: int) -> float:
    """KL equation 5."""
    return xcg_at(gained, i) / xcg_at(best, i)


def manxcg_at(gained: list[float], best: list[float], i: int) -> float:
    """KL equation 6."""
    return sum(nxcg_at(gained, best, j) for j in range(1, i + 1)) / i


def gr_at(gained: list[float], best: list[float], i: int) -> float:
    """KL equation 14."""
    return xcg_at(gained, i) / sum(best)


# KL section 5.4


def rank_reaching(curve: list[float], g: float, total: float, interpolation: str) -> float | None:
    """The rank at which a list of gains has cumulated g."""
    for k in range(1, len(curve) + 1):
        reached, before = xcg_at(curve, k), xcg_at(curve, k - 1)
        if reached >= g - 1e-9 * total and reached > 0:
            if interpolation == "segment":
                return (k - 1) + g / reached
            return (k - 1) + (g - before) / (reached - before)
    return None


def ep_at(gained: list[float], best: list[float], r: float, interpolation: str = "segment") -> float:
    """KL equation 13 at a gain-recall point."""
    total = sum(best)
    run = rank_reaching(gained, r * total, total, interpolation)
    ideal = rank_reaching(best, r * total, total, interpolation)
    assert ideal is not None
    return ideal / run if run is not None else 0.0


def imaep(gained: list[float], best: list[float], interpolation: str = "segment") -> float:
    """The mean of ep at ten gain-recall points."""
    return sum(ep_at(gained, best, point / 10, interpolation) for point in range(1, 11)) / 10


def number_averaged(gained: list[float], best: list[float], missed: int, unretrieved: str) -> int:
    """N of MAep and Q."""
    hits = sum(1 for gain in gained if gain > 0)
    return max(hits, len(best)) if unretrieved == "max" else hits + missed


def maep(
    gained: list[float],
    best: list[float],
    missed: int,
    interpolation: str = "segment",
    unretrieved: str = "uncredited",
) -> float:
    """The sum of ep at the natural gain levels of a run, over N."""
    total, summed = sum(best), 0.0
    for rank in range(1, len(gained) + 1):
        if gained[rank - 1] > 0:
            ideal = rank_reaching(best, min(xcg_at(gained, rank), total), total, interpolation)
            assert ideal is not None
            summed += ideal / rank
    return summed / number_averaged(gained, best, missed, unretrieved)


def count_not_retrieved(
    ranking: list[tuple[str, str]],
    gained: list[float],
    ideal: dict[str, set[str]],
    normalisation: str,
) -> int:
    """The ideal elements that no result with gain is related to, or under none is itself."""
    missed = 0
    for file, wanted in ideal.items():
        hits = [p for (f, p), gain in zip(ranking, gained, strict=True) if f == file and gain > 0]
        for element in wanted:
            if normalisation == "subtree":
                missed += not any(related(hit, element) for hit in hits)
            else:
                missed += element not in hits
    return missed


# KL section 5.3


def q_measure(
    gained: list[float], best: list[float], missed: int, unretrieved: str = "uncredited"
) -> float:
    """KL equation 11 as footnotes 12 and 13 apply it."""
    summed = 0.0
    for j in range(1, len(gained) + 1):
        if gained[j - 1] > 0:
            bonus = sum(gain + 1 for gain in gained[:j] if gain > 0)
            summed += bonus / (xcg_at(best, j) + j)
    return summed / number_averaged(gained, best, missed, unretrieved)


def r_measure(gained: list[float], best: list[float]) -> float:
    """KL equation 12 as Table II has it."""
    rank = len(best)
    bonus = sum(gain + 1 for gain in gained[:rank] if gain > 0)
    return bonus / (sum(best) + rank)
