"""A random campaign as qrels and runs of ir_measures, and as the dicts of xcg."""

from __future__ import annotations

import random
from collections import namedtuple
from typing import Any

from ir_measures import ScoredDoc

from xcg import Assessment

Sized = namedtuple("Sized", "query_id doc_id relevance characters")
GradedSized = namedtuple("GradedSized", "query_id doc_id relevance exhaustivity specificity characters")

SIZES = {
    "/a[1]": 900,
    "/a[1]/s[1]": 300,
    "/a[1]/s[2]": 210,
    "/a[1]/s[2]/p[1]": 90,
    "/a[1]/s[2]/p[2]": 110,
    "/a[1]/s[3]": 300,
}
PAIRS = [(0, 0), (0, 0), (1, 1), (1, 3), (2, 1), (2, 2), (3, 1), (3, 3)]


def campaign(seed: int, *, pairs: bool) -> tuple[list[Any], list[ScoredDoc]]:
    """Return qrels and a run with ties, overlap, unjudged results and unanswered topics."""
    generator = random.Random(seed)
    qrels: list[Any] = []
    run = []
    for topic in map(str, range(1, 11)):
        files = generator.sample(["d1", "d2", "d3", "d4"], 3)
        elements = [(f"{file}#{path}", size) for file in files for path, size in SIZES.items()]
        judged = [*elements, ("e1", 80), ("e2", 70)]
        for name, size in judged:
            pair = generator.choice(PAIRS) if topic != "7" else (0, 0)
            if pairs:
                qrels.append(GradedSized(topic, name, pair[0], *pair, size))
            else:
                level = pair[0] if pair[0] or topic == "7" else -1
                qrels.append(Sized(topic, name, level, size))
        if topic == "4":
            continue
        unjudged = ["e3", "d5#/a[1]", f"{files[0]}#/a[1]/s[9]"]
        for name in generator.sample([*(name for name, _ in judged), *unjudged], 15):
            run.append(ScoredDoc(topic, name, generator.choice([0.5, 1.0, 1.0, 1.25, 7.0])))
    run.append(ScoredDoc("unjudged", "d1", 1.0))
    generator.shuffle(run)
    return qrels, run


def as_xcg(qrels: list[Any], run: list[ScoredDoc]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the same as dicts for xcg.evaluate, without the code of the provider."""
    base: dict[str, Any] = {}
    for qrel in qrels:
        file, _, path = qrel.doc_id.partition("#")
        if hasattr(qrel, "specificity"):
            grade = Assessment(qrel.exhaustivity, qrel.specificity, qrel.characters)
        else:
            grade = Assessment(qrel.relevance, 1.0, qrel.characters, "level")
        base.setdefault(qrel.query_id, {}).setdefault(file, {})[path or "/"] = grade
    ranked: dict[str, Any] = {}
    for topic, name, score in run:
        ranked.setdefault(topic, {})[name] = score
    return base, ranked
