"""Different results are collected like in a dictionary, in memory and in a temporary file."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xcg.documents.paths import WHOLE
from xcg.evaluation.different_results import DifferentResults
from xcg.runs.run import Ranking

DOCUMENTS = ["bees", "ants", "wasps", "missing"]
RESULTS = st.tuples(st.sampled_from(DOCUMENTS), st.sampled_from(["/a[1]", "/b[1]", "/c[1]", "", WHOLE]))
RANKINGS = st.lists(
    st.tuples(st.lists(RESULTS, max_size=8), st.sets(st.sampled_from(DOCUMENTS))), max_size=8
)


@pytest.mark.parametrize("most", [1 << 19, 1, 5])
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RANKINGS)
def test_results_are_counted_by_document_and_path(
    most: int, rankings: list[tuple[list[tuple[str, str]], set[str]]]
) -> None:
    collected, number = DifferentResults(), 0
    expected: dict[str, dict[str, list[int]]] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("xcg.evaluation.different_results.MOST_RESULTS", most)
        for results, skipped in rankings:
            others = []
            for position, (file, path) in enumerate(results):
                if file in skipped or file == "missing" or path in ("", WHOLE):
                    others.append(position)
                else:
                    expected.setdefault(file, {}).setdefault(path, []).append(number + position)
            ranking = Ranking([file for file, _ in results], [path for _, path in results])
            assert collected.add(ranking, number, skipped, lambda file: file != "missing") == others
            number += len(results)
        found: dict[str, dict[str, list[int]]] = {}
        for part in collected.pop_parts():
            for file, (paths, first, counts) in part.items():
                assert file not in found  # all results in a document are in one part
                assert first.tolist() == sorted(first.tolist())
                found[file] = {
                    path: [start, count]
                    for path, start, count in zip(paths, first.tolist(), counts.tolist(), strict=True)
                }
        assert found == {
            file: {path: [numbers[0], len(numbers)] for path, numbers in paths.items()}
            for file, paths in expected.items()
        }
        assert list(collected.pop_parts()) == []
