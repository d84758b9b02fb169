"""Operations on a judgement do what a set of marked characters shows, and refuse illegal fields."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.documents.text_search import Quote
from xcg.errors import XcgError
from xcg.judge import editing
from xcg.judge.editing import OPERATIONS, check_operation, edit, fields_of, new_judgement
from xcg.judge.judgement import Judgement

TEXT = "Bees dance. Ants walk. Wasps sting."


def spans(judgement: Judgement) -> list[tuple[int, int, int, str | None]]:
    return [(one.id, one.start, one.end, one.grade) for one in judgement.highlights]


def judged(*highlights: tuple[int, int, str | None], finished: bool = False) -> Judgement:
    return new_judgement(TEXT, highlights, finished)


def changed(judgement: Judgement, operation: str, /, **values: Any) -> Judgement:
    return edit(judgement, TEXT, operation, values)


def test_add_keeps_the_quote_of_the_passage() -> None:
    (one,) = changed(Judgement(), "add", start=12, end=22, grade="2").highlights
    assert one[:5] == (1, 12, 22, "2", Quote("Ants walk.", "Bees dance. ", " Wasps sting."))


@pytest.mark.parametrize(
    ("start", "end", "grade", "expected"),
    [
        (2, 14, None, [(1, 0, 16, "3")]),  # the grade of the first
        (2, 14, "3", [(1, 0, 14, "3"), (2, 14, 16, None)]),
        (2, 14, "1", [(1, 0, 2, "3"), (3, 2, 14, "1"), (2, 14, 16, None)]),
        (1, 3, "1", [(1, 0, 1, "3"), (4, 1, 3, "1"), (3, 3, 4, "3"), (2, 12, 16, None)]),
        (0, 4, "1", [(1, 0, 4, "1"), (2, 12, 16, None)]),
        (0, 35, "1", [(1, 0, 35, "1")]),
        (0, 35, None, [(1, 0, 35, "3")]),
        (14, 18, None, [(1, 0, 4, "3"), (2, 12, 18, None)]),  # the second has no grade
        (4, 12, "1", [(1, 0, 4, "3"), (3, 4, 12, "1"), (2, 12, 16, None)]),  # it only touches them
        (1, 2, None, [(1, 0, 4, "3"), (2, 12, 16, None)]),
    ],
)
def test_add_joins_highlights_of_its_grade_and_cuts_the_others(
    start: int, end: int, grade: str | None, expected: list[tuple[int, int, int, str | None]]
) -> None:
    before = judged((0, 4, "3"), (12, 16, None))
    assert spans(changed(before, "add", start=start, end=end, grade=grade)) == expected


def test_resize_moves_the_ends_and_refuses_overlaps() -> None:
    before = judged((0, 4, "3"), (12, 16, "1"))
    assert spans(changed(before, "resize", id=1, start=0, end=12))[0] == (1, 0, 12, "3")
    assert spans(changed(before, "resize", id=2, start=4, end=5 + 6))[1] == (2, 4, 11, "1")
    with pytest.raises(
        XcgError, match="0–13 overlaps the highlight 12–16; highlights of a document do"
    ):
        changed(before, "resize", id=1, start=0, end=13)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 35, []),
        (0, 5, [(1, 5, 11, "3"), (2, 12, 22, "1")]),
        (5, 11, [(1, 0, 4, "3"), (2, 12, 22, "1")]),
        (2, 8, [(1, 0, 2, "3"), (3, 8, 11, "3"), (2, 12, 22, "1")]),
        (8, 17, [(1, 0, 8, "3"), (2, 17, 22, "1")]),
        (12, 16, [(1, 0, 11, "3"), (2, 17, 22, "1")]),
        (5, 10, [(1, 0, 4, "3"), (3, 10, 11, "3"), (2, 12, 22, "1")]),
        (22, 35, [(1, 0, 11, "3"), (2, 12, 22, "1")]),
    ],
)
def test_erase_shortens_divides_and_deletes(
    start: int, end: int, expected: list[tuple[int, int, int, str | None]]
) -> None:
    before = judged((0, 11, "3"), (12, 22, "1"))
    assert spans(changed(before, "erase", start=start, end=end)) == expected


def test_delete_and_grade() -> None:
    before = judged((0, 4, "3"), (12, 16, "1"))
    assert spans(changed(before, "delete", id=1)) == [(2, 12, 16, "1")]
    assert spans(changed(before, "grade", id=2, grade=None))[1] == (2, 12, 16, None)
    with pytest.raises(XcgError, match="there is no highlight 3"):
        changed(before, "delete", id=3)


def test_nothing_relevant_is_stated_explicitly() -> None:
    nothing = changed(Judgement(), "finish", finished=True)
    assert nothing.finished
    assert not changed(nothing, "add", start=0, end=4).finished
    finished = judged((0, 4, None), (5, 10, None), finished=True)
    one_left = changed(finished, "delete", id=1)
    assert one_left.finished
    assert not changed(one_left, "delete", id=2).finished
    assert not changed(one_left, "erase", start=0, end=35).finished
    for operation, values in (
        ("add", {"start": 12, "end": 16}),
        ("resize", {"id": 1, "start": 0, "end": 5}),
        ("grade", {"id": 1, "grade": "2"}),
        ("erase", {"start": 0, "end": 2}),
    ):
        assert changed(finished, operation, **values).finished
    assert not changed(finished, "finish", finished=False).finished


def test_lost_highlights_wait_for_the_assessor() -> None:
    lost = judged((0, 4, "3"), (12, 16, "1"))
    first = lost.highlights[0]._replace(start=0, end=0, status="lost", quote=Quote("Old text"))
    lost = Judgement(highlights=(first, lost.highlights[1]))
    assert (lost.lost, lost.placed) == ((first,), lost.highlights[1:])
    with pytest.raises(
        XcgError, match="a highlight has lost its text because the document has changed"
    ):
        changed(lost, "finish", finished=True)
    with pytest.raises(
        XcgError, match="the highlight 1 has lost its text: expected its deletion, or a"
    ):
        changed(lost, "confirm", id=1)
    graded = changed(lost, "grade", id=1, grade="2").highlights[0]
    assert graded == first._replace(grade="2")
    assert changed(lost, "add", start=0, end=4).highlights[0] == first  # not joined
    placed = changed(lost, "resize", id=1, start=23, end=35)
    assert spans(placed) == [(2, 12, 16, "1"), (1, 23, 35, "3")]
    assert placed.highlights[1].status == "placed"
    assert changed(changed(lost, "delete", id=1), "finish", finished=True).finished


def test_confirm_and_every_change_end_the_check_of_a_moved_highlight() -> None:
    moved = Judgement(highlights=(judged((0, 11, "3")).highlights[0]._replace(status="moved"),))
    for operation, values in (
        ("confirm", {"id": 1}),
        ("resize", {"id": 1, "start": 0, "end": 11}),
        ("grade", {"id": 1, "grade": "3"}),
        ("add", {"start": 2, "end": 6}),
        ("erase", {"start": 2, "end": 4}),
    ):
        assert {one.status for one in changed(moved, operation, **values).highlights} == {"placed"}
    assert changed(moved, "unsure", unsure=True).highlights == moved.highlights


@pytest.mark.parametrize("operation", ["add", "erase", "resize"])
@pytest.mark.parametrize(("start", "end"), [(-1, 4), (4, 4), (5, 4), (30, 36), (2**53 - 1, 2**53 - 1)])
def test_passages_outside_of_the_document_are_refused(operation: str, start: int, end: int) -> None:
    values = {"start": start, "end": end} | ({"id": 1} if operation == "resize" else {})
    with pytest.raises(XcgError, match=f"the passage {start}–{end} is empty or not in the document"):
        changed(judged((0, 4, None)), operation, **values)


def test_the_number_of_highlights_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editing, "MAX_HIGHLIGHTS", 2)
    with pytest.raises(XcgError, match="the document has 2 highlights, which is the maximum"):
        changed(judged((0, 4, None), (5, 9, None)), "add", start=12, end=14)


@pytest.mark.parametrize(
    ("operation", "values", "message"),
    [
        ("ad", {}, "unknown operation 'ad': did you mean 'add'"),
        ("x" * 500, {}, "unknown operation 'x{40}'"),
        ("add", {"start": 1}, "the field 'end' of 'add' is missing"),
        (
            "add",
            {"start": 1, "end": 2, "grad": "1"},
            "unknown field 'grad' of 'add': did you mean 'gra",
        ),
        ("add", {"start": 1, "end": True}, "the field 'end' of 'add' is True: expected a whole number"),
        ("add", {"start": 1, "end": 2.5}, "the field 'end' of 'add' is 2.5: expected a whole number"),
        ("add", {"start": 1, "end": 2, "grade": 2}, "'grade' of 'add' is 2: expected text or null"),
        ("add", {"start": None, "end": 2}, "'start' of 'add' is NoneType: expected a whole number"),
        ("delete", {"id": 10**30}, "'id' of 'delete' is 1000"),
        ("finish", {"finished": 1}, "'finished' of 'finish' is 1: expected true or false"),
        ("finish", {"finished": [1]}, "'finished' of 'finish' is list: expected true or false"),
        ("undo", {"id": 1}, "unknown field 'id' of 'undo': expected no fields"),
    ],
)
def test_illegal_operations_are_described(operation: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises(XcgError, match=message):
        check_operation(operation, values)


def test_a_finished_document_is_not_skipped_and_a_skipped_one_is_not_finished() -> None:
    skipped = edit(
        edit(Judgement(), "Bees", "note", {"note": "why?"}), "Bees", "skip", {"skipped": True}
    )
    finished = edit(skipped, "Bees", "finish", {"finished": True})
    assert (finished.finished, finished.skipped, finished.note) == (True, False, "why?")
    assert not edit(finished, "Bees", "skip", {"skipped": True}).finished
    with pytest.raises(XcgError, match="the note has 2001 characters: expected at most 2000"):
        edit(Judgement(), "Bees", "note", {"note": "a" * 2001})
    assert edit(Judgement(), "Bees", "note", {"note": "a\ud800"}).note == "a?"


# Texts with characters outside of the Basic Multilingual Plane and with white space.
texts = st.text("ab \n\U0001f41d", min_size=1, max_size=12)


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    text = draw(texts)
    position = st.integers(-1, len(text) + 1)
    grade = st.sampled_from([None, "1", "2"])
    flags = dict.fromkeys(("finished", "skipped", "unsure"), st.booleans())
    of_field = {"id": st.integers(1, 5), "grade": grade, "note": st.text("ab"), **flags}
    operations = []
    for name in draw(st.lists(st.sampled_from(sorted(OPERATIONS)), max_size=12)):
        fields = fields_of(name)
        operations.append((name, {field: draw(of_field.get(field, position)) for field in fields}))
    return text, operations


def white_space_at_ends(text: str, start: int, end: int) -> set[int]:
    """Return the positions of white space that has only white space on one side in a passage."""
    return {
        at for at in range(start, end) if not text[start : at + 1].strip() or not text[at:end].strip()
    }


def grades_of(judgement: Judgement) -> dict[int, str | None]:
    """Return the grade of each character in a highlight."""
    return {at: one.grade for one in judgement.highlights for at in range(one.start, one.end)}


@given(edits())
def test_highlights_are_the_characters_that_were_marked(
    drawn: tuple[str, list[tuple[str, dict[str, Any]]]],
) -> None:
    text, operations = drawn
    judgement = Judgement()
    marked: set[int] = set()
    for operation, values in operations:
        before = judgement
        try:
            judgement = edit(judgement, text, operation, values)
        except XcgError:
            continue
        owned = {one.id: set(range(one.start, one.end)) for one in before.highlights}
        if operation == "add":
            span = set(range(values["start"], values["end"]))
            for one in before.highlights:
                if owned[one.id] & span and values["grade"] not in (None, one.grade):
                    marked -= white_space_at_ends(text, one.start, min(one.end, values["start"]))
                    marked -= white_space_at_ends(text, max(one.start, values["end"]), one.end)
            marked |= span
            if values["grade"] is not None:
                grades = grades_of(before) | dict.fromkeys(span, values["grade"])
                assert grades_of(judgement).items() <= grades.items()
        elif operation == "erase":
            marked -= set(range(values["start"], values["end"]))
            for one in before.highlights:
                if owned[one.id] & set(range(values["start"], values["end"])):
                    marked -= white_space_at_ends(text, one.start, min(one.end, values["start"]))
                    marked -= white_space_at_ends(text, max(one.start, values["end"]), one.end)
        elif operation == "delete":
            marked -= owned[values["id"]]
        elif operation == "resize":
            marked = (marked - owned[values["id"]]) | set(range(values["start"], values["end"]))
        found = [number for one in judgement.highlights for number in range(one.start, one.end)]
        assert found == sorted(set(found))  # in order, and no overlap
        assert set(found) == marked
        assert all(text[one.start : one.end].strip() for one in judgement.highlights)
        assert all(one.quote.exact == text[one.start : one.end] for one in judgement.highlights)
        assert len({one.id for one in judgement.highlights}) == len(judgement.highlights)
        assert all(one.end <= len(text) for one in judgement.highlights)
        if operation not in ("finish", "skip"):
            same = bool(before.highlights) == bool(judgement.highlights)
            assert judgement.finished == (before.finished and same)
