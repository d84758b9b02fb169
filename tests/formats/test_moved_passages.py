"""Uncertain passages are decided by how far their neighbours moved."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.documents.text_normalisation import same_words
from xcg.documents.text_search import Location, Quote
from xcg.formats.moved_passages import MovedPassage, compare_with_neighbours
from xcg.formats.placing import update_gold

TEXT = "x" * 20_000
BEFORE = MovedPassage(Quote("one"), 1000, Location("exact", 1100, 1200, has_context=True))
AFTER = MovedPassage(Quote("two"), 5000, Location("exact", 5300, 5400, has_context=True))


def decided(location: Location, old_start: int = 3000, alone: bool = False) -> tuple[str, int, bool]:
    """Return status, start and doubt of a passage between one that moved by 100 and one by 300."""
    passages = [MovedPassage(Quote("a passage"), old_start, location)]
    found = compare_with_neighbours(passages if alone else [AFTER, *passages, BEFORE], TEXT)
    one = found[0 if alone else 1]
    return one.location.status, one.location.start, one.is_doubtful


@pytest.mark.parametrize(
    ("starts", "matched", "expected"),
    [
        ([3100, 9000], 40, ("normalised", 3100, False)),  # as far as the passage before
        ([3200, 9000], 40, ("normalised", 3200, True)),  # between the neighbours
        ([2700, 3200], 40, ("normalised", 3200, True)),  # the first is 400 characters off
        ([3100, 3200], 40, ("ambiguous", 3100, False)),  # both are expected
        ([3040, 9000], 40, ("normalised", 3040, True)),  # nearly expected
        ([2000, 9000], 40, ("ambiguous", 2000, False)),
        ([3100], 20, ("normalised", 3100, False)),
        ([3100], 19, ("ambiguous", 3100, False)),  # too few characters match
    ],
)
def test_an_ambiguous_passage(starts: list[int], matched: int, expected: tuple[str, int, bool]) -> None:
    spans = [(start, start + 25) for start in starts]
    location = Location("ambiguous", *spans[0], occurrences=spans, matched=matched)
    assert decided(location) == expected
    assert decided(location, alone=True)[0] == "ambiguous"


@pytest.mark.parametrize(
    ("start", "others", "has_context", "expected"),
    [
        (3200, [], True, ("exact", 3200, False)),
        (3200, [9000], False, ("exact", 3200, False)),
        (3010, [], True, ("exact", 3010, False)),  # 90 characters off, of 50 and a tenth of 4,000
        (3010, [9000], False, ("exact", 3010, True)),
        (3010, [3200], False, ("ambiguous", 3010, False)),  # another occurrence is expected
        (9000, [], True, ("exact", 9000, True)),  # moved, or another copy of a deleted passage
        (9000, [3200], True, ("ambiguous", 9000, False)),  # context and neighbours disagree
        (9000, [14_000], False, ("exact", 9000, True)),
        (3000, [3200], False, ("exact", 3000, False)),  # nothing moved
    ],
)
def test_a_found_passage(
    start: int, others: list[int], has_context: bool, expected: tuple[str, int, bool]
) -> None:
    spans = [(one, one + 25) for one in [start, *others]]
    occurrences = spans if others else ()
    location = Location("exact", *spans[0], occurrences=occurrences, has_context=has_context)
    assert decided(location) == expected


@given(st.data())
def test_updated_gold_has_its_words_and_no_ambiguous_passage(data: st.DataObject) -> None:
    words = st.lists(st.sampled_from(["bees", "dance", "well", "at noon."]), min_size=1, max_size=9)
    old, new = (" ".join(data.draw(words)) for _ in range(2))
    records = []
    for number in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(old) - 1))
        end = data.draw(st.integers(start + 1, len(old)))
        record = {"topic": str(number), "doc": "d", "start": start, "end": end, "text": old[start:end]}
        if data.draw(st.booleans()):
            record |= {"prefix": old[:start][-20:], "suffix": old[end:][:20]}
        records.append(record)
    with tempfile.TemporaryDirectory() as folder:
        gold = Path(folder) / "gold.jsonl"
        gold.write_text("".join(json.dumps(record) + "\n" for record in records))
        updated = update_gold(gold, xcg.Corpus.of({"d": f"<a>{new}</a>"}))
        same = update_gold(gold, xcg.Corpus.of({"d": f"<a>{old}</a>"}))
    assert len(updated.passages) + updated.counts["lost"] + updated.counts["ambiguous"] == len(records)
    for record in updated.passages:
        given = records[int(record["topic"])]
        assert record["text"] == new[record["start"] : record["end"]]
        assert same_words(record["text"], given["text"])
    assert same.passages == [record for record in records if record["text"].strip()]
    assert same.notes == []
