"""The near-miss model that combines others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from math import fsum, prod
from typing import Annotated, Any, Literal

from xcg.documents.tree import ElementTree
from xcg.errors import nearest
from xcg.registry import Part
from xcg.settings.yaml_file import parse_yaml
from xcg.user_model.near_misses import NEAR_MISSES, NearMisses

_MODEL = r"\s*([\w-]+)(?:\(([^()]*)\))?\s*"
_JOINED: Mapping[str, Callable[..., float]] = {
    "product": prod,
    "largest": max,
    # The module statistics takes longer to import than a small evaluation.
    "mean": lambda values: fsum(values) / len(values),
}


@cache
def _parts(models: str) -> list[Part[NearMisses]]:
    """Return the near-miss models that a text names; ValueError for an illegal text."""
    legal = [name for name in NEAR_MISSES if name not in ("judged", "exact", "combined")]
    if not re.fullmatch(f"(?:{_MODEL})+", models):
        raise ValueError(f"found {models!r}")
    if unknown := [name for name, _ in re.findall(_MODEL, models) if name not in legal]:
        raise ValueError(f"unknown near-miss model {unknown[0]!r}: {nearest(unknown[0], legal)}")
    named: Any = [
        (name, parse_yaml(f"{{{given.replace('=', ': ')}}}"))
        for name, given in re.findall(_MODEL, models)
    ]
    return [NEAR_MISSES.part(name, parameters) for name, parameters in named]


class _Models:
    """The rule for texts that name near-miss models."""

    def __str__(self) -> str:
        return "like distance(reach=3) length_ratio"

    def expected(self, value: str) -> str | None:
        """Return what was expected instead of a text; None if it is legal."""
        try:
            _parts(value)
        except ValueError as error:
            return f"near-miss models {self}; {error}"
        return None


@NEAR_MISSES.register("combined", references=("kazai-lalmas-2006",))
def combined(
    tree: ElementTree,
    ideal: str,
    ideals: Mapping[str, float],
    *,
    models: Annotated[str, _Models()] = "distance length_ratio",
    by: Literal["product", "largest", "mean"] = "product",
) -> Mapping[str, float]:
    """Combine near-miss models: closeness = product, largest or mean of their values.

    Kazai and Lalmas (2006, section 7) plan scores that reflect distance and size ratio. The closeness
    of a model is 0 for elements that it does not return.

    Args:
        tree: The document, with what the models need.
        ideal: The path of the ideal element.
        ideals: The paths and scores of all ideal elements.
        models: Names with parameters, such as ``distance(reach=3) length_ratio``.
        by: How the values of closeness are combined.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><s>12345678<p>90</p></s><s>1234567890</s></a>")
    >>> combined(tree, "/a[1]/s[1]", {"/a[1]/s[1]": 1.0})
    {'/a[1]': 0.25, '/a[1]/s[1]/p[1]': 0.1}
    """
    near = [part.function(tree, ideal, ideals) for part in _parts(models)]
    paths = sorted({path for one in near for path in one}, key=tree.row)
    closeness = {path: _JOINED[by]([one.get(path, 0.0) for one in near]) for path in paths}
    return {path: value for path, value in closeness.items() if value}
