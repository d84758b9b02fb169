"""Install xcg and other distributions into a fresh virtual environment."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import venv
from pathlib import Path

from conftest import ROOT


class Installation:
    """A virtual environment with xcg from a wheel, and with the dependencies of this one."""

    def __init__(self, folder: Path, *distributions: Path) -> None:
        self.folder = folder / "venv"
        venv.create(self.folder, symlinks=os.name != "nt")
        self.python = self.folder / ("Scripts" if os.name == "nt" else "bin") / "python"
        paths = {"base": str(self.folder), "platbase": str(self.folder)}
        self.packages = Path(sysconfig.get_path("purelib", scheme="venv", vars=paths))
        # A .pth file adds a folder after the environment's own packages. The .pth files in it are not
        # processed, so an editable installation of xcg there has no effect.
        dependencies = sysconfig.get_path("purelib")
        (self.packages / "dependencies.pth").write_text(f"{dependencies}\n")
        self.run(
            *("-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"),
            *("--ignore-installed", "--disable-pip-version-check", ROOT, *distributions),
        )

    def run(self, *arguments: object, cwd: Path | None = None) -> str:
        """Run Python outside the checkout and return its output."""
        done = subprocess.run(
            [self.python, *map(str, arguments)],
            cwd=cwd or self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
