"""Nuggets of highlights: chosen from the list of the topic, kept by changes, exported and imported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from judge_campaign import ANNA, CONFIG, Browser, change, opened_workspace, write_campaign
from judge_examples import judged

from xcg.documents.corpus import Corpus
from xcg.errors import InputError
from xcg.formats.base import read_assessments
from xcg.judge.access import api_path
from xcg.judge.agreement import gold
from xcg.judge.editing import edit, new_judgement
from xcg.judge.exchange import export, import_assessments, write_export
from xcg.judge.judgement import Judgement, from_json, to_json
from xcg.judge.settings import SCHEMES
from xcg.judge.store import Store

TEXT = "Bees dance. Ants walk. Wasps sting."
CORPUS = Corpus.of({"bees": TEXT})
API = api_path(ANNA, "1", "bees")


def nuggets(judgement: Judgement) -> list[tuple[int, int, str | None]]:
    return [(one.start, one.end, one.nugget) for one in judgement.highlights]


def test_changes_of_a_highlight_keep_its_nugget() -> None:
    found = new_judgement(TEXT, [(0, 22, "2")], False)
    found = edit(found, TEXT, "nugget", {"id": 1, "nugget": "dance"})
    assert from_json(to_json(found), TEXT) == found
    found = edit(found, TEXT, "resize", {"id": 1, "start": 0, "end": 34})
    found = edit(found, TEXT, "erase", {"start": 11, "end": 12})
    found = edit(found, TEXT, "erase", {"start": 22, "end": 29})
    assert nuggets(found) == [(0, 11, "dance"), (12, 22, "dance"), (29, 34, "dance")]
    found = edit(found, TEXT, "nugget", {"id": 1, "nugget": None})
    found = edit(found, TEXT, "add", {"start": 5, "end": 14, "grade": "2"})
    assert nuggets(found) == [(0, 22, None), (29, 34, "dance")]  # that of the first


def test_exports_hold_nuggets_or_name_the_loss(tmp_path: Path) -> None:
    one = judged("anna", "bees", TEXT)
    marks = [(0, 11, "2", "dance"), (12, 22, "1", "walk"), (23, 34, "1")]
    one = one._replace(judgement=new_judgement(TEXT, marks, True))
    found = export([one], CORPUS, SCHEMES["inex-2004"])
    write_export(tmp_path / "out", found)
    passages = tmp_path / "out/anna/passages.jsonl"
    records = [json.loads(line) for line in passages.read_text().splitlines()]
    assert [(r["start"], r["exhaustivity"], r.get("nugget"), r["exact"]) for r in records] == [
        (0, 2, "dance", "Bees dance."),
        (12, 1, "walk", "Ants walk."),
        (23, 1, None, "Wasps sting"),
    ]
    assert read_assessments(passages).nuggets["1"]["bees", (12, 22)] == {"walk": 1}
    assert found.notes == ["anna/inex-2004: without nuggets"]
    with Store(tmp_path / "new.sqlite", CORPUS) as store:
        import_assessments(passages, store, "ben", CORPUS, SCHEMES["inex-2004"], ["1"])
        assert nuggets(store.judgement("ben", "1", "bees")) == nuggets(one.judgement)
    other = one._replace(assessor="ben")
    assert gold([one, other], "union", CORPUS, {})[1] == [
        "documents that several have finished, without their nuggets: bees (topic 1)"
    ]


def test_the_page_offers_the_nuggets_of_the_topic(tmp_path: Path) -> None:
    config = f"{CONFIG.rstrip()}\n  nuggets: {{1: [dance, sting]}}\n"
    with opened_workspace(write_campaign(tmp_path, config)) as workspace:
        browser = Browser(workspace)
        assert '"nuggets": ["dance", "sting"]' in browser.get(API.replace("/api", "")).text
        browser.post(API, change(0, "add", start=0, end=10, grade="2"))
        answer = browser.post(API, change(1, "nugget", id=1, nugget="danse"))
        assert answer.status_code == 400
        assert "unknown nugget 'danse': did you mean 'dance'?" in answer.text
        answer = browser.post(API, change(1, "nugget", id=1, nugget="dance"))
        assert [one["nugget"] for one in answer.json()["highlights"]] == ["dance"]


def test_nuggets_of_unknown_topics_are_errors(tmp_path: Path) -> None:
    config = f"{CONFIG.rstrip()}\n  nuggets: {{one: [dance]}}\n"
    with (
        pytest.raises(InputError, match=r"judge.nuggets: unknown topic 'one'"),
        opened_workspace(write_campaign(tmp_path, config)),
    ):
        pass
