"""Write handbook-letor.txt: the articles of the handbook as the documents of a LETOR file.

    python corpora_samples/make_letor_sample.py [FOLDER]

FOLDER is the folder of this script by default. The output is deterministic. There is one line for each
topic and article. The level is the exhaustivity of the article. Like the features of OHSUMED in LETOR,
the features are simple: 1 to 4 count the words of the topic in the title and abstract (TF, and TF-IDF),
and in the whole text (TF, and TF-IDF); 5 is the number of different words found; 6 is TF-IDF with the
logarithm of TF; 7 is feature 3 per 1000 words; 8 is the number of words of the article.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from pathlib import Path

from lxml import etree

from xcg.documents.corpus import Corpus
from xcg.formats.base import read_assessments

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "corpora_samples" / "handbook"
TOPICS = ROOT / "corpora_samples" / "handbook-topics"
ASSESSMENTS = ROOT / "assessments" / "handbook"
ARTICLE = "/article[1]"
FRONT_ROW = 1  # title and abstract are the first child of the article


def words(text: str) -> list[str]:
    """Return the words of at least four letters, which leaves out most stop words."""
    return re.findall(r"[a-z]{4,}", text.lower())


def features(query: list[str], front: list[str], text: list[str], idf: dict[str, float]) -> list[float]:
    """Return the eight features of an article for a topic."""
    in_front, in_text = Counter(front), Counter(text)
    tf = sum(in_text[word] for word in query)
    return [
        sum(in_front[word] for word in query),
        sum(in_front[word] * idf[word] for word in query),
        tf,
        sum(in_text[word] * idf[word] for word in query),
        sum(word in in_text for word in query),
        sum(math.log1p(in_text[word]) * idf[word] for word in query),
        1000 * tf / len(text),
        len(text),
    ]


def main(folder: Path) -> None:
    """Write the file."""
    corpus = Corpus(CORPUS)
    trees = {file: corpus.tree(file) for file in sorted(corpus)}
    texts = {file: words(tree.element_text(0)) for file, tree in trees.items()}
    fronts = {file: words(tree.element_text(FRONT_ROW)) for file, tree in trees.items()}
    base = read_assessments(ASSESSMENTS)
    lines = []
    for path in sorted(TOPICS.glob("*.xml")):
        root = etree.parse(path).getroot()
        topic, query = root.get("topic_id", ""), sorted(set(words(root.findtext("title") or "")))
        found = {word: sum(word in other for other in texts.values()) for word in query}
        idf = {word: math.log(len(texts) / number) if number else 0.0 for word, number in found.items()}
        for file, text in texts.items():
            assessment = base.files[topic].get(file, {}).get(ARTICLE)
            level = int(assessment.exhaustivity) if assessment is not None else 0
            values = features(query, fronts[file], text, idf)
            columns = [f"{number}:{round(value, 4):g}" for number, value in enumerate(values, 1)]
            lines.append(f"{level} qid:{topic} {' '.join(columns)} #docid = {file}\n")
    (folder / "handbook-letor.txt").write_text("".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
