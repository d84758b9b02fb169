"""Compare docs/reference/user-model.md with the schema of user models."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import ROOT

from xcg.documents.text_units import TOKENIZERS
from xcg.documents.tree import SizeUnit
from xcg.settings.schema import keys_of
from xcg.user_model.ideal import SELECTIONS
from xcg.user_model.model import UserModel
from xcg.user_model.near_misses import NEAR_MISSES
from xcg.user_model.quantisation import QUANTISATIONS
from xcg.user_model.relevance_value import (
    PARTIALLY_SEEN,
    Charge,
    EffortUnit,
    Interpolation,
    Unretrieved,
)
from xcg.user_model.schema import Spans

USER_MODEL = (ROOT / "docs" / "reference" / "user-model.md").read_text(encoding="utf-8")


def table(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the rows of the table whose header row begins with a text."""
    rows = re.search(rf"^\| {re.escape(heading)}.*\n\|[-|]+\|\n((?:\|.*\n)+)", page, re.MULTILINE)
    assert rows, heading
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows[1].splitlines()]


def plain(cell: str) -> str:
    return cell.strip("| ").strip("`")


def test_the_page_has_every_key_of_a_user_model() -> None:
    keys = ["base", *(key.name for key in keys_of(UserModel))]
    for heading in ("key | values | default", "key | meaning"):
        assert sorted(plain(row[0]) for row in table(USER_MODEL, heading)) == sorted(keys)


def test_defaults_and_legal_values_of_a_user_model() -> None:
    model = UserModel.of({"name": "m"})
    rule, effort = model.relevance_value, model.effort
    words: dict[str, object] = {
        "size": SizeUnit,
        "spans": Spans,
        "effort.interpolation": Interpolation,
        "effort.unretrieved": Unretrieved,
        "effort.unit": EffortUnit,
        "effort.charge": Charge,
    }
    defaults: dict[str, object] = {
        "quantisation": model.quantisation,
        "ideal": model.ideal,
        "relevance_value.alpha": rule.alpha,
        "relevance_value.normalisation": rule.normalisation,
        "relevance_value.partially_seen": rule.partially_seen,
        "relevance_value.near_misses": rule.near_misses,
        "size": model.size,
        "spans": model.spans,
        "effort.interpolation": effort.interpolation,
        "effort.unretrieved": effort.unretrieved,
        "effort.unit": effort.unit,
        "effort.charge": effort.charge,
        "effort.tokenizer": effort.tokenizer,
    }
    for key, values, default in table(USER_MODEL, "key | values | default"):
        name = plain(key)
        if name in words:
            assert re.findall("`(.*?)`", values) == list(words[name].__args__)  # type: ignore[attr-defined]
        if name in defaults:
            assert plain(default) == str(defaults[name])


def test_the_page_lists_all_parts() -> None:
    registries = {
        "quantisation": QUANTISATIONS,
        "ideal": SELECTIONS,
        "relevance_value.partially_seen": PARTIALLY_SEEN,
        "relevance_value.near_misses": NEAR_MISSES,
        "effort.tokenizer": TOKENIZERS,
    }
    for key, parts in table(USER_MODEL, "key | parts"):
        registry = registries.pop(plain(key))
        own = set(registry.registered())
        assert sorted(re.findall("`(.*?)`", parts)) == sorted(own)
    assert not registries


def test_the_sample_is_the_default_user_model(tmp_path: Path) -> None:
    sample = re.search(r":caption: mine.yaml\n(.*?)^```", USER_MODEL, re.MULTILINE | re.DOTALL)
    assert sample
    (tmp_path / "mine.yaml").write_text(sample[1])
    assert UserModel.load(tmp_path / "mine.yaml") == UserModel.of({"name": "mine"})
