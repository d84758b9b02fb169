"""The memory of an evaluation does not grow with the number of results or of documents."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

TOPIC_RESULTS = 2000
LIMITS = {
    "xcg.formats.json_lines": ["LINES_IN_MEMORY"],
    "xcg.formats.stored_topics": ["LINES_IN_MEMORY"],
    "xcg.formats.trec_run": ["LINES_IN_MEMORY"],
    "xcg.runs.stored_rankings": ["RESULTS_IN_MEMORY", "RESULTS_OF_ALL_RUNS"],
    "xcg.documents.corpus": ["_KEPT_ELEMENTS"],
}
SCRIPT = f"""
import importlib, sys
import xcg
folder, kind, topics, divisor = sys.argv[1:]
for module, names in {LIMITS}.items():
    for name in names:
        loaded = importlib.import_module(module)
        setattr(loaded, name, getattr(loaded, name) // int(divisor))
run = folder + f"/run{{topics}}.{{kind}}"
xcg.evaluate(folder + f"/{{topics}}.jsonl", run, folder + "/corpus", measures="MAep Q")
with open("/proc/self/status") as status:  # getrusage includes the memory of the parent process
    print(next(line.split()[1] for line in status if line.startswith("VmHWM:")))
"""


def write(folder: Path, topics: int) -> None:
    """Write a run in three formats, whose topics retrieve different documents, and assessments."""
    chance = random.Random(1)
    trec, records, xml, assessed = [], [], [], []
    for topic in range(topics):
        xml.append(f'<topic topic-id="{topic}">')
        for rank in range(1, TOPIC_RESULTS + 1):
            name, path = f"d{topic * 50 + rank % 50}", f"/a[1]/b[{1 + rank // 50}]"
            trec.append(f"{topic} Q0 {name}#{path} {rank} {-rank} r\n")
            record = {"topic": str(topic), "doc": name, "path": path, "rank": rank}
            records.append(json.dumps(record) + "\n")
            xml.append(f"<result><file>{name}</file><path>{path}</path><rank>{rank}</rank></result>\n")
        xml.append("</topic>\n")
        for number in range(5):
            record = {"topic": str(topic), "doc": f"d{topic * 50 + number}", "path": "/a[1]/b[1]"}
            assessed.append(json.dumps({**record, "level": 2}) + "\n")
    chance.shuffle(trec)  # the topics of a TREC run need not follow each other
    (folder / f"run{topics}.trec").write_text("".join(trec))
    (folder / f"run{topics}.json").write_text("".join(records))
    text = "".join(xml)
    (folder / f"run{topics}.xml").write_text(f'<inex-submission run-id="r">{text}</inex-submission>')
    (folder / f"{topics}.jsonl").write_text("".join(assessed))


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "corpus").mkdir()
    for number in range(80 * 50):
        (folder / "corpus" / f"d{number}.xml").write_text(f"<a>{'<b>bees</b>' * 41}</a>")
    for topics in (2, 20, 80):
        write(folder, topics)
    return folder


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc")
@pytest.mark.parametrize("kind", ["trec", "json", "xml"])
def test_memory_grows_much_less_than_a_run_and_its_documents(campaign, kind):
    def peak(topics: int, divisor: int) -> int:
        command = [sys.executable, "-c", SCRIPT, campaign, kind, str(topics), str(divisor)]
        return int(subprocess.run(command, capture_output=True, check=True).stdout)

    # With smaller limits, a small campaign is larger than memory.
    unlimited = peak(80, 1) - peak(2, 1)
    limited = peak(80, 200) - peak(2, 200)
    assert limited < unlimited / 3
