"""Correct the offsets of highlights after an edit of the articles, by searching for the marked text.

    python corpora_samples/place_highlights.py

A passage whose text does not occur, or occurs more than once, is reported, and its file is not changed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from xcg.documents.corpus import Corpus
from xcg.documents.text_search import locate_passage
from xcg.errors import XcgError

ROOT = Path(__file__).parent.parent


def main() -> int:
    """Rewrite the highlight files of the handbook, and return the number of missing passages."""
    corpus = Corpus(ROOT / "corpora_samples" / "handbook")
    lost = 0
    for path in sorted((ROOT / "assessments" / "handbook-highlights").glob("*.jsonl")):
        records, before = [], lost
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            try:
                tree = corpus.tree(record["doc"])
                record["start"], record["end"] = locate_passage(tree, record["text"])
                record["text"] = tree.text[record["start"] : record["end"]]
            except XcgError as error:
                print(
                    f"{path.name}, topic {record['topic']}, {record['doc']}: {error}", file=sys.stderr
                )
                lost += 1
            records.append(record)
        if lost == before:
            records.sort(key=lambda r: (int(r["topic"]), r["doc"], r["start"]))
            text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
            path.write_text(text, encoding="utf-8")
    return lost


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
