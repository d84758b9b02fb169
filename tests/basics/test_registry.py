"""Register objects and functions, and find them by name."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any, Literal

import pytest

from xcg.errors import XcgError
from xcg.registry import FunctionRegistry, Registry

NUMBER = 1


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Entry points of the group ``xcg.colour``, as if installed."""
    values: dict[str, str] = {}

    def entry_points(group: str) -> list[EntryPoint]:
        assert group == "xcg.colour"
        return [EntryPoint(name, value, group) for name, value in values.items()]

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    return values


@pytest.fixture
def colours() -> FunctionRegistry[Any]:
    return FunctionRegistry("colour", "xcg.colour")


def shade(
    tree: object,
    *,
    depth: int = 1,
    strength: float = 0.5,
    hue: Literal["red", "blue"] = "red",
    even: bool = False,
) -> str:
    """Return a shade.

    The second paragraph is not part of the summary.
    """
    return f"{hue} {depth} {strength}"


def test_an_object_is_found_by_its_name(installed: dict[str, str]) -> None:
    numbers: Registry[int] = Registry("number", "xcg.colour")
    assert numbers.add("one", 1) == 1
    assert numbers.add("one", 1) == 1
    assert (numbers.get("one"), "one" in numbers, "two" in numbers) == (1, True, False)
    with pytest.raises(ValueError, match="the number 'one' is already registered"):
        numbers.add("one", 2)


def test_entry_points_are_loaded_when_they_are_used(installed: dict[str, str]) -> None:
    installed.update(pi="math:pi", lost="no_such_module:x")
    numbers: Registry[float] = Registry("number", "xcg.colour")
    numbers.add("one", 1)
    assert list(numbers) == ["lost", "one", "pi"]
    assert "lost" in numbers
    assert numbers.get("pi") == pytest.approx(3.14159, abs=1e-5)
    with pytest.raises(
        XcgError, match="cannot import the number 'no_such_module:x': ModuleNotFoundError"
    ):
        numbers.get("lost")
    with pytest.raises(XcgError, match="unknown number 'onee': did you mean 'one'"):
        numbers.get("onee")


def test_a_registered_name_takes_precedence_over_an_entry_point(installed: dict[str, str]) -> None:
    installed["one"] = "math:pi"
    numbers: Registry[float] = Registry("number", "xcg.colour")
    numbers.add("one", 1)
    assert numbers.get("one") == 1


def test_a_function_is_chosen_by_name_by_path_or_directly(colours: FunctionRegistry[Any]) -> None:
    colours.register("shade")(shade)
    plain = colours.part("shade")
    with_parameters = colours.part("shade", {"depth": 3, "strength": 1, "hue": "blue"})
    assert (str(plain), plain.function(None)) == ("shade", "red 1 0.5")
    assert str(with_parameters) == "shade(depth=3, strength=1, hue=blue)"
    assert with_parameters.function(None) == "blue 3 1"
    assert with_parameters.plain is shade
    assert plain.key != with_parameters.key == colours.part(shade, dict(with_parameters.parameters)).key
    assert colours.part("test_registry:shade").function(None) == "red 1 0.5"
    assert colours.part(len).name == "len"


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("shade", {"dept": 1}, "colour shade has no parameter 'dept': did you mean 'depth'?"),
        (
            "shade",
            {"tree": 1},
            "colour shade has no parameter 'tree': expected one of depth, even, hue, strength",
        ),
        ("shade", {"depth": "two"}, "colour shade: depth is 'two': expected a whole number"),
        ("shade", {"depth": 1.5}, "colour shade: depth is 1.5: expected a whole number"),
        ("shade", {"strength": True}, "colour shade: strength is True: expected a number"),
        ("shade", {"hue": "rd"}, "colour shade: hue is 'rd': did you mean 'red'?"),
        ("shade", {"even": "no"}, "colour shade: even is 'no': expected true or false"),
        ("plain", {"depth": 1}, "colour plain has no parameter 'depth': it has no parameters"),
        ("shad", {}, "unknown colour 'shad': did you mean 'shade'?"),
        ("test_registry:NUMBER", {}, "the colour 'test_registry:NUMBER' is not a function"),
        ("test_registry:no", {}, "cannot import the colour 'test_registry:no': AttributeError"),
        ("shade:", {}, "cannot import the colour 'shade:'"),
    ],
)
def test_wrong_names_and_parameters(
    colours: FunctionRegistry[Any],
    installed: dict[str, str],
    name: str,
    parameters: dict[str, object],
    message: str,
) -> None:
    colours.register("shade")(shade)
    colours.register("plain")(lambda tree: tree)
    with pytest.raises(XcgError) as error:
        colours.part(name, parameters)
    assert message in str(error.value)
