"""Tokens: the approximation, and the files of the library tokenizers."""

from __future__ import annotations

import json
import pickle
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.documents.text_units import TOKENIZERS, UnitConverter, approximate
from xcg.errors import XcgError


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("蜜" * 192, 192),
        ("a1" * 1040, 347),
        ("élève à l'école préférée", 7),
        ("ผึ้งเต้นรำ", 7),  # ten characters, three of which are marks
        ("꿀벌은 춤춘다", 2 + 2),
        ("はちはダンス、する。", 10),
        ("snake_case", 3),
        ("don't", 3),
        ("🐝\ufe0f🐝", 2),
        ("", 0),
    ],
)
def test_tokens_by_hand_in_both_unicode_forms(text: str, count: int) -> None:
    for form in ("NFC", "NFD"):
        assert len(approximate(unicodedata.normalize(form, text))) == count


@given(st.text("aé1 _'蜜ก벌\u0301\u0e49\n-", max_size=40))
def test_tokens_agree_with_counting_characters_one_by_one(text: str) -> None:
    total, kind, length = 0, "", 0
    for character in text:
        if unicodedata.category(character)[0] == "M":
            continue
        is_single = character in "蜜ก"
        now = "hangul" if character == "벌" else "run" if character.isalnum() and not is_single else ""
        if character.isspace():
            now = " "
        length = length + 1 if now == kind else 1
        size = {"hangul": 2, "run": 6}.get(now, 1)
        total += now != " " and (length - 1) % size == 0
        kind = now
    assert len(approximate(text)) == total


WORDS = {
    "version": "1.0",
    "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": None,
    "decoder": None,
    "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"},
}


def test_a_tokenizer_file_is_found_beside_its_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tokenizers")
    (tmp_path / "words.json").write_text(json.dumps(WORDS))
    part = TOKENIZERS.part("words.json", folder=tmp_path)
    assert list(part.function("one two-three")) == [0, 4, 7, 8]
    assert list(pickle.loads(pickle.dumps(part)).function("one two")) == [0, 4]
    config = """
      gold: gold.jsonl
      runs: r.jsonl
      corpus: documents
      measures: SpanRecall(budget=tokens)@2
      user_model: {base: spans, effort: {tokenizer: words.json}}
    """
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "bees.txt").write_text("internationalisation of bees")
    passage = {"topic": "1", "doc": "bees", "start": 0, "end": 28}
    for name in ("gold.jsonl", "r.jsonl"):
        (tmp_path / name).write_text(json.dumps(passage))
    (tmp_path / "c.yaml").write_text(config)
    # Two of three words are read, up to the space; the approximation reads 12 of 20 letters.
    found = xcg.load(tmp_path / "c.yaml").evaluate()
    assert found.value("r", "SpanRecall(budget=tokens)@2") == 24 / 28
    found = xcg.load(tmp_path / "c.yaml", user_model="spans").evaluate()
    assert found.value("r", "SpanRecall(budget=tokens)@2") == 12 / 28
    monkeypatch.setattr("xcg.documents.text_units.LARGEST_TOKENIZER", 100)
    with pytest.raises(XcgError, match=r"words.json: larger than 0 MB; expected a tokenizer file"):
        xcg.load(tmp_path / "c.yaml").evaluate()
    (tmp_path / "words.json").unlink()
    with pytest.raises(XcgError, match=r"c.yaml:6: \S*: \S*words.json: cannot read: No"):
        xcg.load(tmp_path / "c.yaml").evaluate()
    (tmp_path / "words.json").write_text("{}")
    with pytest.raises(XcgError, match=r"c.yaml:6: .*words.json: not a file of the library tokenizers"):
        xcg.load(tmp_path / "c.yaml").evaluate()
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(XcgError, match=r"a tokenizer file needs tokenizers: .*'xcg\[tokens\]'"):
        TOKENIZERS.part("words.json", folder=tmp_path)


def test_tokens_of_one_character_share_it(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    from tokenizers import models, pre_tokenizers

    alphabet = pre_tokenizers.ByteLevel.alphabet()
    model = models.BPE({letter: number for number, letter in enumerate(sorted(alphabet))}, [])
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.save(str(tmp_path / "bytes.json"))
    part = TOKENIZERS.part("bytes.json", folder=tmp_path)
    converter = UnitConverter.of("aé蜜b", "tokens", part)  # 1, 2, 3 and 1 bytes
    assert converter.amounts([0, 1, 2, 3, 4]).tolist() == pytest.approx([0, 1, 3, 6, 7])


def test_words_in_text_without_spaces_are_noted() -> None:
    gold, runs = {"1": {"d": [(0, 3)]}}, {"r": {"1": [("d", 0, 6)]}}
    for text, is_noted in (("蜜蜂跳舞。" * 3, True), ("Bees dance in the dark.", False)):
        found = xcg.evaluate(gold, runs, {"d": text}, measures="SpanRecall(budget=words)@2")
        assert any("words are counted in text without spaces" in n for n in found.notes) == is_noted
    chunks = xcg.load(assessments=gold, runs=runs, corpus={"d": text}).chunks()
    assert "note: spans: tokens are counted by the tokenizer approximate" in chunks.notes
