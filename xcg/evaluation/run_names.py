"""Find the runs that options name by a path, or by the name of a run in the configuration."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from xcg.documents.files import expand, is_pattern
from xcg.errors import XcgError, nearest
from xcg.evaluation.inputs import GivenRuns, Inputs
from xcg.runs.run import Run


def _is_path(text: str) -> bool:
    """Return whether a text is standard input, a file, a folder, or a pattern that matches some."""
    return text == "-" or os.path.exists(text) or (is_pattern(text) and bool(glob.glob(text)))


def select_runs(inputs: Inputs, given: Sequence[str], configured: GivenRuns, config: Path) -> Inputs:
    """Return inputs with the runs of --run: paths, or names of runs in the configuration.

    RUN+STRATEGY selects one of the overlap strategies too. A text that is both a path and a name is
    the path.

    Args:
        inputs: All other inputs.
        given: The values of --run.
        configured: The runs of the configuration.
        config: The configuration, for messages.

    Raises:
        XcgError: If a text is neither a path nor a name, or names select different strategies.
    """
    campaign = replace(inputs, runs=configured)
    if not campaign.has_runs or all(map(_is_path, given)):
        return replace(inputs, runs=[Path(text) for text in given])
    every = campaign.strategy_list
    by_name: dict[str, tuple[Any, list[Any]]] = {
        f"{name}+{strategy}": (source, [strategy])
        for name, source in campaign.named_sources.items()
        for strategy in every
    }
    by_name |= {name: (source, every) for name, source in campaign.named_sources.items()}
    chosen: list[tuple[Any, list[Any]]] = []
    for text in given:
        if _is_path(text):
            chosen.append((Path(text), every))
        elif text in by_name:
            chosen.append(by_name[text])
        elif os.sep in text:  # the error suggests the nearest file
            chosen.append((Path(text), every))
        else:
            hint = nearest(text, by_name)
            raise XcgError(f"{text}: no such file, and no run {text!r} in {config}: {hint}")
    sources = list(dict.fromkeys(source for source, _ in chosen))
    strategies = [one for one in every if any(one in selected for _, selected in chosen)]
    pairs = {(source, str(one)) for source, selected in chosen for one in selected}
    if len(pairs) != len(sources) * len(strategies):
        raise XcgError("--run selects different strategies of different runs: expected the same")
    return replace(inputs, runs=sources, strategies=strategies)


def with_named_run(
    inputs: Inputs, run: str | Run | None, words: Sequence[str] = ()
) -> tuple[Inputs, str | None]:
    """Return inputs that include the run of an option such as --baseline, and the name of the run.

    Args:
        inputs: The inputs. A run that is given by a path is added to their runs.
        run: The name of a run, a path or a run; None without the option. A text that is both a name and
            a path is the path.
        words: Values of the option that are not runs, such as ``best``.
    """
    if isinstance(run, Run):
        count = len(inputs.loaded_runs)
        inputs = replace(inputs, runs=[*inputs.loaded_runs, run], strategies=())
        return inputs, inputs.loaded_runs[count].name
    if run is None or run in words:
        return inputs, run
    if not os.path.isfile(run):
        if os.sep in run and not any(run.startswith(name) for name in inputs.named_sources):
            expand(run, "a run")  # the error suggests the nearest file
        return inputs, run
    names = [name for name, source in inputs.named_sources.items() if _is_same_file(source, run)]
    if not names:
        inputs = replace(inputs, runs=[*inputs.named_sources.values(), Path(run)])
        names = list(inputs.named_sources)
    strategies = inputs.strategy_list
    return inputs, f"{names[-1]}+{strategies[0]}" if len(strategies) == 1 else names[-1]


def _is_same_file(source: object, path: str) -> bool:
    return isinstance(source, Path) and source.samefile(path)
