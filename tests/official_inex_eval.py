"""A second implementation of inex_eval 3.1, written from the description of the program alone.

It is slow and plain: a passage is a list of characters. It shares no code with xcg.
``evaluate`` returns what the program prints, and raises ``RefusedError`` if the program stops
with an error. Corners marked "not in the description" were added later, from the output of the
program for small files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

UNKNOWN_OFFSET = 18  # characters of a result without an offset
RANKS = (1, 2, 3, 5, 10, 25, 50)
LEVELS = (("0.00", 0), ("0.01", 1), ("0.05", 5), ("0.10", 10))


class RefusedError(Exception):
    """The program prints an error and stops."""


@dataclass
class Options:
    """The options of the command."""

    task: str  # t, f, r, b or i
    irr: int = 300
    n: int = 500
    beta: float = 0.25
    c: bool = False
    q: bool = False

    def words(self) -> list[str]:
        """Return the options as a user types them; values that are the default are omitted."""
        words = [f"-{self.task}"]
        if self.irr != 300:
            words += ["-irr", str(self.irr)]
        if self.n != 500:
            words += ["-n", str(self.n)]
        if self.beta != 0.25:
            words += ["-beta", str(self.beta)]
        return words + ["-c"] * self.c + ["-q"] * self.q


@dataclass
class Judged:
    """The assessment of a document."""

    relevant_size: int = 0
    length: int = 0
    entry_point: int | None = None
    passages: list[tuple[int, int]] = field(default_factory=list)

    def holds(self, character: int) -> bool:
        """Return whether a passage holds the character."""
        return any(offset <= character < offset + length for offset, length in self.passages)

    def relevant_in(self, character: int) -> int:
        """Return how many passages hold the character; none without relevant size."""
        if not self.relevant_size:  # not in the description
            return 0
        return sum(offset <= character < offset + length for offset, length in self.passages)


@dataclass
class Result:
    """One line of a run."""

    document: str
    offset: int | None
    length: int

    def characters(self) -> list[int]:
        """Return the positions of the result's characters; none without an offset."""
        return [] if self.offset is None else list(range(self.offset, self.offset + self.length))


Qrels = dict[str, dict[str, Judged]]
Scores = dict[str, float]


# Files


def number(word: str) -> int:
    """Return a whole number."""
    try:
        return int(word)
    except ValueError:
        raise RefusedError(f"not a number: {word}") from None


def read_qrels(text: str) -> Qrels:
    """Read the assessments."""
    qrels: Qrels = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) < 5:
            raise RefusedError(f"too few fields: {line}")
        size, length = number(words[3]), number(words[4])
        # A document in several lines is not in the description. xcg adds its lines up.
        judged = qrels.setdefault(words[0], {}).setdefault(words[2], Judged())
        judged.relevant_size += size
        judged.length = max(judged.length, length)
        if len(words) > 6:
            entry_point = number(words[5])
            judged.entry_point = entry_point if entry_point != -1 else judged.entry_point
            for passage in words[6:]:
                offset, _, length = passage.partition(":")
                judged.passages.append((number(offset), number(length)))
    return qrels


def read_run(text: str, qrels: Qrels) -> tuple[str, dict[str, list[Result]]]:
    """Read the tag and the results of each assessed topic, in the order of the file."""
    topics: dict[str, list[Result]] = {}
    tag = ""
    for line in text.splitlines():
        words = line.split()
        if len(words) != 8:
            raise RefusedError(f"not eight fields: {line}")
        topic, _, document, _, _, tag_of_line, offset, length = words
        if topic not in qrels:
            continue
        tag = tag_of_line
        if offset in {"X", "-1"}:
            result = Result(document, None, UNKNOWN_OFFSET)
        else:
            result = Result(document, number(offset), number(length))
        topics.setdefault(topic, []).append(result)
    return tag, topics


# Focused and thorough


def harmonic(precision: float, recall: float) -> float:
    """Return F1; 0 if both are 0 or recall is undefined."""
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0


def divide(a: float, b: float) -> float:
    """Divide as Java does."""
    if b == 0:
        return math.nan if a == 0 else math.inf
    return a / b


def counts(results: list[Result], judged: dict[str, Judged]) -> Scores:
    """Return the numbers of different documents and the relevant size of the topic."""
    documents = {result.document for result in results}
    return {
        "num_ret": len(documents),
        "num_rel": sum(line.relevant_size > 0 for line in judged.values()),
        "num_rel_ret": sum(name in judged and judged[name].relevant_size > 0 for name in documents),
        "ret_size": 0,
        "rel_size": sum(line.relevant_size for line in judged.values()),
        "rel_ret_size": 0,
    }


def overlap(a: Result, b: Result) -> bool:
    """Return whether two results with offsets overlap; an empty one does inside the other."""
    if a.offset is None or b.offset is None:
        return False  # not in the description
    return a.offset < b.offset + b.length and b.offset < a.offset + a.length


def check_no_overlap(results: list[Result]) -> None:
    """Refuse results that overlap an earlier one; the description says this only of -f."""
    for index, result in enumerate(results):
        for earlier in results[:index]:
            if result.document == earlier.document and overlap(result, earlier):
                raise RefusedError(f"overlap in {result.document}")


def focused(
    results: list[Result], judged: dict[str, Judged], thorough: bool
) -> tuple[Scores, list[float]]:
    """Return the values of a topic in the order in which they are printed, and the 101 points."""
    scores = counts(results, judged)
    size = scores["rel_size"]
    returned = relevant = 0
    seen: set[tuple[str, int]] = set()
    points = [0.0] * 101
    for result in results:
        line = judged.get(result.document, Judged())
        if result.offset is None:
            if not (thorough and line.relevant_size > 0):  # not in the description
                returned += result.length
        elif line.relevant_size > 0:
            for character in result.characters():
                if (result.document, character) not in seen:
                    seen.add((result.document, character))
                    returned += 1
                    relevant += line.relevant_in(character)
        else:
            returned += result.length
            relevant += sum(map(line.relevant_in, result.characters()))
        precision = relevant / returned if returned else 0.0
        recall = divide(relevant, size)
        if math.isnan(recall):
            point = 0
        elif math.isinf(recall):
            continue
        else:
            point = math.floor(100 * recall)
        if point <= 100:
            points[point] = max(points[point], precision)
    for point in range(99, -1, -1):
        points[point] = max(points[point], points[point + 1])
    scores["ret_size"] = returned
    scores["rel_ret_size"] = relevant
    for name, retrieved, found, all_relevant in (
        ("art", scores["num_ret"], scores["num_rel_ret"], scores["num_rel"]),
        ("char", returned, relevant, size),
    ):
        precision = found / retrieved if retrieved else 0.0
        recall = divide(found, all_relevant)
        scores |= {
            f"{name}_prec": precision,
            f"{name}_rec": recall,
            f"{name}_f1": harmonic(precision, recall),
        }
    for label, point in LEVELS:
        scores[f"iP[{label}]"] = points[point]
    total = 0.0
    for value in points:
        total += value
    scores["AiP"] = total / 101
    return scores, points


# In context


def documents_of(results: list[Result], task: str) -> dict[str, list[Result]]:
    """Return the results of each document, in rank order."""
    documents: dict[str, list[Result]] = {}
    last = None
    for result in results:
        if result.document in documents and (result.document != last or task == "b"):
            raise RefusedError(f"{result.document} comes again")
        documents.setdefault(result.document, []).append(result)
        last = result.document
    return documents


def relevant_in_context(results: list[Result], line: Judged, beta: float) -> float:
    """Return F of the text that the results hold."""
    returned = sum(result.length for result in results)
    relevant = sum(
        line.relevant_in(character) for result in results for character in result.characters()
    )
    if not returned or not relevant or not line.relevant_size:
        return 0.0
    precision = relevant / returned
    recall = relevant / line.relevant_size
    return (1 + beta * beta) * precision * recall / (beta * beta * precision + recall)


def best_in_context(results: list[Result], line: Judged, n: int) -> float:
    """Return the nearness of the one result to the best entry point."""
    (result,) = results
    if line.entry_point is None or line.relevant_size <= 0 or result.offset is None:
        return 0.0
    distance = abs(result.offset - line.entry_point)
    return (n - distance) / n if distance <= n else 0.0


def reading_order(results: list[Result], length: int) -> Iterator[int]:
    """Yield the characters in the order in which they are read.

    The text before the first result is read too, and results without offset are not. Results after the
    end make the document longer. None of this is in the description.
    """
    read: set[int] = set()
    for result in sorted(results, key=lambda result: result.offset or 0):
        for character in result.characters():
            if character not in read:
                read.add(character)
                yield character
    ends = [result.offset + result.length for result in results if result.offset is not None]
    for character in range(max([length, *ends])):
        if character not in read:
            yield character


def tolerance(results: list[Result], line: Judged, irr: int) -> float:
    """Return the part of the text read that is relevant; text in two passages counts once here."""
    relevant = irrelevant = 0
    for character in reading_order(results, line.length):
        if irrelevant == irr:
            break
        if line.holds(character):
            relevant += 1
        else:
            irrelevant += 1
    return relevant / (relevant + irrelevant) if relevant else 0.0


def in_context(
    results: list[Result], judged: dict[str, Judged], options: Options
) -> tuple[Scores, list[float]]:
    """Return the values of a topic in the order in which they are printed, and the eleven points."""
    scores = counts(results, judged)
    total = average = 0.0
    found = 0
    precisions: list[float] = []
    recalls: list[float] = []
    points = [0.0] * 11
    for rank, (document, own) in enumerate(documents_of(results, options.task).items(), 1):
        line = judged.get(document)
        if line is None:
            score = 0.0
        elif options.task == "r":
            score = relevant_in_context(own, line, options.beta)
        elif options.task == "b":
            score = best_in_context(own, line, options.n)
        else:
            score = tolerance(own, line, options.irr)
        total += score
        precisions.append(total / rank)
        if line is not None and line.relevant_size > 0:
            found += 1
            average += precisions[-1]
        recalls.append(divide(found, scores["num_rel"]))
        point = 0 if math.isnan(recalls[-1]) else math.floor(10 * recalls[-1])
        points[point] = max(points[point], precisions[-1])
        if options.task == "b":  # a result is a position; not in the description
            continue
        for result in own:
            scores["ret_size"] += result.length
            scores["rel_ret_size"] += sum(map(line.relevant_in, result.characters())) if line else 0
    for point in range(9, -1, -1):
        points[point] = max(points[point], points[point + 1])
    for k in RANKS:
        last = min(k, len(precisions)) - 1
        scores[f"gP[{k}]"] = precisions[last] if precisions else 0.0
        scores[f"gR[{k}]"] = recalls[last] if recalls else 0.0
    scores["AgP"] = divide(average, scores["num_rel"])
    return scores, points


# Output


def java(value: float) -> str:
    """Print a number as Java does."""
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0.0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    point = len(whole) + int(exponent or 0)  # number of digits before the decimal point
    point -= len(digits) - len(digits.lstrip("0"))
    digits = digits.strip("0")
    if 1e-3 <= abs(value) < 1e7:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        return f"{sign}{digits[:point].ljust(point, '0')}.{digits[point:] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{point - 1}"


def row(name: str, topic: str, value: float) -> str:
    """Return one line of the output."""
    tabs = "\t\t" if len(name) < 8 else "\t"  # to the next tab stop
    return f"{name}{tabs}{topic}\t{java(value)}\n"


def evaluate_run(qrels: Qrels, run: str, file: str, options: Options) -> str:
    """Return the block of one run."""
    tag, results = read_run(run, qrels)
    topics: dict[str, tuple[Scores, list[float]]] = {}
    for name in sorted(qrels):
        answers = results.get(name, [])
        if options.task != "t":
            check_no_overlap(answers)
        if options.task in "ft":
            topics[name] = focused(answers, qrels[name], options.task == "t")
        else:
            topics[name] = in_context(answers, qrels[name], options)

    names = [name for name in topics if options.c or name in results]

    def mean(values: list[float]) -> float:
        total = 0.0
        for value in values:
            total += value
        return divide(total, len(values))

    output = f'<eval run-id="{tag}" file="{file}">\n'
    if options.q:
        for name in names:
            output += "".join(row(label, name, value) for label, value in topics[name][0].items())
    output += row("num_q", "all", len(names))
    labels = list(focused([], {}, False)[0] if options.task in "ft" else in_context([], {}, options)[0])
    if options.task not in "ft":  # in context, the mean is printed before the values at ranks
        labels.insert(6, labels.pop())
    for label in labels:
        values = [topics[name][0][label] for name in names]
        if label in labels[:6]:
            if options.task not in "ft":  # over all topics even without -c; not in the description
                values = [scores[label] for scores, _ in topics.values()]
            output += row(label, "all", int(sum(values)))
        else:
            output += row({"AiP": "MAiP", "AgP": "MAgP"}.get(label, label), "all", mean(values))
    count = 101 if options.task in "ft" else 11
    for point in range(count):
        label = f"ircl_prn.{point / (count - 1):.2f}"
        output += row(label, "all", mean([topics[name][1][point] for name in names]))
    return output + "</eval>\n"


def evaluate(qrels: str, runs: dict[str, str], options: Options) -> str:
    """Return the output for the text of the qrels, and the texts of the runs by file name."""
    judged = read_qrels(qrels)
    return "".join(evaluate_run(judged, text, file, options) for file, text in runs.items())
