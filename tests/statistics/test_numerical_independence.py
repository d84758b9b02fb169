"""No number depends on BLAS, whose rounding depends on the processor, on threads and on shapes."""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path
from subprocess import run

import pytest
from conftest import ROOT

BLAS = {"dot", "vdot", "inner", "matmul", "tensordot", "linalg"}
BLAS |= {"corrcoef", "cov", "convolve", "correlate", "polyfit"}  # call the others


def uses_of_blas(file: Path) -> list[str]:
    """Return the operations of a module that NumPy gives to BLAS or LAPACK."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
        is_call = (
            isinstance(node, ast.Attribute) and node.attr in BLAS and ast.unparse(node.value) == "np"
        )
        if is_product or is_call:
            found.append(f"{file.name}:{node.lineno}: {ast.unparse(node)}")
    return found


def test_no_module_uses_blas() -> None:
    assert [use for file in (ROOT / "xcg").rglob("*.py") for use in uses_of_blas(file)] == []


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize(
    "command", ["study plan", "study calibrate --set study.calibrate.campaigns=100", "compare"]
)
def test_output_does_not_depend_on_threads_of_blas_and_on_workers(command: str) -> None:
    outputs = set()
    for kernel, threads, workers in (("", "1", "1"), ("Nehalem", "2", "1"), ("Haswell", "2", "2")):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OPENBLAS_CORETYPE": kernel}
        environment["PYTHONHASHSEED"] = workers
        keys = ("--set", "measures=MAep", "--set", "user_model=overlap-off", "--format", "csv")
        words = [sys.executable, "-m", "xcg", *command.split(), "configs/quickstart.yaml"]
        words += [*keys, "--workers", workers]
        done = run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        outputs.add(done.stdout)
    assert len(outputs) == 1
