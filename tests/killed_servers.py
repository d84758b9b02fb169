"""Kill the server of xcg judge at random moments, and check that its store has what it saved.

Run as a script: python killed_servers.py FOLDER ROUNDS SEED
"""

from __future__ import annotations

import json
import random
import sys
import threading
from pathlib import Path

import httpx2
from judge_campaign import running_server
from killed_sessions import DOCUMENTS, check_round, operations

from xcg.documents.corpus import Corpus

LONGEST = 0.5  # seconds
CONFIG = "corpus: docs\ntopics: {files: topics.csv}\njudge: {assessors: [anna]}\n"


def write_campaign(folder: Path) -> Path:
    """Write documents, a topic that finds all of them, and a configuration; return it."""
    (folder / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "docs" / f"{name}.txt").write_text(text, encoding="utf-8")
    (folder / "topics.csv").write_text("id,title\n1,bees and ants words\n", encoding="utf-8")
    (folder / "judge.yaml").write_text(CONFIG, encoding="utf-8")
    return folder / "judge.yaml"


def killed_server(config: Path, seed: int, seconds: float) -> list[bytes]:
    """Send changes to a server, kill it after some time, and return them with the answers to them."""
    lines = []
    with running_server(config) as (urls, process), httpx2.Client(follow_redirects=True) as client:
        client.get(urls["anna"]).raise_for_status()
        origin = "http://" + urls["anna"].split("/")[2]
        address = f"{origin}/assessors/anna/api/topics/1/documents"
        versions = {name: client.get(f"{address}/{name}").json()["version"] for name in DOCUMENTS}
        killer = threading.Timer(seconds, process.kill)
        killer.start()
        try:
            for document, operation, fields in operations(seed):
                lines.append(json.dumps([document, operation, fields]).encode())
                record = {"version": versions[document], "operation": operation, **fields}
                answer = client.post(f"{address}/{document}", json=record, headers={"Origin": origin})
                if answer.status_code == 400:
                    del lines[-1]
                    continue
                assert answer.status_code == 200, answer.text
                lines.append(b"saved")
                versions[document] = answer.json()["version"]
        except httpx2.TransportError:
            process.wait()
        finally:
            killer.join()
    return lines


def main(folder: Path, rounds: int, seed: int) -> None:
    """Kill servers of one store, and print how many changes they saved."""
    chosen = random.Random(seed)
    total = unreported = 0
    config = write_campaign(folder)
    with running_server(config):
        pass  # creates the store
    path, before = folder / "judge.sqlite", folder / "before.sqlite"
    for number in range(rounds):
        before.write_bytes(path.read_bytes())
        lines = killed_server(config, number, chosen.uniform(0, LONGEST))
        saved, is_unreported = check_round(path, before, Corpus(folder / "docs"), lines)
        total += saved
        unreported += is_unreported
    sys.stdout.write(
        f"{rounds} rounds: {total} operations reported as saved, {unreported} saved but not reported\n"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
