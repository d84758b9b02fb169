"""The page predicts the result of each operation as the server computes it."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

from xcg.errors import XcgError
from xcg.judge.editing import OPERATIONS, edit
from xcg.judge.judgement import Judgement
from xcg.judge.judging_page import judgement_record

SCRIPTS = ROOT / "xcg" / "judge" / "static" / "judge"
NODE = shutil.which("node")
RUN = """
import { readFileSync } from "node:fs";
import { edit } from "./editing.js";
import { Text } from "./positions.js";
const results = JSON.parse(readFileSync(0, "utf8")).map(({ text, judgement, change }) => {
  try {
    return edit(judgement, new Text(text), change);
  } catch (error) {
    return error.constructor.name;
  }
});
process.stdout.write(JSON.stringify(results));
"""


def random_change(chosen: random.Random, length: int) -> tuple[str, dict[str, Any]]:
    start = chosen.randrange(length)
    values = {
        "start": start,
        "end": chosen.randrange(start, length) + 1,
        "position": chosen.choice([None, chosen.randrange(length)]),
        "id": chosen.randrange(1, 5),
        "grade": chosen.choice([None, "1", "2"]),
        "finished": chosen.random() < 0.5,
    }
    name = chosen.choice(["add", "add", *OPERATIONS])
    if name == "split":
        values["position"] = chosen.randrange(length)
    return name, {field: values[field] for field in OPERATIONS[name].fields}


def changed_status(judgement: Judgement, chosen: random.Random) -> Judgement:
    """Sometimes make a highlight a moved or a lost one, as a change of the document does."""
    if not judgement.highlights or chosen.random() < 0.9:
        return judgement
    first, *others = judgement.highlights
    if chosen.random() < 0.5 and not first.is_lost:
        return Judgement(highlights=(first._replace(status="moved"), *others))
    return Judgement(highlights=(first._replace(status="lost", start=0, end=0), *others))


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_the_page_changes_judgements_as_the_server_does(tmp_path: Path) -> None:
    chosen = random.Random(25)
    cases, expected = [], []
    for _ in range(400):
        text = "".join(chosen.choices("ab \N{HONEYBEE}\u00a0\n", k=chosen.randrange(1, 15)))
        judgement = Judgement()
        for _ in range(12):
            judgement = changed_status(judgement, chosen)
            name, values = random_change(chosen, len(text))
            if name == "confirm" and judgement.lost:
                continue  # the page does not offer it
            change = {"operation": name, "values": values}
            cases.append({"text": text, "judgement": judgement_record(judgement), "change": change})
            try:
                new = edit(judgement, text, name, values)
                expected.append((judgement_record(new), new == judgement))
                judgement = new
            except XcgError:
                expected.append((None, True))
    for name in ("editing.js", "positions.js"):
        shutil.copy(SCRIPTS / name, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (tmp_path / "run.js").write_text(RUN, encoding="utf-8")
    assert NODE is not None
    command = [NODE, str(tmp_path / "run.js")]
    done = subprocess.run(
        command, input=json.dumps(cases), capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    assert len(answers) == len(cases)
    for case, answer, (wanted, is_same) in zip(cases, answers, expected, strict=True):
        if answer == "EditingError":
            assert is_same, case
        else:
            assert wanted is not None, case
            history = {"can_undo": True, "can_redo": False}
            assert answer == {**wanted, **history}, case
    assert sum(wanted is not None for wanted, _ in expected) > 1000
