"""Runs: what the systems under evaluation returned, and a reader for each form it is written in."""

from xcg.runs.reading import read_run, read_runs
from xcg.runs.run import Ranking, Run, Ties

__all__ = ["Ranking", "Run", "Ties", "read_run", "read_runs"]
