"""An independent implementation of the measures related to XCG, in plain and slow Python.

It was written from the definitions alone, without looking at the package. "Open" marks a decision that the
literature leaves open. In general: a ratio with a denominator of 0 is 0.0; the mean rank of nothing is NaN;
a search length that never ends is infinite; a cutoff after the end of a list uses the whole list; comparisons
with a level allow for EPS.
"""

import math

EPS = 1e-9


def ratio(a, b):
    return a / b if b != 0 else 0.0


# ------------------------------------------------------------------------------------------------ section 4


def precall(ranks, scores, total, x):
    """KL equation 17 at recall x.

    ranks: one list per distinct rank, of scores, or of keys of the mapping `scores` (a missing key scores 0).
    total: n.
    """
    if scores is not None:
        ranks = [[scores.get(key, 0.0) for key in level] for level in ranks]
    need = x * total  # x.n
    if need <= 0:
        return 0.0  # Open: x = 0 or n = 0 gives 0/0 (or no topic); 0 here
    before_rel = 0.0  # sum of quant before the rank
    j = 0.0  # sum of 1 - quant before the rank
    for level in ranks:
        r = sum(level)
        i = sum(1 - q for q in level)
        if before_rel + r >= need - EPS * max(1.0, total):
            s = need - before_rel
            return need / (need + j + s * i / (r + 1))
        before_rel += r
        j += i
    return 0.0  # never reached


def precall_mean(ranks, total):
    return sum(precall(ranks, None, total, k / 100) for k in range(1, 101)) / 100


# ------------------------------------------------------------------------------------------------ section 5


def contains(a, b):
    return a[0] == b[0] and a[1] <= b[1] and b[2] <= a[2]


def overlap(results):
    """The share of results that contain another result or lie inside one.

    Open: a repeated element. The two copies contain each other, so both count.
    """
    if not results:
        return 0.0
    count = 0
    for m, a in enumerate(results):
        others = [b for n, b in enumerate(results) if n != m]
        if any(contains(a, b) or contains(b, a) for b in others):
            count += 1
    return count / len(results)


# ------------------------------------------------------------------------------------------------ section 6


def new_sizes(results):
    """|c'| of every result: its characters that are in no earlier result of the same file."""
    seen = {}
    out = []
    for result in results:
        f, start, end = result[0], result[1], result[2]
        chars = set(range(start, end))
        out.append(len(chars - seen.get(f, set())))
        seen[f] = seen.get(f, set()) | chars
    return out


def ng_recall(results, total_e, k, overlap):
    top = results[:k]
    new = new_sizes(top)
    if overlap:
        # Open: for |c| = 0 the ratio |c'|/|c| is 0/0; it counts as 0
        gained = sum(e * ratio(n, end - start) for (f, start, end, e, s), n in zip(top, new))
    else:
        gained = sum(e for (f, start, end, e, s) in top)
    return ratio(gained, total_e)


def ng_precision(results, k, overlap):
    top = results[:k]
    new = new_sizes(top)
    sizes = new if overlap else [end - start for (f, start, end, e, s) in top]
    return ratio(sum(s * size for (f, start, end, e, s), size in zip(top, sizes)), sum(sizes))


# ------------------------------------------------------------------------------------------------ section 7


def hixeval(results, highlighted, r, alpha):
    """HiXEval: precision, recall and F at rank r.

    Open: a span counts as seen by all its characters, not only the highlighted ones. The three cases then all
    equal rsize - alpha * (highlighted text of c that was retrieved before).
    Open: the sum of sizes includes text that was retrieved before.
    """
    trel = sum(len(chars) for chars in highlighted.values())
    seen = {}
    rvals, sizes = [], []
    for f, start, end in results[:r]:
        chars = set(range(start, end))
        marked = chars & set(highlighted.get(f, ()))
        earlier = seen.get(f, set())
        rsize = len(marked)
        if not (chars & earlier):  # not seen (an empty span is not seen)
            rval = rsize
        elif chars <= earlier:  # fully seen
            rval = (1 - alpha) * rsize
        else:  # partly seen
            rval = rsize - alpha * len(marked & earlier)
        rvals.append(rval)
        sizes.append(len(chars))
        seen[f] = earlier | chars
    p = ratio(sum(rvals), sum(sizes))
    rec = ratio(sum(rvals), trel)
    return p, rec, f_beta(p, rec, 1)


def p_and_r(results, highlighted):
    """Per rank (relevant characters so far, characters so far), text counted once."""
    seen = {}
    size = rsize = 0
    out = []
    for f, start, end in results:
        new = set(range(start, end)) - seen.get(f, set())
        size += len(new)
        rsize += len(new & set(highlighted.get(f, ())))
        seen[f] = seen.get(f, set()) | new
        out.append((rsize, size))
    return out


def ip_points(results, highlighted):
    trel = sum(len(chars) for chars in highlighted.values())
    if trel == 0:
        return [0.0] * 101  # Open: R is 0/0 without highlighted text
    points = []
    for h in range(101):  # x = h/100; R >= x as whole numbers: 100.rsize >= h.Trel
        reached = [ratio(rs, sz) for rs, sz in p_and_r(results, highlighted) if 100 * rs >= h * trel]
        points.append(max(reached) if reached else 0.0)
    return points


def f_beta(p, r, beta):
    return ratio((1 + beta * beta) * p * r, beta * beta * p + r)


# ------------------------------------------------------------------------------------------------ section 8


def sliding_ratio(gains, k):
    best = sorted(gains, reverse=True)
    return ratio(sum(gains[:k]), sum(best[:k]))


def half_life(gains):
    """k - 1 + (half - sum before k) / (gain at k), where k is the first rank that reaches half of the total gain.

    Open: the published examples (3.0, 2.0) fall on whole ranks. They exclude the 'real limits' form (k - .5 + ...),
    but not other interpolations. 'Total relevance' is the total of the given list; for 0 the result is NaN.
    """
    total = sum(gains)
    if total <= 0:
        return math.nan
    half = total / 2
    before = 0.0
    for k, gain in enumerate(gains, start=1):
        if before + gain >= half - EPS * max(1.0, total):
            return (k - 1) + (half - before) / gain
        before += gain
    return math.nan


# ------------------------------------------------------------------------------------------------ section 10


def ap_at(levels, threshold, total):
    """SL equation 2; total = R^t, the number of items with a level >= threshold."""
    hits = 0
    summed = 0.0
    for p, level in enumerate(levels, start=1):
        if level >= threshold:
            hits += 1
            summed += hits / p
    return ratio(summed, total)


def mu_ap(levels, all_levels_present, totals):
    """SL equation 4. totals: dict level -> R^t, or a list parallel to all_levels_present.

    Open: SL defines 'd^t = t if i = 0'. So level 0 has weight 0 (Table 1 agrees: .448; with t = 0 the mean would be
    .558), and the weight of the lowest level above 0 is its distance to 0, whether or not level 0 occurs.
    The caller shifts levels below 0 (SL 3.2). Without a level above 0 the result is 0.0.
    Open: R^t is cumulative (items of level t or above), not the number of items of exactly level t (as in Table 1).
    """
    if not isinstance(totals, dict):
        totals = dict(zip(all_levels_present, totals))
    previous = 0
    top = bottom = 0.0
    for t in sorted(set(all_levels_present)):
        if t <= 0:
            continue
        d = t - previous
        top += ap_at(levels, t, totals[t]) * d
        bottom += d
        previous = t
    return ratio(top, bottom)


def dcg_exp(levels, k, base):
    return sum((2**gain - 1) / math.log(i + 1, base) for i, gain in enumerate(levels[:k], start=1))


def ndcg_exp(levels, ideal, k, base):
    """SL equation 3. `ideal` may have any order. The base cancels in the ratio."""
    return ratio(dcg_exp(levels, k, base), dcg_exp(sorted(ideal, reverse=True), k, base))


def ndcng(levels, ideal, k, base):
    """SL equation 5.

    Open: m_q, 'the highest reachable gain for the query', is the maximum of `ideal`, not the top of the scale;
    both are 4 in SL's Table 2.
    """
    m = max(ideal, default=0)
    if m <= 0:
        return 0.0
    return ndcg_exp([g / m for g in levels], [g / m for g in ideal], k, base)
