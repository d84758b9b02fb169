"""Measure how fast the command starts: python benchmarks/start.py."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

REPEATS = 15
ROOT = Path(__file__).parent.parent


def main() -> None:
    """Print medians of paired runs."""
    xcg = shutil.which("xcg", path=str(Path(sys.executable).parent)) or "xcg"
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import numpy, lxml.etree": [sys.executable, "-c", "import numpy, lxml.etree"],
        "xcg --version": [xcg, "--version"],
        "xcg --help": [xcg, "--help"],
        "xcg evaluate, tiny": [xcg, "evaluate", str(ROOT / "configs/kazai-lalmas-2006.yaml")],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(REPEATS + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(column[1:]) for name, column in times.items()}
    imports = medians["import numpy, lxml.etree"]
    for name, value in medians.items():
        print(f"{name:26} {value * 1000:6.0f} ms   {value / imports:5.2f} × import numpy, lxml.etree")


if __name__ == "__main__":
    main()
