"""The command that adds an optional extra to this installation of xcg."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from xcg.errors import XcgError
from xcg.lazy_modules import json

_TEMPORARY = re.compile(r"(archive|builds|environments)-v\d+")
"""Names of the folders in the cache of uv that contain the environments of uvx."""


def missing_extra(what: str, package: str, extra: str) -> XcgError:
    """Return the error for a package that is not installed, with the command that installs it.

    Args:
        what: What needs the package, such as ``"study laws"``.
        package: The package.
        extra: The extra of xcg that contains the package.
    """
    return XcgError(f"{what} needs {package}: {install_command(extra)}")


def install_command(extra: str) -> str:
    """Return the command that adds an extra to the environment of this process.

    pipx and ``uv tool`` are recognised by the file that they write into the environment of a tool:
    pipx_metadata.json or uv-receipt.toml. uvx creates environments in its cache. In other
    environments, pip installs the extra, or uv if there is no pip.

    Args:
        extra: An extra of xcg.
    """
    prefix = Path(sys.prefix)
    receipt = prefix / "uv-receipt.toml"
    if receipt.is_file():
        return _uv_tool_command(receipt, extra)
    if (prefix / "pipx_metadata.json").is_file():
        return " ".join(["pipx inject", *map(_quoted, [prefix.name, *_packages(extra)])])
    if _TEMPORARY.fullmatch(prefix.parent.name):
        return f"uvx --from {_quoted(f'{_source()}[{extra}]')} xcg"
    required = _quoted(f"xcg[{extra}]")
    is_active = os.environ.get("VIRTUAL_ENV") and Path(os.environ["VIRTUAL_ENV"]) == prefix
    if importlib.util.find_spec("pip"):
        return f"{'pip' if is_active else f'{_python()} -m pip'} install {required}"
    return f"uv pip install{'' if is_active else f' --python {_python()}'} {required}"


def _uv_tool_command(receipt: Path, extra: str) -> str:
    """Return the command that installs a tool again, with its previous source, extras and packages."""
    import tomllib

    required: list[dict[str, Any]] = tomllib.loads(receipt.read_text("utf-8"))["tool"]["requirements"]
    words: list[str] = []
    for requirement in sorted(required, key=lambda requirement: requirement["name"] != "xcg"):
        extras = {*requirement.get("extras", ()), *([] if words else [extra])}
        chosen = f"[{','.join(sorted(extras))}]" if extras else ""
        name = requirement["name"] + chosen
        words += ["--with"] if words else []
        if "editable" in requirement:
            words += ["--editable", requirement["editable"] + chosen]
        elif "directory" in requirement:
            words.append(requirement["directory"] + chosen)
        elif "path" in requirement:
            words.append(f"{name} @ {Path(requirement['path']).as_uri()}")
        elif "git" in requirement:
            words.append(f"{name} @ git+{requirement['git']}")
        elif "url" in requirement:
            words.append(f"{name} @ {requirement['url']}")
        else:
            words.append(name + requirement.get("specifier", ""))
    return " ".join(["uv tool install", *map(_quoted, words)])


def _source() -> str:
    """Return the folder from which xcg was installed, or its name if it is from a package index."""
    from importlib.metadata import distribution

    direct = json.loads(distribution("xcg").read_text("direct_url.json") or "{}")
    if "dir_info" not in direct:
        return "xcg"
    return unquote(urlsplit(direct["url"]).path)


def _packages(extra: str) -> list[str]:
    """Return the requirements of an extra, such as ``rapidfuzz>=3.9``."""
    from importlib.metadata import requires

    pattern = re.compile(rf"""(.*?)\s*;\s*extra == ["']{extra}["']""")
    found = [match[1] for match in map(pattern.fullmatch, requires("xcg") or []) if match]
    return found or [f"xcg[{extra}]"]


def _python() -> str:
    """Return the path of Python, relative if it is below the current folder."""
    path = Path(sys.executable)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return _quoted(str(path))


def _quoted(word: str) -> str:
    """Quote a word of a command for the shell if necessary."""
    if os.name != "nt":
        return shlex.quote(word)
    return word if re.fullmatch(r"[\w:\\/.@-]+", word) else f'"{word}"'
