"""JSON Lines with runs and with assessments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from format_examples import steps, write

from xcg.errors import InputError, Notes
from xcg.formats.base import read_assessments, read_run

RUN = (
    '{"topic": "1", "doc": "f.xml", "path": "/a", "score": 1}\n\n'
    '{"topic": 1, "doc": "f", "path": "/b", "score": 2.5}\n'
    '{"topic": "2", "doc": "f", "path": "/c", "rank": 2, "score": 9}\n'
    '{"topic": "2", "doc": "f", "path": "/d", "rank": 1, "score": 1}\n'
    '{"topic": "3", "doc": "f", "path": "/c", "rank": 2}\n'
    '{"topic": "3", "doc": "f", "path": "/d"}\n'
)
PASSAGE = '{"topic": "1", "doc": "f", "start": 4, "end": 8'


def test_results_are_ordered_by_rank_or_score_or_as_written(tmp_path: Path) -> None:
    notes = Notes()
    run = read_run(write(tmp_path, RUN, "bm25.v2.jsonl"), notes)
    assert [(kind, count) for kind, count, _ in notes.oddities()] == [
        ("topics in which ranks and scores contradict each other", 1),
        ("topics with a rank of some results only", 1),
    ]
    assert "topic 3: 1 of 2 results have no rank, so it does not order them" in notes.lines()[1]
    assert run.name == "bm25"
    assert [steps(run, topic) for topic in "123"] == ["b a", "d c", "c d"]
    assert list(run.rankings["1"].files) == ["f", "f"]


def test_passages_state_their_parents(tmp_path: Path) -> None:
    text = (
        f'{PASSAGE}, "score": 1, "parent": {{"start": 0, "end": 10}}}}\n'
        f'{PASSAGE}, "score": 2, "parent": null}}\n{PASSAGE}, "score": 3}}\n'
        '{"topic": "2", "doc": "f", "path": "/a"}\n'
    )
    run = read_run(write(tmp_path, text, "r.jsonl"))
    assert run.rankings["1"].parents == {2: (0, 10)}
    assert run.rankings["2"].parents == {}
    path = tmp_path / "written.jsonl"
    assert run.write(path, "jsonl") == ["the run's name (the name of the file is used instead)"]
    assert path.read_text().count('"parent": null') == 2
    again = read_run(path)
    assert {topic: ranking.parents for topic, ranking in again.rankings.items()} == {
        "1": {2: (0, 10)},
        "2": {},
    }
    for other_format in ("trec", "inex"):
        assert "the parents of passages" in run.to_text(other_format)[1]


@pytest.mark.parametrize(("parent", "stated"), [("", None), (', "parent": null', {})])
def test_a_run_without_the_key_parent_states_no_parents(
    tmp_path: Path, parent: str, stated: dict[int, tuple[int, int]] | None
) -> None:
    run = read_run(write(tmp_path, f"{PASSAGE}}}\n{PASSAGE}{parent}}}\n", "r.jsonl"))
    assert run.rankings["1"].parents == stated
    assert ('"parent": null' in run.to_text("jsonl")[0]) == (stated is not None)
    assert "the parents of passages" not in run.to_text("trec")[1]


@pytest.mark.parametrize(("grades", "count"), [("1 1", 0), ("- -", 0), ("1 -", 1), ("- 1", 1)])
def test_a_missing_grade_among_others_is_noted(tmp_path: Path, grades: str, count: int) -> None:
    lines = [
        {"topic": "1", "doc": "d", "start": start, "end": start + 1}
        | ({} if grade == "-" else {"level": int(grade)})
        for start, grade in enumerate(grades.split())
    ]
    (tmp_path / "g.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    notes = Notes()
    base = read_assessments(tmp_path / "g.jsonl", notes)
    assert [one.exhaustivity for one in base.spans["1"]["d"]] == [
        2 if grade == "-" else 1 for grade in grades.split()
    ]
    assert [(kind, times) for kind, times, _ in notes.oddities()] == [
        ("files with a grade of some passages only", 1)
    ] * count


def test_passages_with_levels_are_read(tmp_path: Path) -> None:
    line = '{{"topic": 1, "doc": "{}", "start": 0, "end": 4, {}}}\n'.format
    good = line("d", '"level": 2') + line("d", '"level": 1') + line("e", '"level": 0')
    base = read_assessments(write(tmp_path, good, "j.jsonl"))
    assert {f: [s.exhaustivity for s in spans] for f, spans in base.spans["1"].items()} == {
        "d": [2, 1],
        "e": [],
    }
    for fields, message in (
        ('"level": 3000', "illegal level 3000"),
        ('"level": 1, "exhaustivity": 1', "a passage with level and exhaustivity"),
        (f'"exhaustivity": {"9" * 400}', "exhaustivity is 999"),
        (f'"exhaustivity": {"9" * 5000}', "not valid JSON: Exceeds the limit"),
        ('"exhaustivity": 0', "exhaustivity is 0: expected 1 or 2 for a passage"),
    ):
        with pytest.raises(InputError, match=rf"j\.jsonl:1: {message}"):
            read_assessments(write(tmp_path, line("d", fields), "j.jsonl"))
