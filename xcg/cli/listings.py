"""Commands that list what xcg provides: ``xcg measures``, ``xcg user-models``, ``xcg strategies``."""

from __future__ import annotations

import click

from xcg.measures import MEASURES
from xcg.report.listings import describe_measure, list_measures, list_user_models, show_user_model
from xcg.report.strategies import describe_strategy, list_strategies


@click.command()
@click.argument("name", required=False)
def measures(name: str | None) -> None:
    """List the measures, or describe one measure.

    xcg measures ep prints the formula, the parameters and the source of ep.
    """
    if name is None:
        text = list_measures(MEASURES.values())
    else:
        text = "\n".join(describe_measure(definition) for definition in MEASURES.definitions(name))
    click.echo(text, nl=False)


@click.command()
@click.argument("name", required=False)
def user_models(name: str | None) -> None:
    """List the shipped user models, or print one as YAML.

    The list includes the quantisations and other parts from which user models are built.
    """
    click.echo(list_user_models() if name is None else show_user_model(name), nl=False)


@click.command()
@click.argument("name", required=False)
def strategies(name: str | None) -> None:
    """List the overlap strategies, or explain one.

    xcg strategies promote_parent prints its definition, its parameters and an example. Strategies of
    installed packages are included, and package.module:function explains one of your own.
    """
    click.echo(list_strategies() if name is None else describe_strategy(name), nl=False)
