"""Random files and options for inex_eval: most are legal for their task, many are unusual."""

from __future__ import annotations

import random
from dataclasses import dataclass

from official_inex_eval import Options

DOCUMENTS = ("12", "345", "6789", "29583", "1004", "d#1", "a.xml")
TOPICS = ("2009001", "2009115", "2010003", "9", "10", "-7")
UNASSESSED = "2010999"

Interval = tuple[int, int]  # offset and length


@dataclass
class Campaign:
    """The text of the files by name, and the options."""

    qrels: str
    runs: dict[str, str]
    options: Options


def random_campaign(seed: int) -> Campaign:
    """Return the campaign of the seed."""
    generator = Generator(random.Random(seed))
    return generator.campaign()


class Generator:
    """Draws the parts of a campaign."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.lengths = {name: draw.choice([40, 120, 600, 2000]) for name in DOCUMENTS}

    def chance(self, probability: float) -> bool:
        return self.draw.random() < probability

    def campaign(self) -> Campaign:
        draw = self.draw
        options = Options(
            draw.choice("ftrbi"),
            irr=draw.choice([300, 300, 1, 7, 50, 1000]),
            n=draw.choice([500, 500, 1, 10, 1000]),
            beta=draw.choice([0.25, 0.25, 1.0, 0.5, 2.0]),
            c=self.chance(0.4),
            q=self.chance(0.6),
        )
        topics = draw.sample(TOPICS, draw.randint(1, 4))
        qrels = self.qrels(topics)
        runs = {
            f"run{number}": self.run(topics, options.task, f"tag{number}")
            for number in range(draw.choice([1, 1, 2, 3]))
        }
        return Campaign(qrels, runs, options)

    def text(self, rows: list[list[object]]) -> str:
        """Return the lines of a file; fields are sometimes separated by tabs or many spaces."""
        ending = "\r\n" if self.chance(0.2) else "\n"
        separator = self.draw.choice([" ", " ", " ", "\t", "  "])
        lines = [separator.join(map(str, row)) for row in rows]
        return "".join(line + ending for line in lines)

    # Assessments

    def qrels(self, topics: list[str]) -> str:
        rows = []
        for topic in topics:
            irrelevant = self.chance(0.08)
            for document in self.draw.sample(DOCUMENTS, self.draw.randint(1, len(DOCUMENTS))):
                rows.append([topic, "Q0", document, *self.judgement(document, irrelevant)])
                if self.chance(0.02):  # a document in two lines
                    rows.append([topic, "Q0", document, *self.judgement(document, irrelevant)])
        if self.chance(0.2):
            self.draw.shuffle(rows)
        return self.text(rows)

    def judgement(self, document: str, irrelevant: bool) -> list[object]:
        """Return the relevant size and the fields after it."""
        draw, length = self.draw, self.lengths[document]
        if irrelevant or self.chance(0.25):
            return [0, length, *draw.choice([[], [], [-1], [5], [-1, "8:0"]])]
        if self.chance(0.04):
            return [draw.choice([1, 30]), length, *draw.choice([[], [3]])]  # relevant, without passages
        passages = self.intervals(length, draw.randint(1, 3))
        if self.chance(0.2):
            passages.append(self.interval(length))  # overlaps perhaps
        if self.chance(0.1):
            passages.append((draw.randrange(length), 0))
        if self.chance(0.2):
            draw.shuffle(passages)
        size = sum(length for _, length in passages)
        if self.chance(0.1):
            size = max(0, size + draw.choice([-size, -7, -1, 1, 100]))
        if self.chance(0.1):
            length = draw.choice([length // 2, length * 3, 10**9])
        entry_point = draw.choice([passages[0][0], passages[0][0], draw.randrange(length), -1])
        return [size, length, entry_point, *(f"{offset}:{size}" for offset, size in passages)]

    def interval(self, length: int) -> Interval:
        first, last = sorted(self.draw.choices(range(length + 1), k=2))
        return first, last - first

    def intervals(self, length: int, count: int) -> list[Interval]:
        """Return intervals that do not overlap and are not empty, in order of text."""
        points = sorted(self.draw.sample(range(length + 1), 2 * count))
        return [(first, last - first) for first, last in zip(points[::2], points[1::2], strict=True)]

    # Runs

    def run(self, topics: list[str], task: str, tag: str) -> str:
        draw = self.draw
        answered = [topic for topic in topics if self.chance(0.8)]
        if not answered or self.chance(0.2):
            answered.append(UNASSESSED)
        draw.shuffle(answered)
        rows: list[list[object]] = []
        for topic in answered:
            for document, offset, length in self.ranking(task):
                rank = draw.choice([1, len(rows) + 1, "first"])
                score = draw.choice([0, 1.5, -3, "NaN", "high"])
                name = tag if self.chance(0.98) else "other"
                rows.append([topic, "Q0", document, rank, score, name, offset, length])
        if self.chance(0.1):  # the results of a topic stay in their order
            order = draw.sample([row[0] for row in rows], len(rows))
            of_topic = {topic: [row for row in rows if row[0] == topic] for topic in answered}
            rows = [of_topic[topic].pop(0) for topic in order]
        if self.chance(0.02):
            draw.choice(rows).append(draw.choice([1, "x"]))
        elif self.chance(0.02):
            draw.choice(rows).pop()
        return self.text(rows)

    def ranking(self, task: str) -> list[tuple[str, object, object]]:
        """Return the document, offset and length of each result."""
        draw = self.draw
        documents = draw.sample([*DOCUMENTS, "unjudged"], draw.randint(1, len(DOCUMENTS) + 1))
        results = [
            (document, offset, length)
            for document in documents
            for offset, length in self.results_of(document, task)
        ]
        if task in "ft" and self.chance(0.7):
            draw.shuffle(results)
        if self.chance({"f": 0.05, "t": 0.5, "r": 0.05, "b": 0.05, "i": 0.05}[task]):
            results.append(draw.choice(results))  # one more result of a document: legal for -t only
        if task == "t" and self.chance(0.4):
            results += [
                (document, *self.interval(self.lengths.get(document, 300))) for document in documents
            ]
        return results

    def results_of(self, document: str, task: str) -> list[tuple[object, object]]:
        """Return the offset and length of the document's results."""
        draw, length = self.draw, self.lengths.get(document, 300)
        results: list[tuple[object, object]] = list(
            self.intervals(length, 1 if task == "b" else draw.randint(1, 3))
        )
        if self.chance(0.5):
            draw.shuffle(results)
        if task in "ri" and self.chance(0.02):
            results.append(self.interval(length))  # overlaps perhaps, which is refused
        if self.chance(0.08):
            results[-1] = (draw.choice(["X", "-1"]), draw.choice([0, 5, 18, "X"]))
        if self.chance(0.08):
            results[0] = (results[0][0], 0)
        if self.chance(0.04):
            results[0] = (
                draw.choice([length - 1, length + 50, 2_000_000_000]),
                draw.choice([0, 1, 700]),
            )
        return results
