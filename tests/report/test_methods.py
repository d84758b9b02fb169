"""The methods paragraph is true and complete: it has the numbers of the inputs, and each setting."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from lxml import etree

import xcg
from xcg.settings.loading import KEYS
from xcg.settings.schema import keys_of
from xcg.user_model.model import UserModel

QUICKSTART = ROOT / "configs" / "quickstart.yaml"
OTHERS: dict[str, Any] = {
    "quantisation": "strict",
    "ideal": "leaves",
    "relevance_value.alpha": 0.25,
    "relevance_value.normalisation": "related",
    "relevance_value.partially_seen": "capped",
    "relevance_value.near_misses": "exact",
    "relevance_value.reader": "readers:own",
    "size": "words",
    "spans": "smallest_element",
    "effort.interpolation": "linear",
    "effort.unretrieved": "max",
    "effort.unit": "words",
    "effort.charge": "whole",
    "effort.tokenizer": "readers:letters",
}
"""Key of a user model → another value than the default."""
PARTS = {
    "ideal": {"name": "kazai_lalmas", "tie": "shallower"},
    "relevance_value.partially_seen": "growing_alpha",
    "relevance_value.near_misses": {"name": "distance", "reach": 3},
}
CORPUS = {"d": "<a><b>one</b><c>two</c></a>", "e": "<a><b>x</b></a>"}
GOLD = {
    str(topic): {"d": {"/a[1]": (2, 1), "/a[1]/b[1]": (3, 3), "/a[1]/c[1]": (0, 0)}}
    for topic in range(4)
}
RUNS = {
    "r": {str(topic): [("d", "/a[1]"), ("d", "/a[1]/b[1]")][: topic + 1] for topic in range(4)},
    "s": {str(topic): [("d", "/a[1]/b[1]"), ("d", "/a[1]/c[1]")][: 4 - topic] for topic in range(4)},
}
PLAIN = {"name": "m", "base": "kazai-lalmas-2006"}


def nested(key: str, value: object) -> dict[str, Any]:
    for part in reversed(key.split(".")):
        value = {part: value}
    assert isinstance(value, dict)
    return value


def paragraph(model: Mapping[str, object] = PLAIN, **keys: Any) -> str:
    keys = {"measures": "MAep", "corpus": CORPUS, "assessments": GOLD, "runs": RUNS, **keys}
    text = str(xcg.load(user_model=dict(model), **keys).methods())
    return " ".join(text.partition("\n@")[0].split())


def in_words(model: Mapping[str, object]) -> dict[str, object]:
    """Return a model whose effort is text, for which all keys have an effect."""
    return {**model, "effort": {"unit": "tokens", **model.get("effort", {})}}  # type: ignore[dict-item]


def test_the_paragraph_has_each_key_of_a_user_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {key.name for key in keys_of(UserModel)} == {"name", *OTHERS}
    (tmp_path / "readers.py").write_text(
        "from xcg.gains.document_reader import DocumentReader\n"
        "class own(DocumentReader):\n def gain_of(self, result): return 1.0\n"
        "def letters(text): return list(range(len(text)))\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    plain = paragraph(in_words(PLAIN))
    seen = {plain}
    for key, value in [*OTHERS.items(), *PARTS.items()]:
        text = paragraph(in_words({**PLAIN, **nested(key, value)}))
        assert text not in seen, key
        seen.add(text)
    assert "kazai_lalmas(tie=shallower, filter=shorter)" in paragraph(
        {**PLAIN, "ideal": PARTS["ideal"]}
    )
    assert "tokenizer" not in paragraph()  # without an effect on effort in ranks


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"topics": {"unanswered": "skip"}}, "does not answer is left out of the mean"),
        (
            {"topics": {"unanswered": "skip"}, "runs": {**RUNS, "s": {"0": RUNS["s"]["0"]}}},
            "Scores are over 1 to 4 topics;",
        ),
        ({"ties": "file"}, "Results with equal scores or ranks were ordered by file."),
        (
            {"strategies": "promote_parent"},
            "rewritten by the overlap strategy promote_parent(threshold=",
        ),
        ({"measures": "RBP@3"}, "RBP@3 with p = 0.8"),
        (
            {"measures": "RBP(p=0.5)@3 RBP@3"},
            "and RBP@3 with p = 0.8, rel = 0, max_rel = 0 and score = base unless",
        ),
        (
            {"measures": "nxCG@1 nxCG@2"},
            "nxCG@1 and nxCG@2 with budget = ranks and mean = values (norm",
        ),
        (
            {"compare": {"test": "wilcoxon"}},
            "r was compared with s over 4 topics by Wilcoxon's signed-rank",
        ),
        ({"corpus": None}, "No documents were read."),
        (
            {"assessments": {"0": {"d": [(0, 3), (4, 6)], "e": []}}, "measures": "SpanRecall@1"},
            "For 1 topic, the assessments name 2 relevant passages in 1 of 2 documents.",
        ),
        (
            {"lenient": True, "runs": {"r": {"0": [("d", "/b[1]")]}}},
            "Tolerated: 1 problem in results and assessments.",
        ),
    ],
    ids=lambda one: next(iter(one)) if isinstance(one, dict) else "",
)
def test_the_paragraph_has_other_settings(keys: dict[str, Any], sentence: str) -> None:
    text = paragraph(**keys)
    assert sentence in text
    assert text != paragraph()


def test_a_removed_element_is_named(tmp_path: Path) -> None:
    for name, text in CORPUS.items():
        (tmp_path / f"{name}.xml").write_text(text, encoding="utf-8")
    corpus = {"path": str(tmp_path), "exclude": ["x", "front"]}
    expected = "The collection has 2 documents, read without their front and x elements."
    assert expected in paragraph(corpus=corpus)


def test_models_differ_from_the_first_one() -> None:
    text = str(
        xcg.load(
            **{"corpus": CORPUS, "assessments": GOLD, "runs": RUNS, "measures": "MAep"},
            user_model=[PLAIN, {**PLAIN, "name": "n"}, {**PLAIN, "name": "o", "size": "words"}],
        ).methods()
    )
    assert "The user model n scores like m." in text
    assert "The user model o differs from m in sizes in words." in text


def test_the_numbers_are_those_of_the_files() -> None:
    """They are counted again in the files, without xcg."""
    campaign = xcg.load(QUICKSTART, runs=["focused", "articles"], measures="MAep")
    text = str(campaign.methods())
    folder = ROOT / "assessments" / "handbook"
    trees = [etree.parse(file) for file in sorted(folder.glob("*.xml"))]
    assessed = [path for tree in trees for path in tree.iter("path")]
    relevant = [path for path in assessed if path.get("exhaustiveness") != "0"]
    documents = list((ROOT / "corpora_samples" / "handbook").rglob("*.xml"))
    for sentence in (
        f"The collection has {len(documents)} documents.",
        f"For {len(trees)} topics, {len(assessed)} documents and elements were assessed in "
        f"exhaustivity and specificity from 0 to 3, {len(relevant)} of them relevant.",
        "We evaluated 2 runs (articles, focused).",
        f"Scores are over {len(trees)} topics;",
    ):
        assert sentence in text
    cited = set(re.findall(r"@([\w-]+)(?=[;\]])", text))
    assert cited == set(re.findall(r"^@\w+\{([\w-]+),", text, re.MULTILINE))


def test_nothing_else_changes_values() -> None:
    """Each key of the top level is in the paragraph, or its reason not to be is stated here."""
    tested = (
        "assessments gold runs corpus user_model measures strategies order ties topics lenient compare"
    )
    only_names = "document parents"  # how chunks name documents
    speed_and_form = "workers scheduler format output plot all_rows formulas record"
    of_other_questions = "evaluate gate sweep curves explain report chunks check study judge"
    stated = " ".join((tested, only_names, speed_and_form, of_other_questions)).split()
    names = {key.path[0] for key in KEYS.values()}
    assert names - set(stated) == set()
