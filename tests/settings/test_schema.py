"""The types of keys: legal values, limits, and messages with the nearest name."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from xcg.errors import InputError
from xcg.settings.keys import Settings
from xcg.settings.schema import (
    FILE,
    FLAG,
    NAME,
    OBJECTS,
    PATH,
    PATHS,
    REQUIRED,
    RUN,
    TEXT,
    Checked,
    Choice,
    ListOf,
    Number,
    Place,
    Type,
    checked,
    key,
    keys_of,
    whole,
)

HERE = Place("--x")
PYTHON = Place("x", is_python=True)


@dataclass(frozen=True)
class Inner:
    shape: str = key("The shape.", Choice(("round", "square")), "round", option=True)
    sizes: list[int] = key("The sizes.", ListOf(whole(1, 9)), [2, 3])


@dataclass(frozen=True)
class Outer:
    name: str = key("The name.", NAME, REQUIRED)
    inner: Inner = field(default_factory=Inner)


@pytest.mark.parametrize(
    ("type", "value", "expected"),
    [
        (TEXT, "a b", "a b"),
        (NAME, 163, "163"),
        (FLAG, False, False),
        (Choice(("t", "wilcoxon")), "t", "t"),
        (whole(0, 3), 3, 3),
        (Number(0, 1), 1, 1.0),
        (Number(), -2, -2.0),
        (ListOf(whole(1, 9)), "1, 2 3", [1, 2, 3]),
        (ListOf(whole(1, 9)), 4, [4]),
        (ListOf(NAME), "a b", ["a b"]),
        (PATH, "a", Path("a")),
        (PATHS, ["a", "b"], [Path("a"), Path("b")]),
        (Checked(stated="a thing"), {"any": 1}, {"any": 1}),
    ],
)
def test_legal_values(type: Type, value: object, expected: object) -> None:
    assert type.check(value, HERE) == expected


@pytest.mark.parametrize(
    ("type", "value", "message"),
    [
        (TEXT, " ", "expected text, found str ' '"),
        (TEXT, 3, "expected text, found int 3"),
        (NAME, True, "expected text, found bool True"),
        (NAME, None, "expected text, found nothing"),
        (FLAG, "yes", "expected true or false, found str 'yes'"),
        (Choice(("t", "wilcoxon")), "wilcox", "illegal value 'wilcox': did you mean 'wilcoxon'"),
        (Choice(("t", "wilcoxon")), ["t"], "illegal value \\['t'\\]"),
        (whole(1, 2000), 0, "expected a whole number from 1 to 2,000, found int 0"),
        (whole(1, 2000), 2001, "found int 2001"),
        (whole(1, 2000), True, "found bool True"),
        (whole(1, 2000), 1.0, "found float 1.0"),
        (Number(0, 1), 1.5, "expected a number from 0 to 1, found float 1.5"),
        (Number(0, 100, is_open=True), 100, "expected a number above 0 and below 100, found int 100"),
        (Number(0, is_open=True), 0, "expected a number above 0, found int 0"),
        (Number(), float("nan"), "expected a number, found float nan"),
        (Number(), True, "expected a number, found bool True"),
        (ListOf(whole(1, 9), "[1, 2]"), [], "expected at least one value, like \\[1, 2\\]"),
        (ListOf(whole(1, 9)), "1 x", "found str 'x'"),
        (ListOf(whole(1, 9)), "9" * 5000, "found str '9999"),
        (ListOf(NAME), ["a", 1.5], "expected text, found float 1.5"),
        (Checked(stated="a list"), [], "expected a list, found list \\[\\]"),
        (PATH, 3, "expected text, found int 3"),
        (FILE, "-", "standard output is for the results: expected a file"),
    ],
)
def test_illegal_values_say_what_is_expected(type: Type, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        type.check(value, HERE)


def test_long_values_are_shortened_in_messages() -> None:
    with pytest.raises(ValueError, match="found str '9999") as caught:
        whole(1, 9).check("9" * 5000, HERE)
    assert len(str(caught.value)) < 150


def test_paths_and_runs_in_a_file_are_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "bm25.run").write_text("")
    in_file = Place("c.yaml:1: x", tmp_path)
    assert PATH.check("a", in_file) == tmp_path / "a"
    assert PATH.check("-", in_file) == Path("-")
    assert RUN.check("bm25.run", in_file) == str(tmp_path / "bm25.run")
    assert RUN.check("bm25", in_file) == "bm25"  # a name
    assert RUN.check("bm25.run", HERE) == "bm25.run"


def test_python_can_state_objects() -> None:
    run = object()
    assert RUN.check(run, PYTHON) is run
    assert RUN.check(Path("a"), PYTHON) == "a"
    inputs = OBJECTS
    assert inputs.check({"1": {}}, PYTHON) == {"1": {}}
    assert inputs.check(Path("a"), PYTHON) == [Path("a")]
    with pytest.raises(ValueError, match="expected text, found dict"):
        inputs.check({"1": {}}, HERE)


def places(path: tuple[object, ...]) -> Place:
    return Place(".".join(map(str, path)) or "top")


def test_sections_are_filled_and_have_defaults() -> None:
    found = checked(Outer, {"name": "n", "inner": {"sizes": [9]}}, places)
    assert found == Outer("n", Inner("round", [9]))
    assert checked(Outer, {"name": "n"}, places).inner == Inner()
    found.inner.sizes.append(1)
    assert Inner().sizes == [2, 3]  # defaults are not shared


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"name": "n", "iner": {}}, "iner: unknown key: did you mean 'inner'?"),
        ({"name": "n", "inner": {"shap": 1}}, "inner.shap: unknown key: did you mean 'shape'?"),
        ({"name": "n", "inner": {1: 2}}, "inner.1: unknown key: expected one of shape, sizes"),
        ({"name": "n", "inner": 3}, "inner: expected keys with values, found int 3"),
        ({"name": "n", "inner": {"sizes": [0]}}, "inner.sizes: expected a whole number from 1 to 9"),
        ({"inner": {}}, "top: the key 'name' is missing"),
        ([], "top: expected keys with values, found list []"),
    ],
)
def test_a_wrong_mapping_names_the_key(content: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        checked(Outer, content, places)
    assert str(caught.value).startswith(message)


def test_keys_have_paths_defaults_and_options() -> None:
    name, shape, sizes = keys_of(Outer)
    assert (name.name, shape.name, sizes.name) == ("name", "inner.shape", "inner.sizes")
    assert (shape.option, shape.default, shape.type.choices) == (
        "--shape",
        "round",
        ("round", "square"),
    )
    assert (sizes.option, sizes.default, sizes.type.is_list) == ("", [2, 3], True)


def test_every_key_has_a_sentence_of_help() -> None:
    for one in keys_of(Settings):
        assert one.help[0].isupper(), one.name
        assert one.help.endswith("."), one.name
        assert one.type.metavar, one.name
