"""Install a wheel alone into a new environment, and use it there as the manual describes.

``python .github/scripts/check_wheel.py dist/xcg-*.whl`` needs no package except pip. It runs outside
of the checkout, so that files missing from the wheel are noticed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

COMMANDS = (
    "xcg samples samples",
    "cd samples",
    "xcg evaluate configs/quickstart.yaml --measures MAep",
    "xcg evaluate configs/kazai-lalmas-2006.yaml --measures MAep",
    "xcg evaluate configs/quickstart.yaml --workers 2 --format jsonl --output scores.jsonl",
    "xcg explain configs/quickstart.yaml --run focused --topic 2",
    "xcg compare configs/quickstart.yaml --measures MAep --user-model overlap-off",
    "xcg curves configs/kazai-lalmas-2006.yaml --measures ep --plot curves.svg",
    "xcg report configs/quickstart.yaml --output report.html",
    "xcg chunks corpora_samples/chunks/retrieval.yaml",
    "xcg check configs/quickstart.yaml",
    "xcg gate configs/quickstart.yaml --user-model overlap-off --fail-under MAep=0.001",
    "xcg list measures MAep",
    "xcg list measures MAep --bibtex",
    "xcg list user-models kazai-lalmas-2006",
)
SHOWN = {
    "xcg evaluate configs/kazai-lalmas-2006.yaml --measures MAep": "rel_leaves     0.6333",
    "xcg chunks corpora_samples/chunks/retrieval.yaml": "sections",
}
"""Commands → text of their output."""

FILES = {"curves.svg": b"<svg", "report.html": b"</html>", "scores.jsonl": b'"topic": "all"'}
"""Files that the commands write → part of their content."""


class Environment:
    """A new virtual environment with a wheel and the packages that it requires."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        venv.create(folder, with_pip=True)
        self._programs = folder / ("Scripts" if os.name == "nt" else "bin")
        unused = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
        inherited = {name: value for name, value in os.environ.items() if name not in unused}
        path = os.pathsep.join([str(self._programs), os.environ.get("PATH", "")])
        self._variables = {**inherited, "PATH": path, "PYTHONUTF8": "1", "XCG_CACHE": "off"}
        self.run(folder, "python", "-m", "pip", "install", "--quiet", str(wheel))

    def run(self, folder: Path, program: str, *arguments: str) -> str:
        """Run a program of the environment and return its output."""
        done = subprocess.run(
            [self._programs / program, *arguments],
            cwd=folder,
            env=self._variables,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=900,
        )
        if done.returncode:
            sys.exit(
                f"{program} {' '.join(arguments)}: status {done.returncode}\n{done.stdout}{done.stderr}"
            )
        return done.stdout


def main(wheel: Path) -> None:
    """Check a wheel."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "work")
        folder.mkdir()
        environment = Environment(Path(temporary, "environment"), wheel.resolve())
        code = "import xcg; print(xcg.__version__, xcg.__file__)"
        version, _, file = environment.run(folder, "python", "-c", code).strip().partition(" ")
        expect(version == wheel.name.split("-")[1], f"the version is {version}")
        expect(Path(temporary).resolve() in Path(file).resolve().parents, f"{file} was imported")
        environment.run(folder, "python", "-m", "pip", "check")
        for command in COMMANDS:
            program, *arguments = command.split()
            if program == "cd":
                folder /= arguments[0]
                continue
            output = environment.run(folder, program, *arguments)
            expect(SHOWN.get(command, "") in output, f"{command} printed:\n{output}")
        for name, part in FILES.items():
            expect(part in (folder / name).read_bytes(), f"{name} has no {part!r}")
    print(f"{wheel.name}: {len(COMMANDS) - 1} commands work")


def expect(correct: bool, message: str) -> None:
    """End the program with a message if something is wrong."""
    if not correct:
        sys.exit(message)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python .github/scripts/check_wheel.py WHEEL")
    main(Path(sys.argv[1]))
