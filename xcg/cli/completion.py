"""Completion of names and paths in the shell; docs/start/install.md explains how to enable it.

The functions have the arguments of ``shell_complete`` of click. An item for files comes before names:
shells then complete files only if no name fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

from xcg.measures import MEASURES
from xcg.strategies.registry import STRATEGIES
from xcg.user_model.model import shipped_models

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _names(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]


def complete_paths(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return an item for files and folders."""
    return [CompletionItem(incomplete, type="file")]


def complete_measure(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names of measures, without cutoffs and parameters."""
    return _names(MEASURES, incomplete)


def complete_strategy(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names of overlap strategies."""
    return _names(STRATEGIES, incomplete)


def complete_user_model(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the names of the shipped user models, and files."""
    return [*complete_paths(context, parameter, incomplete), *_names(shipped_models(), incomplete)]
