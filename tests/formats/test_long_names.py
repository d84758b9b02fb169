"""Names of topics and runs are limited, because they occur in every line of a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from xcg.errors import InputError
from xcg.formats.base import read_assessments, read_run

LONGEST = "n" * 1000
ASSESSMENTS = {
    "qrels.txt": "{} 0 d 1\n",
    "offsets.txt": "{} Q0 d 5 9 0 0:5\n",
    "1.xml": "<assessments topic='{}'><file file='d'><path path='/a' e='1' s='1'/></file>"
    "</assessments>",
    "letor.txt": "2 qid:{} 1:0.5 # docid = d\n",
    "json.jsonl": '{{"topic": "{}", "doc": "d", "level": 1}}\n',
}
RUNS = {
    "trec.txt": "{} Q0 d 1 1 {}\n",
    "inex.xml": "<inex-submission run-id='{1}'><topic topic-id='{0}'/></inex-submission>",
    "inex-irregular.xml": "<inex-submission run-id='{1}'><!-- -->"
    "<topic topic-id='{0}'/></inex-submission>",
    "json.jsonl": '{{"topic": "{}", "doc": "d"}}\n',
}


@pytest.mark.parametrize("file", ASSESSMENTS)
def test_topics_of_assessments(tmp_path: Path, file: str) -> None:
    path = tmp_path / file
    path.write_text(ASSESSMENTS[file].format(LONGEST))
    assert read_assessments(path).topics == [LONGEST]
    path.write_text(ASSESSMENTS[file].format(LONGEST + "n"))
    with pytest.raises(
        InputError, match=f"{file}.*the name of a topic has 1001 characters, beginning w"
    ):
        read_assessments(path)


@pytest.mark.parametrize("file", RUNS)
def test_topics_and_names_of_runs(tmp_path: Path, file: str) -> None:
    path = tmp_path / file
    path.write_text(RUNS[file].format(LONGEST, LONGEST))
    assert list(read_run(path).rankings) == [LONGEST]
    path.write_text(RUNS[file].format(LONGEST + "n", "r"))
    for topics in (None, ["1"]):
        with pytest.raises(
            InputError, match=f"{file}: the name of a topic has 1001 characters, beginn"
        ):
            read_run(path, topics=topics)
    if "{1}" in RUNS[file] or file == "trec.txt":
        path.write_text(RUNS[file].format("1", LONGEST + "n"))
        with pytest.raises(
            InputError, match=f"{file}: the name of a run has 1001 characters, beginning"
        ):
            read_run(path)
