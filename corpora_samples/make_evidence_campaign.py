"""Write a campaign with real judgements: the evidence that experts marked in Evidence Inference 2.0.

    python corpora_samples/make_evidence_campaign.py DATA FOLDER
    xcg evaluate FOLDER/merged.yaml
    xcg evaluate FOLDER/strategies.yaml

DATA contains the public collection: the articles as JATS (``nxml/``) and as plain text (``txt/``), the
questions (``prompts_merged*.csv``) and the experts' annotations (``v2_annotations*.csv``). FOLDER
receives the evidence as passages in the XML and a configuration, for all experts together and for each
of the three experts with the most judgements. It also receives the runs of the handbook's retriever:
eight in ``runs/``, and in ``thorough/`` the run that they are derived from, which ``strategies.yaml``
evaluates under the overlap strategies of ``configs/strategies.yaml``. A question is about one article,
and the results are its elements. Needs the extra ``xcg[samples]``.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import yaml
from make_handbook_campaign import ROOT, Index, write_runs, write_thorough

from xcg.documents.corpus import Corpus
from xcg.formats.placing import locate_passages

CONFIGURATION = """\
corpus: {corpus}
assessments: {passages}
runs: runs
user_model:
  - {{name: shares, quantisation: inex2006_gen}}
  - name: shares-overlap-off
    quantisation: inex2006_gen
    ideal: full
    relevance_value: {{alpha: 0, normalisation: none}}
  - {{name: exact, quantisation: inex2006_gen, relevance_value: {{near_misses: exact}}}}
measures: [MAep, nxCG@10]
"""


def rows(folder: Path, pattern: str) -> Iterator[dict[str, str]]:
    """Yield the rows of the only CSV file that matches a pattern."""
    (path,) = folder.glob(pattern)
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def evidence(data: Path) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield expert and passage of every validated annotation that marks evidence."""
    texts: dict[str, str] = {}
    for row in rows(data, "v2_annotations*.csv"):
        start, end = int(row["Evidence Start"]), int(row["Evidence End"])
        if row["Valid Label"] != "True" or row["Valid Reasoning"] != "True" or not 0 <= start < end:
            continue
        name = f"PMC{row['PMCID']}"
        if name not in texts:
            texts[name] = (data / "txt" / f"{name}.txt").read_text(encoding="utf-8")
        text = texts[name]
        passage = {"topic": row["PromptID"], "doc": name, "text": text[start:end]}
        yield row["UserID"], {**passage, "near": start / len(text)}


def question_of(row: dict[str, str]) -> str:
    """Return a question as text."""
    return f"{row['Outcome']} {row['Intervention']} {row['Comparator']}"


def write_passages(path: Path, passages: list[dict[str, object]], corpus: Corpus) -> None:
    """Find passages in the XML and write them as assessments; report missing ones on standard error."""
    quotes = path.with_suffix(".quotes.jsonl")
    quotes.write_text("".join(json.dumps(passage) + "\n" for passage in passages), encoding="utf-8")
    placed = locate_passages(quotes, corpus)
    quotes.unlink()
    kept = {json.dumps(passage, ensure_ascii=False) for passage in placed.passages}
    path.write_text("".join(f"{line}\n" for line in sorted(kept)), encoding="utf-8")
    for message in placed.missing:
        print(message, file=sys.stderr)
    print(f"{path.name}: {len(placed.passages)} of {len(passages)} passages placed", file=sys.stderr)


def write_study(path: Path, corpus: Path) -> None:
    """Write the configuration of the overlap strategies, for users of highlighted text."""
    study = yaml.safe_load((ROOT / "configs" / "strategies.yaml").read_text(encoding="utf-8"))
    study |= {
        "corpus": str(corpus.resolve()),
        "assessments": "merged.jsonl",
        "runs": "thorough",
        "user_model": {
            "name": "shares",
            "quantisation": "inex2006_gen",
            "relevance_value": {"alpha": [0, 0.5, 1]},
        },
    }
    path.write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")


def main(data: Path, target: Path) -> None:
    """Write assessments, runs and configurations."""
    target.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(data / "nxml")
    annotations = list(evidence(data))
    experts = [expert for expert, _ in Counter(expert for expert, _ in annotations).most_common(3)]
    for name, chosen in [("merged", None), *((f"expert-{expert}", expert) for expert in experts)]:
        passages = [passage for expert, passage in annotations if chosen in (None, expert)]
        write_passages(target / f"{name}.jsonl", passages, corpus)
        text = CONFIGURATION.format(corpus=(data / "nxml").resolve(), passages=f"{name}.jsonl")
        (target / f"{name}.yaml").write_text(text, encoding="utf-8")
    write_study(target / "strategies.yaml", data / "nxml")
    judged = {str(passage["topic"]) for _, passage in annotations}
    index = Index(corpus)
    asked = {
        row["PromptID"]: row for row in rows(data, "prompts_merged*.csv") if row["PromptID"] in judged
    }
    files = {topic: f"PMC{row['PMCID']}" for topic, row in asked.items()}
    found = {topic: index.search(question_of(row), files[topic]) for topic, row in asked.items()}
    write_thorough(target / "thorough" / "bm25.jsonl", found)
    write_runs(target / "runs", found, index, files)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
