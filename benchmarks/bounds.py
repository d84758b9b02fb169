"""Search for rankings that gain more than the ideal ranking: python benchmarks/bounds.py [--trees N].

Random trees of at most 7 elements get random assessments, sizes, α, quantisation and parameters of the
ideal selection. For each tree all rankings of at most 4 results, also repeated ones, are compared
with the ideal ranking at every rank. The table shows, for each user model, the share of trees with a
ranking that gains more, and the highest nxCG. The gains are those of xcg; the tests compare them with a
literal transcription of the definitions.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Mapping
from itertools import accumulate, product
from typing import Any, NamedTuple

from xcg.documents.tree import ElementTree
from xcg.gains.element_reader import ElementReader
from xcg.gains.reader import JudgedDocument
from xcg.user_model.ideal import select
from xcg.user_model.model import UserModel
from xcg.user_model.quantisation import QUANTISATIONS

GRADES = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)]
QUANTISATIONS_OF_KL = {name: QUANTISATIONS.get(name) for name in ("strict", "gen", "sog")}
IDEALS: Mapping[str, list[object]] = {
    "kazai_lalmas": [
        {"name": "kazai_lalmas", "tie": tie, "filter": kept}
        for tie in ("deeper", "shallower")
        for kept in ("shorter", "longer")
    ]
} | {name: [name] for name in ("roots", "leaves", "max_gain", "full")}


class Case(NamedTuple):
    """A tree with the scores of its rows, and parameters that are drawn at random."""

    tree: ElementTree
    scores: dict[int, float]
    alpha: float
    choice: float

    @classmethod
    def draw(cls, rng: random.Random) -> Case:
        """Draw a tree of at most 7 elements, of which about two thirds are relevant."""
        paths = ["/e[1]"]
        children: dict[str, int] = {}
        for _ in range(rng.randrange(7)):
            parent = rng.choice(paths)
            children[parent] = children.get(parent, 0) + 1
            paths.append(f"{parent}/e[{children[parent]}]")
        own = {path: rng.choice([0, 1, 5, 20]) for path in paths}
        sizes = {
            path: sum(size for below, size in own.items() if f"{below}/".startswith(f"{path}/"))
            for path in paths
        }
        tree = ElementTree.from_paths(paths, sizes)
        table: dict[tuple[int, int], float]
        if rng.random() < 0.5:
            table = {grade: rng.choice([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]) for grade in GRADES}
        else:
            quantise = rng.choice(list(QUANTISATIONS_OF_KL.values()))
            table = {grade: quantise(*grade) for grade in GRADES}
        scores = {tree.row(path): table[rng.choice(GRADES)] for path in paths if rng.random() < 2 / 3}
        return cls(tree, scores, rng.choice([0.0, 0.25, 0.5, 0.9, 1.0, rng.random()]), rng.random())

    def document(self, ideal: str) -> JudgedDocument:
        """Return the judged document under an ideal selection, with its parameters drawn at random."""
        specs = IDEALS[ideal]
        spec = specs[int(self.choice * len(specs))]
        model = UserModel.of({"name": "m", "ideal": spec})
        by_path = {self.tree.path(row): score for row, score in self.scores.items()}
        ideals = [self.tree.row(path) for path in select(model.ideal, self.tree, by_path)]
        positive = {row: score for row, score in self.scores.items() if score > 0}
        return JudgedDocument(self.tree, positive, ideals)


def cases(count: int, seed: int = 0) -> Iterator[Case]:
    """Return random cases."""
    rng = random.Random(seed)
    return (Case.draw(rng) for _ in range(count))


def highest(case: Case, ideal: str, rule: Mapping[str, Any], results: int = 4) -> float:
    """Return the highest nxCG of all rankings at all ranks; 0 without ideal elements."""
    document = case.document(ideal)
    best = sorted(document.ideal_scores.values(), reverse=True)[:results]
    if not best:
        return 0.0
    ideal_sums = list(accumulate(best + [0.0] * (results - len(best))))
    value = UserModel.of(
        {"name": "m", "relevance_value": {"alpha": case.alpha, **rule}}
    ).relevance_value
    found = 0.0
    for ranking in product(range(len(case.tree)), repeat=results):
        reader = ElementReader(document, value)
        gains = accumulate(reader.read(row) for row in ranking)
        found = max(found, *(gain / most for gain, most in zip(gains, ideal_sums, strict=True)))
    return found


MODELS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    f"{normalisation}, {seen}, {ideal}, {near}{', α = ' + str(rule['alpha']) if rule else ''}": (
        ideal,
        {"normalisation": normalisation, "partially_seen": seen, "near_misses": near, **rule},
    )
    for normalisation, seen, ideal, near, rule in (
        ("related", "capped", "kazai_lalmas", "judged", {}),
        ("related", "capped", "kazai_lalmas", "exact", {}),
        ("related", "capped", "roots", "judged", {}),
        ("related", "recursive", "kazai_lalmas", "judged", {}),
        ("related", "capped", "leaves", "judged", {}),
        ("related", "capped", "max_gain", "judged", {}),
        ("related", "capped", "max_gain", "judged", {"alpha": 1.0}),
        ("related", "capped", "full", "judged", {}),
        ("subtree", "capped", "kazai_lalmas", "judged", {"alpha": 0.5}),
        ("subtree", "recursive", "kazai_lalmas", "judged", {"alpha": 0.5}),
        ("subtree", "recursive", "kazai_lalmas", "judged", {"alpha": 1.0}),
    )
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=500)
    count = parser.parse_args().trees
    print("user model | trees with nxCG > 1 | highest nxCG\n---|---|---")
    for name, (ideal, rule) in MODELS.items():
        found = [highest(case, ideal, rule) for case in cases(count)]
        above = sum(value > 1 + 1e-9 for value in found)
        print(f"{name} | {above / count:.1%} | {max(found):.4g}", flush=True)


if __name__ == "__main__":
    main()
