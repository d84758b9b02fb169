"""Compare docs/reference/configuration.md and user-model.md with the schemas and the commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import voluptuous as vol
from conftest import ROOT

from xcg.cli.main import main
from xcg.documents.text_units import TOKENIZERS
from xcg.documents.tree import SizeUnit
from xcg.errors import XcgError
from xcg.evaluation.config import configuration_schema, load_configuration
from xcg.evaluation.inputs import DEFAULT_MEASURES, Inputs
from xcg.user_model.effort import Charge, EffortUnit, Interpolation, Unretrieved
from xcg.user_model.ideal import SELECTIONS
from xcg.user_model.model import UserModel
from xcg.user_model.near_misses import NEAR_MISSES
from xcg.user_model.overlap_models import PARTIALLY_SEEN
from xcg.user_model.quantisation import QUANTISATIONS
from xcg.user_model.schema import Spans, user_model_schema

REFERENCE = ROOT / "docs" / "reference"
CONFIGURATION = (REFERENCE / "configuration.md").read_text(encoding="utf-8")
USER_MODEL = (REFERENCE / "user-model.md").read_text(encoding="utf-8")


def table(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the rows of the table whose header row begins with a text."""
    rows = re.search(rf"^\| {re.escape(heading)}.*\n\|[-|]+\|\n((?:\|.*\n)+)", page, re.MULTILINE)
    assert rows, heading
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows[1].splitlines()]


def plain(cell: str) -> str:
    return cell.strip("| ").strip("`")


def keys_of(schema: Any, above: str = "") -> Iterator[str]:
    """Yield the keys of a schema, with dots before inner keys."""
    for marker, value in schema.items():
        inner = value.validators[0] if isinstance(value, vol.All) else value
        if isinstance(inner, dict):
            yield from keys_of(inner, f"{above}{marker}.")
        else:
            yield f"{above}{marker}"


def commands(group: click.Group, above: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield the names of all commands that take CONFIG, and the commands."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{above}{name} ")
        elif command is not None and any(one.name == "config" for one in command.params):
            yield f"{above}{name}", command


EXAMPLES = [
    *table(CONFIGURATION, "key | meaning | example"),
    *table(CONFIGURATION.partition("### Evaluation")[2], "key | meaning | example"),
]


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: row[0])
def test_examples_of_keys_are_legal(row: list[str], tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine")
    (tmp_path / "config.yaml").write_text(plain(row[2]))
    load_configuration(tmp_path / "config.yaml")


def test_the_pages_have_every_key_of_the_schemas() -> None:
    keys = [plain(row[0]) for row in table(CONFIGURATION, "key | type")]
    assert sorted(keys) == sorted(keys_of(configuration_schema().schema))
    assert sorted(plain(row[0]) for row in EXAMPLES) == sorted(keys)
    for heading in ("key | values | default", "key | meaning"):
        keys = [plain(row[0]) for row in table(USER_MODEL, heading)]
        assert sorted(keys) == sorted(keys_of(user_model_schema().schema))


def test_the_page_lists_the_options_that_override_keys() -> None:
    options = {plain(row[3]) for row in table(CONFIGURATION, "key | type")}
    stated: dict[str, set[str]] = {}
    for names, cell in table(CONFIGURATION, "commands with CONFIG"):
        listed = set(re.findall(r"`(--[\w-]+)`", cell))
        for name in re.findall("`(.*?)`", names):
            stated[name] = options - listed if cell.startswith("all") else listed
    assert stated == {
        name: options & {option for parameter in command.params for option in parameter.opts}
        for name, command in commands(main)
    }


def test_defaults_of_the_configuration() -> None:
    defaults = {plain(row[0]): plain(row[2]) for row in table(CONFIGURATION, "key | type")}
    inputs = Inputs()
    assert defaults["measures"].split() == list(DEFAULT_MEASURES)
    assert defaults["topics.unanswered"] == inputs.unanswered
    assert defaults["order"] == inputs.file_order
    assert (defaults["ties"], inputs.ties) == ("that of the format", None)
    assert defaults["workers"] == str(inputs.workers)


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
        own = {registry.name(one) for one in registry.registered()}
        assert sorted(re.findall("`(.*?)`", parts)) == sorted(own)
    assert not registries


def test_the_sample_is_the_default_user_model(tmp_path: Path) -> None:
    sample = re.search(r":caption: mine.yaml\n(.*?)^```", USER_MODEL, re.MULTILINE | re.DOTALL)
    assert sample
    (tmp_path / "mine.yaml").write_text(sample[1])
    assert UserModel.load(tmp_path / "mine.yaml") == UserModel.of({"name": "mine"})


REFUSED = [
    ("measure: [MAep]", "unknown key: did you mean 'measures'?"),
    ("topics: {unanswered: one}", "illegal value 'one': expected one of"),
    ("workers: 0", "expected a number of processes from 1, or -1 for one per core"),
    ("intervals: 0", "expected a confidence level in percent, such as 95"),
    ("runs: []", "expected at least one path"),
    ("user_model: kazai-lalmas-2007", "did you mean"),
    ("measures: [nxCQ@10]", "did you mean"),
    ("user_model: {quantisation: sog}", "the key 'name' is missing"),
    (
        "user_model: {name: m, relevance_value: {alpha: 2}}",
        "illegal value 2: expected a number from 0 to 1",
    ),
    ("user_model: {name: m, ideal: leafs}", "did you mean 'leaves'"),
    ("user_model: {name: m, effort: {unit: pages}}", "illegal value 'pages': expected one of"),
    (
        'user_model: {name: m, quantisation: {table: {"3,3": 2}}}',
        "the score of '3,3' is 2: expected a number from 0 to 1",
    ),
    (
        "user_model: {name: m, spans: text, relevance_value: {near_misses: distance}}",
        "applies to elements only",
    ),
]


@pytest.mark.parametrize(("content", "message"), REFUSED)
def test_illegal_values_are_refused(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(content)
    with pytest.raises(XcgError) as error:
        load_configuration(path)
    assert message in str(error.value)
