"""Highlights of changed documents are placed again by their quotes, and never silently wrong."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from xcg.documents.corpus import Corpus
from xcg.judge.editing import new_judgement
from xcg.judge.judgement import Judgement, PoolDocument, place_again
from xcg.judge.store import Store

TEXT = (
    "Bees dance to show the way to flowers. A round dance shows flowers near the hive. "
    "Ants follow traces of scent. Wasps do neither, and find their way alone. "
    "Bees also smell the flowers on other bees."
)
DANCE = TEXT.index("A round dance"), TEXT.index(" Ants")
SCENT = TEXT.index("Ants"), TEXT.index(" Wasps")
SMELL = TEXT.index("Bees also"), len(TEXT)


def placed_again(
    text: str,
    *spans: tuple[int, int],
    finished: bool = False,
    old_text: str = TEXT,
) -> Judgement:
    """Place highlights in the old text, then again in another text."""
    judgement = new_judgement(old_text, [(*span, "2") for span in spans], finished)
    (found,) = place_again(text, [judgement])
    return found


def spans(judgement: Judgement) -> list[tuple[int, int, str]]:
    return [(one.start, one.end, one.status) for one in judgement.highlights]


def test_inserted_text_moves_the_highlights_after_it() -> None:
    text = TEXT.replace("Ants follow", "By the way: ants are no bees. Ants follow")
    judgement = placed_again(text, DANCE, SMELL, finished=True)
    start, end = SMELL[0] + 30, SMELL[1] + 30
    assert spans(judgement) == [(*DANCE, "placed"), (start, end, "moved")]
    assert [one.quote.exact for one in judgement.highlights] == [
        TEXT[slice(*DANCE)],
        TEXT[slice(*SMELL)],
    ]
    assert judgement.finished


def test_changed_typography_is_listed_too() -> None:
    text = TEXT.replace("scent. Wasps", "scent.\n\nWasps").replace("of scent", "of  scent")
    judgement = placed_again(text, SCENT)
    assert spans(judgement) == [(SCENT[0], SCENT[1] + 1, "moved")]
    assert judgement.highlights[0].quote.exact == "Ants follow traces of  scent."


def test_a_highlight_with_changed_words_is_lost_and_the_document_unfinished() -> None:
    text = TEXT.replace("traces of scent", "chemical traces")
    judgement = placed_again(text, DANCE, SCENT, finished=True)
    assert spans(judgement) == [(0, 0, "lost"), (*DANCE, "placed")]
    assert judgement.lost[0].quote.exact == TEXT[slice(*SCENT)]
    assert judgement.lost[0].grade == "2"
    assert not judgement.finished
    # It is found if the words are there again.
    (back,) = place_again(TEXT, [judgement])
    assert spans(back) == [(*DANCE, "placed"), (*SCENT, "moved")]


def test_a_document_without_relevant_text_is_to_check() -> None:
    judgement = placed_again("Other text.", finished=True)
    assert (judgement.finished, judgement.to_check) == (True, True)
    assert not placed_again("Other text.").to_check


words = st.sampled_from(["bee", "ant", "wasp", "hive", "dance", "the", "of", "🐝", "wax"])
sentences = st.lists(words, min_size=1, max_size=6).map(lambda found: " ".join(found) + ".")
documents = st.lists(sentences, min_size=1, max_size=8)


@given(documents, documents, st.data())
def test_what_is_placed_has_the_words_of_its_quote(
    old: list[str], new: list[str], data: st.DataObject
) -> None:
    kept = data.draw(st.lists(st.sampled_from(old), max_size=8))
    texts = "\n".join(old), "\n".join(data.draw(st.permutations(new + kept)))
    judgements = []
    for _ in range(data.draw(st.integers(1, 3))):
        ends = sorted(data.draw(st.sets(st.integers(0, len(texts[0])), max_size=6)))
        passages = [
            (start, end, None)
            for start, end in zip(ends[::2], ends[1::2], strict=False)
            if texts[0][start:end].strip()
        ]
        judgements.append(new_judgement(texts[0], passages, bool(passages)))
    for before, found in zip(judgements, place_again(texts[1], judgements), strict=True):
        ids = {one.id: one for one in before.highlights}
        assert ids.keys() == {one.id for one in found.highlights}
        assert all(one.end <= other.start for one, other in pairwise(found.placed))
        for one in found.placed:
            words_of_quote = ids[one.id].quote.exact.split()
            assert texts[1][one.start : one.end] == one.quote.exact
            assert one.quote.exact.split() == words_of_quote
            is_same = (one.start, one.quote.exact) == (ids[one.id].start, ids[one.id].quote.exact)
            assert one.status == ("placed" if is_same else "moved")
        assert all(one.quote == ids[one.id].quote for one in found.lost)
        if texts[0] == texts[1]:
            assert found.highlights == before.highlights


def filled(path: Path) -> None:
    with Store(path, Corpus.of({"bees": TEXT, "ants": "Ants."})) as store:
        store.add_assessors(["anna", "ben", "cleo"])
        store.extend_pool("1", [PoolDocument("bees", ((0, 38),)), PoolDocument("ants", ((0, 3),))])
        for assessor, span in (("anna", DANCE), ("ben", SCENT)):
            store.replace(assessor, "1", "bees", [(*span, "2")], True)
        store.replace("cleo", "1", "bees", [], True)
        store.replace("anna", "1", "ants", [(0, 4, None)], False)


def test_a_store_places_the_judgements_of_changed_documents_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "judge.sqlite"
    filled(path)
    text = "News. " + TEXT.replace("traces of scent", "chemical traces")
    corpus = Corpus.of({"bees": text, "ants": "Ants."})
    with Store.snapshot(path, corpus) as snapshot:
        expected = list(snapshot.judgements())
    with Store(path, corpus) as store:
        assert list(store.judgements()) == expected
        anna = store.judgement("anna", "1", "bees")
        assert spans(anna) == [(DANCE[0] + 6, DANCE[1] + 6, "moved")]
        assert (anna.version, anna.finished) == (2, True)
        assert not anna.can_undo
        ben = store.judgement("ben", "1", "bees")
        assert spans(ben) == [(0, 0, "lost")]
        assert not ben.finished
        assert store.judgement("anna", "1", "ants").version == 1
        assert store.pool("1") == (PoolDocument("bees"), PoolDocument("ants", ((0, 3),)))
        assert [one.assessor for one in store.to_check()] == ["anna", "ben", "cleo"]
        store.apply("anna", "1", "bees", 2, "confirm", {"id": 1})
        undone = store.apply("ben", "1", "bees", 2, "delete", {"id": 1})
        assert not undone.highlights
        assert [one.assessor for one in store.to_check()] == ["cleo"]
        undone = store.apply("ben", "1", "bees", 3, "undo", {})
        assert undone.lost == ben.lost
        store.apply("cleo", "1", "bees", 2, "finish", {"finished": False})
        assert [one.assessor for one in store.to_check()] == ["ben"]
        assert [one.assessor for one in store.to_check("anna")] == []
    with Store(path, corpus) as store:  # unchanged since
        assert store.judgement("ben", "1", "bees").version == 4
