"""The declared range of every parameter is the range that is checked and listed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import pytest

from xcg.errors import XcgError
from xcg.registry import Between, Parameter, parameters_of
from xcg.report.listings import REGISTRIES
from xcg.settings.schema import keys_of
from xcg.strategies.registry import STRATEGIES
from xcg.user_model.model import UserModel
from xcg.user_model.relevance_value import ALPHA, RelevanceValue


def parts() -> Iterator[Any]:
    """Yield (registry, name, parameter) for all parameters of all parts and strategies."""
    for registry in (*REGISTRIES.values(), STRATEGIES):
        for name in registry:
            for parameter in parameters_of(registry.get(name)):
                if parameter.type is not str:  # the name of a strategy, which has no range
                    yield pytest.param(registry, name, parameter, id=f"{name}-{parameter.name}")


def settings() -> Iterator[Any]:
    """Yield (section, parameter) for the settings of a user model that are not functions."""
    for key in keys_of(UserModel):
        section, name = "".join(key.path[:-1]), key.path[-1]
        if key.type.choices:
            parameter = Parameter(name, Literal[key.type.choices], [], key.default)
            yield pytest.param(section, parameter, id=key.name)
        elif key.type.expected:
            assert key.type.expected == f"a number {ALPHA}"
            yield pytest.param(section, Parameter(name, float, [ALPHA], key.default), id=key.name)


def legal_and_illegal(parameter: Parameter) -> tuple[list[object], list[object]]:
    """Return the bounds of a parameter's values, and values right outside of them."""
    if get_origin(parameter.type) is Literal:
        return list(get_args(parameter.type)), ["nonsense", 7, None]
    legal: list[object] = [parameter.default]
    illegal: list[object] = ["text", True, None]
    bounds = [rule for rule in parameter.constraints if isinstance(rule, Between)]
    assert bounds, f"{parameter.name} declares no range"
    step = 1 if parameter.type is int else 1e-6
    for bound in bounds:
        legal.append(bound.least)
        illegal += [bound.least - step, math.nan, math.inf, -math.inf]
        if bound.most < math.inf:
            legal.append(bound.most)
            illegal.append(bound.most + step)
    if parameter.type is int:
        illegal.append(bounds[0].least + 0.5)
    return legal, illegal


@pytest.mark.parametrize(("registry", "name", "parameter"), list(parts()))
def test_bounds_are_accepted_and_values_outside_are_refused(
    registry: Any, name: str, parameter: Parameter
) -> None:
    legal, illegal = legal_and_illegal(parameter)
    for value in legal:
        registry.part(name, {parameter.name: value})
    for value in illegal:
        with pytest.raises(XcgError) as caught:
            registry.part(name, {parameter.name: value})
        assert f"{name}: {parameter.name} is {value!r}: " in str(caught.value)


@pytest.mark.parametrize(("section", "parameter"), list(settings()))
def test_settings_accept_what_they_declare(section: str, parameter: Parameter) -> None:
    def model(value: object) -> UserModel:
        setting = {parameter.name: value}
        return UserModel.of({"name": "m", **({section: setting} if section else setting)})

    legal, illegal = legal_and_illegal(parameter)
    for value in legal:
        model(value)
    for value in illegal:
        with pytest.raises(XcgError, match=r"illegal value|expected a number"):
            model(value)


def test_every_listed_setting_has_a_declared_range() -> None:
    found = {values.values[1].name for values in settings()}
    assert found == {*("size", "spans", "alpha"), *("interpolation", "unretrieved", "unit", "charge")}


def test_a_program_gets_the_same_check_of_alpha() -> None:
    assert RelevanceValue(alpha=ALPHA.least).alpha == 0
    for alpha in (-1e-6, 1 + 1e-6, math.nan):
        with pytest.raises(ValueError, match=r"alpha is .*: expected a number from 0 to 1"):
            RelevanceValue(alpha=alpha)
