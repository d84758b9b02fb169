"""Commands that list what xcg provides: ``xcg measures``, ``xcg user-models``, ``xcg strategies``."""

from __future__ import annotations

import click

from xcg.cli.command import command
from xcg.cli.completion import complete_measure, complete_strategy, complete_user_model
from xcg.cli.output import Printed, prints
from xcg.errors import XcgError
from xcg.measures import MEASURES
from xcg.report.listings import (
    describe,
    describe_measure,
    describe_strategy,
    list_measures,
    list_strategies,
    list_user_models,
    user_model_yaml,
)
from xcg.terminal_tables import Prose


@command(example="xcg measures ep")
@click.argument("name", required=False, shell_complete=complete_measure)
@prints()
def measures(name: str | None) -> Printed:
    """List the measures, or describe one measure.

    xcg measures ep prints the formula, the parameters and the source of ep.
    """
    if name is None:
        return Printed("", table=[list_measures(MEASURES.values())])
    definitions = MEASURES.definitions(name)
    return Printed("", table=[Prose("\n".join(map(describe_measure, definitions)))])


@command(example="xcg user-models kazai-lalmas-2006")
@click.argument("name", required=False, shell_complete=complete_user_model)
@click.option("--yaml", "as_yaml", is_flag=True, help="Print the YAML file of a shipped user model.")
@prints(has_tables=True)
def user_models(name: str | None, as_yaml: bool) -> Printed:
    """List the user models and their parts, or explain one.

    xcg user-models kazai-lalmas-2006 prints the settings of a user model, with the legal values and
    defaults, and the parameters of all parts that can be chosen. NAME can be the YAML file of a user
    model, too. xcg user-models distance explains a part. To write a user model of your own, start
    from a file: xcg user-models kazai-lalmas-2006 --yaml --output mine.yaml.
    """
    if as_yaml:
        if name is None:
            raise XcgError("--yaml needs the name of a user model: xcg user-models NAME --yaml")
        return Printed(user_model_yaml(name))
    return Printed("", table=describe(name) if name is not None else list_user_models())


@command(example="xcg strategies promote_parent")
@click.argument("name", required=False, shell_complete=complete_strategy)
@prints()
def strategies(name: str | None) -> Printed:
    """List the overlap strategies, or explain one.

    xcg strategies promote_parent prints its definition, its parameters and an example. Strategies of
    installed packages are included, and package.module:function explains one of your own.
    """
    block = list_strategies() if name is None else Prose(describe_strategy(name))
    return Printed("", table=[block])
