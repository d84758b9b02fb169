"""Check that a campaign has the same scores in every file format, and that lost fields are noticed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import pandas

import xcg
from xcg.errors import XcgError
from xcg.integrations.pandas import run_from_frame

MEASURES = "nxCG@2 nxCG@5 MAep xAP"
Scores = dict[tuple[str, str], float | None]
Write = Callable[[str, list["Result"], random.Random], str]


class Result(NamedTuple):
    """A result of a run, with distinct scores in each topic."""

    doc: str
    path: str
    rank: int
    score: float


class Case(NamedTuple):
    """A random campaign: documents, topic → document → path → (e, s), topic → results."""

    documents: dict[str, str]
    gold: dict[str, dict[str, dict[str, tuple[int, int]]]]
    run: dict[str, list[Result]]


def case_of(chance: random.Random) -> Case:
    """Return a random campaign."""
    documents, elements = {}, []
    for doc in chance.sample(["d", "é", "a7", "x.y"], 3):
        paragraphs = [chance.choice(["one", "two é", "three words here"]) for _ in range(4)]
        documents[doc] = f"<a>{''.join(f'<p>{text}</p>' for text in paragraphs)}</a>"
        elements += [(doc, "/a[1]"), *((doc, f"/a[1]/p[{n}]") for n in range(1, 5))]
    gold: dict[str, dict[str, dict[str, tuple[int, int]]]] = {}
    run = {}
    for topic in ("1", "t2"):
        gold[topic] = {}
        for doc, path in chance.sample([e for e in elements if e[1] != "/a[1]"], 5):
            gold[topic].setdefault(doc, {})[path] = (chance.randint(1, 3), 3)
        drawn = chance.sample(elements, chance.randint(2, 8))
        scores = sorted(chance.sample(range(1, 1000), len(drawn)), reverse=True)
        run[topic] = [
            Result(*e, r, s / 8) for r, (e, s) in enumerate(zip(drawn, scores, strict=True), 1)
        ]
    return Case(documents, gold, run)


LEFT_OUT = ("rank", "score", "")
"""The fields that a run may lack in all results of a topic."""


def json_lines(topic: str, results: list[Result], chance: random.Random) -> str:
    """Write results as JSON Lines, in any order, with ranks, scores or both."""
    left_out = chance.choice(LEFT_OUT)
    records = [{"topic": topic, **result._asdict()} for result in chance.sample(results, len(results))]
    return "".join(
        json.dumps({k: v for k, v in one.items() if k != left_out}, ensure_ascii=chance.random() < 0.5)
        + "\n"
        for one in records
    )


def trec(topic: str, results: list[Result], chance: random.Random) -> str:
    """Write results in the format of TREC."""
    return "".join(
        f"{topic} Q0 {r.doc}#{r.path} {r.rank} {r.score} run\n"
        for r in chance.sample(results, len(results))
    )


def inex(topic: str, results: list[Result], chance: random.Random) -> str:
    """Write results as a topic of an INEX submission, in any order, with ranks, scores or both."""
    left_out = chance.choice(LEFT_OUT)
    keys = {"rank": "<rank>{0.rank}</rank>\n", "score": "<rsv>{0.score}</rsv>\n"}
    stated = "".join(text for key, text in keys.items() if key != left_out)
    found = "".join(
        f"<result>\n<file>{escape(r.doc)}</file>\n<path>{r.path}</path>\n{stated.format(r)}</result>\n"
        for r in chance.sample(results, len(results))
    )
    return f'<topic topic-id="{topic}">\n{found}</topic>\n'


FORMS: dict[str, tuple[Write, str, str]] = {
    "run.jsonl": (json_lines, "", ""),
    "run.trec": (trec, "", ""),
    "run.xml": (inex, '<inex-submission run-id="run">\n', "</inex-submission>\n"),
}
ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "UTF-8": str.encode,
    "UTF-8 with mark": lambda text: text.encode("utf-8-sig"),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
}


def text_of(case: Case, form: str, chance: random.Random) -> str:
    """Return the run of a case in a form."""
    write, begin, end = FORMS[form]
    return begin + "".join(write(topic, found, chance) for topic, found in case.run.items()) + end


def gold_of(case: Case, form: str) -> dict[str, str]:
    """Return the files of the assessments of a case: INEX XML for INEX runs, else JSON Lines."""
    if form != "run.xml":
        fields = ("topic", "doc", "path", "exhaustivity", "specificity")
        records = (
            (topic, doc, path, *pair)
            for topic, documents in case.gold.items()
            for doc, paths in documents.items()
            for path, pair in paths.items()
        )
        lines = (json.dumps(dict(zip(fields, record, strict=True))) + "\n" for record in records)
        return {"gold.jsonl": "".join(lines)}
    files = {}
    for topic, documents in case.gold.items():
        text = f'<assessments topic="{topic}">\n'
        for doc, paths in documents.items():
            text += f'<file file="{escape(doc)}">\n'
            for path, (e, s) in paths.items():
                text += f'<path path="{path}" exhaustiveness="{e}" specificity="{s}"/>\n'
            text += "</file>\n"
        files[f"{topic}.xml"] = f"{text}</assessments>\n"
    return files


def scores_of(case: Case, run: Any, gold: Any = None) -> tuple[Scores, list[str]]:
    """Return the score of each topic and measure, and the notes."""
    found = xcg.evaluate(gold or case.gold, run, case.documents, "kazai-lalmas-2006-gen", MEASURES)
    return {(row.topic, row.measure): row.value for row in found}, list(found.notes)


def without_a_field(text: str, form: str, chance: random.Random) -> str:
    """Return a run without one field of one result or topic."""
    lines = text.split("\n")[:-1]
    number = chance.randrange(len(lines))
    if form == "run.xml":
        fields = [
            n for n, line in enumerate(lines) if line.startswith(("<file", "<path", "<ra", "<rs"))
        ]
        number = chance.choice(fields)
        del lines[number]
    elif form == "run.trec":
        words = lines[number].split(" ")
        del words[chance.randrange(len(words))]
        lines[number] = " ".join(words)
    else:
        row = json.loads(lines[number])
        del row[chance.choice(sorted(row))]
        lines[number] = json.dumps(row)
    return "\n".join([*lines, ""])


def in_memory(case: Case, chance: random.Random) -> dict[str, Any]:
    """Return the run of a case in further forms of Python, with its results in any order."""
    rows = [{"topic": t, **r._asdict()} for t, found in case.run.items() for r in found]
    mixed = chance.sample(rows, len(rows))
    scores: dict[str, dict[tuple[Any, Any], float]] = {topic: {} for topic in case.run}
    for row in mixed:
        scores[str(row["topic"])][row["doc"], row["path"]] = row["score"]
    return {
        "result → score": scores,
        "a data frame": run_from_frame(pandas.DataFrame(mixed)),
        "a data frame of ranks": run_from_frame(pandas.DataFrame(mixed).drop(columns="score")),
    }


def damaged_frame(case: Case, chance: random.Random) -> pandas.DataFrame:
    """Return the run of a case as a data frame without one value."""
    rows = [{"topic": t, **r._asdict()} for t, found in case.run.items() for r in found]
    row = chance.choice(rows)
    row[chance.choice(sorted(row))] = None
    return pandas.DataFrame(rows)


def findings(folder: Path, number: int, seed: int) -> Iterator[str]:
    """Yield what is wrong in a random campaign.

    Args:
        folder: A folder for its files.
        number: Number of the campaign.
        seed: Seed of all campaigns.
    """
    chance = random.Random(f"{seed}-{number}")
    case = case_of(chance)
    lists = {topic: [(r.doc, r.path) for r in found] for topic, found in case.run.items()}
    expected, notes = scores_of(case, {"run": lists})
    for form, run in in_memory(case, chance).items():
        if scores_of(case, {"run": run})[0] != expected:
            yield f"campaign {number}, seed {seed}: other scores as {form}: {run}"
    with suppress(XcgError):
        frame = damaged_frame(case, chance)
        scores, new_notes = scores_of(case, {"run": run_from_frame(frame)})
        if scores != expected and new_notes == notes:
            yield f"campaign {number}, seed {seed}: other scores without a note: {frame}"
    for form in FORMS:
        text = text_of(case, form, chance)
        path = folder / form
        for encoding, encode in ENCODINGS.items():
            path.write_bytes(encode(text))
            gold = {folder / name: content for name, content in gold_of(case, form).items()}
            for file, content in gold.items():
                file.write_bytes(encode(content))
            if scores_of(case, path, list(gold))[0] != expected:
                yield f"campaign {number}, seed {seed}: other scores as {form}, {encoding}: {text}"
        damaged = without_a_field(text, form, chance)
        path.write_text(damaged, encoding="utf-8")
        try:
            scores, new_notes = scores_of(case, path)
        except XcgError:
            continue
        if scores != expected and new_notes == notes:
            yield f"campaign {number}, seed {seed}: other scores without a note: {damaged}"
