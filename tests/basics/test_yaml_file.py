"""YAML files: scalars of the core schema, and limits for hostile files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT

import xcg.settings.yaml_file
from xcg.errors import InputError
from xcg.settings.yaml_file import MAX_DEPTH, load_yaml
from xcg.user_model.model import shipped_models


@pytest.fixture(params=["libyaml", "pure Python"])
def yaml_path(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Yield a path for a YAML file, which is read with or without libyaml."""
    if request.param == "pure Python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    xcg.settings.yaml_file._loader.cache_clear()
    yield tmp_path / "file.yaml"
    xcg.settings.yaml_file._loader.cache_clear()


# YAML 1.2.2, section 10.3.2: the resolution of scalars by the core schema.
@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        *((word, None) for word in ("~", "null", "Null", "NULL", "")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        *((word, word) for word in ("yes", "no", "on", "off", "Yes", "NO", "y", "n", "tRUE")),
        *zip(("0", "-19", "+7", "010", "0o14", "0x1F"), (0, -19, 7, 10, 12, 31), strict=True),
        *zip(("1e3", "1.5", ".5", "3.", "-2E-2"), (1000.0, 1.5, 0.5, 3.0, -0.02), strict=True),
        *zip((".inf", "-.Inf", "+.INF"), (math.inf, -math.inf, math.inf), strict=True),
        *((word, word) for word in ("1:30", "1_000", "0b11", "0o8", "-0x1F", "2006-01-31", "<<", "=")),
        *((word, word) for word in ("nan", "inf", ".", "1.e", "e3", "1.2.3", "٣")),
        *((f'"{word}"', word) for word in ("null", "true", "1", "")),
        ("!!str 1", "1"),
        ("!!float 1", 1.0),
        ("!!int 0x10", 16),
    ],
)
def test_scalars_are_read_by_the_core_schema_of_yaml_1_2(
    yaml_path: Path, scalar: str, value: object
) -> None:
    yaml_path.write_text(f"key: {scalar}\n", encoding="utf-8")
    content: Any = load_yaml(yaml_path).content
    assert (content["key"], type(content["key"])) == (value, type(value))


def test_not_a_number_is_a_float(yaml_path: Path) -> None:
    yaml_path.write_text("[.nan, .NaN, .NAN]")
    content: Any = load_yaml(yaml_path).content
    assert [math.isnan(value) for value in content] == [True] * 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a:\n  b: !!int no", ":2: not valid YAML: 'no' is not of type int"),
        ("!!bool yes", ":1: not valid YAML: 'yes' is not of type bool"),
        ("a: !!binary aGk=", ":1: the tag tag:yaml.org,2002:binary is not allowed"),
        ("a: !!timestamp 2006-01-31", ":1: the tag tag:yaml.org,2002:timestamp is not allowed"),
        ("!!set {a}", ":1: the tag tag:yaml.org,2002:set is not allowed"),
        ("a: !mine 1", ":1: the tag !mine is not allowed"),
        ("? [a]\n: b", ":1: expected a plain key before the colon"),
        ("1: a\n0x1: b", ":2: the key 1 occurs twice"),
        ("--- a\n--- b", ":2: not valid YAML: but found another document"),
        ("%TAG ! tag:x,2006:\n--- a", ":1: %TAG is not allowed: tags are those of YAML itself"),
    ],
)
def test_an_error_in_a_file_names_the_line(yaml_path: Path, text: str, message: str) -> None:
    yaml_path.write_text(text)
    with pytest.raises(InputError) as raised:
        load_yaml(yaml_path)
    assert str(raised.value) == f"{yaml_path}{message}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: 1\nb: \xff", ":2: not valid YAML: expected text in UTF-8"),
        (b"\xff\xfea", ":1: not valid YAML: expected text in UTF-16"),
        (b"a: \x01", ": not valid YAML: "),
    ],
)
def test_an_error_in_an_encoding_is_reported(yaml_path: Path, content: bytes, message: str) -> None:
    yaml_path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        load_yaml(yaml_path)
    assert str(raised.value).startswith(f"{yaml_path}{message}")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_files_with_a_byte_order_mark_are_read(yaml_path: Path, encoding: str) -> None:
    yaml_path.write_text("name: é", encoding=encoding)
    assert load_yaml(yaml_path).content == {"name": "é"}


@pytest.mark.parametrize(
    "start", ["[", "{", "{a: ", "- ", "? ", "? - ", "[a: ", "{[", "&a [", "!!seq ["]
)
@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 26_000])
def test_deep_nesting_is_refused_before_libyaml_overflows_the_stack(
    yaml_path: Path, start: str, levels: int
) -> None:
    yaml_path.write_text(start * levels)
    with pytest.raises(InputError) as raised:
        load_yaml(yaml_path)
    expected = f"lists and mappings are nested more than {MAX_DEPTH} levels deep"
    assert str(raised.value) == f"{yaml_path}:1: {expected}"


def test_an_alias_inside_of_its_own_anchor_is_refused(yaml_path: Path) -> None:
    yaml_path.write_text("a:\n  &a [*a]")
    with pytest.raises(InputError, match=":2: lists and mappings are nested more than 50 levels deep"):
        load_yaml(yaml_path)


@pytest.mark.parametrize("number", ["1" * 101, "-." + "3" * 99, "0x" + "f" * 5000, "1e" + "9" * 99])
def test_long_numbers_are_refused(yaml_path: Path, number: str) -> None:
    yaml_path.write_text(f"a: 1\nb: {number}")
    with pytest.raises(InputError) as raised:
        load_yaml(yaml_path)
    size = f"{len(number):,} characters; expected at most 100"
    assert str(raised.value) == f"{yaml_path}:2: the number {number[:20]}… has {size}"


def test_the_longest_number_is_read(yaml_path: Path) -> None:
    yaml_path.write_text("0x" + "f" * 98)
    assert load_yaml(yaml_path).content == 16**98 - 1


def test_sexagesimal_numbers_are_text_of_any_length(yaml_path: Path) -> None:
    number = "1" + ":59" * 300_000  # an integer in YAML 1.1, read in quadratic time
    yaml_path.write_text(f'"key": {number}')
    assert load_yaml(yaml_path).content == {"key": number}


@pytest.mark.parametrize(
    ("limit", "value", "text", "message"),
    [
        ("MAX_BYTES", 12, "a: 1234567890", ": larger than 1 MB; expected a YAML configuration"),
        ("MAX_TOKENS", 9, "[a, b,\n c, d]", ":2: more than 9 keys and values; expected"),
        ("MAX_VALUES", 8, "[&a [x, x, x],\n *a]", ":1: more than 8 values or 1,048,576 characters"),
        ("MAX_BYTES", 23, "[&a 123456,*a,*a,*a,*a]", ":1: more than 50,000 values or 23 characters"),
    ],
)
def test_large_files_are_refused(
    yaml_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, text: str, message: str
) -> None:
    yaml_path.write_text(text)
    load_yaml(yaml_path)
    monkeypatch.setattr(xcg.settings.yaml_file, limit, value)
    with pytest.raises(InputError) as raised:
        load_yaml(yaml_path)
    assert str(raised.value).startswith(f"{yaml_path}{message}")


def test_the_limit_of_tokens_is_above_the_limit_of_values() -> None:
    pairs = "".join(f"k{i}: {i}\n" for i in range(1000))
    tokens = len(list(yaml.scan(pairs)))
    assert tokens / 1000 < xcg.settings.yaml_file.MAX_TOKENS / xcg.settings.yaml_file.MAX_VALUES


@pytest.mark.parametrize("file", [*ROOT.glob("configs/*.yaml"), *shipped_models().values()], ids=str)
def test_shipped_files_mean_the_same_in_yaml_1_1(file: Path) -> None:
    assert load_yaml(file).content == yaml.safe_load(file.read_text())
