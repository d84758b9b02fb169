"""The division of topics among assessors."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.judge.workspace import Assignments, assign_topics

TOPICS = [str(number) for number in range(1, 11)]


def loads(assigned: Assignments) -> Counter[str]:
    return Counter(name for names in assigned.values() for name in names)


def test_topics_are_divided_evenly() -> None:
    assigned = assign_topics(TOPICS, ["anna", "ben", "cem"])
    assert list(assigned) == TOPICS
    assert all(len(names) == 1 for names in assigned.values())
    assert sorted(loads(assigned).values()) == [3, 3, 4]


@pytest.mark.parametrize(("share", "seconds"), [(0, 0), (0.04, 0), (0.05, 1), (0.2, 2), (1, 10)])
def test_a_share_of_the_topics_has_a_second_assessor(share: float, seconds: int) -> None:
    assigned = assign_topics(TOPICS, ["anna", "ben"], share)
    assert sum(len(names) == 2 for names in assigned.values()) == seconds
    assert all(len(set(names)) == len(names) for names in assigned.values())
    counts = loads(assigned).values()
    assert max(counts) - min(counts) <= 1


def test_the_seed_changes_the_choice_of_topics() -> None:
    choices = [assign_topics(TOPICS, ["anna", "ben"], 0.2, seed) for seed in range(5)]
    assert len({tuple(one.items()) for one in choices}) > 1
    assert choices[3] == assign_topics(TOPICS, ["anna", "ben"], 0.2, 3)


def test_a_new_assessor_gets_topics_that_nobody_has_started() -> None:
    before = assign_topics(TOPICS, ["anna", "ben"])
    started = {(before[topic][0], topic) for topic in TOPICS[:5]}
    after = assign_topics(TOPICS, ["anna", "ben", "cem"], earlier=before, started=started)
    assert sorted(loads(after).values()) == [3, 3, 4]
    assert [after[topic] for topic in TOPICS[:5]] == [before[topic] for topic in TOPICS[:5]]
    assert assign_topics(TOPICS, ["anna", "ben", "cem"], earlier=after, started=started) == after


def test_only_started_topics_stay_with_an_assessor_who_is_no_longer_in_the_list() -> None:
    before = assign_topics(TOPICS, ["anna", "ben"])
    kept = next(topic for topic, names in before.items() if names == ("ben",))
    after = assign_topics(TOPICS, ["anna", "cem"], earlier=before, started={("ben", kept)})
    assert [topic for topic, names in after.items() if "ben" in names] == [kept]
    assert loads(after)["cem"] in (4, 5)


NAMES = st.lists(st.sampled_from(["anna", "ben", "cem", "dora"]), unique=True, min_size=1)


@given(
    st.integers(0, 12),
    st.integers(0, 12),
    NAMES,
    NAMES,
    st.floats(0, 1),
    st.sets(st.tuples(st.sampled_from(["anna", "ben"]), st.sampled_from(TOPICS))),
)
def test_assignments_are_complete_and_stable(
    first: int, more: int, old: list[str], new: list[str], share: float, started: set[tuple[str, str]]
) -> None:
    topics = [str(number) for number in range(1, first + more + 1)]
    before = assign_topics(topics[:first], old, share)
    after = assign_topics(topics, new, share, earlier=before, started=started)
    begun = {topic for _, topic in started}
    for topic, names in after.items():
        assert names
        assert len(set(names)) == len(names)
        assert all(name in new or (name, topic) in started for name in names)
        if topic in before and topic in begun:
            assert {name for name in before[topic] if name in new} <= set(names)
    for name, topic in started:
        assert topic not in after or name in after[topic]
    assert assign_topics(topics, new, share, earlier=after, started=started) == after
