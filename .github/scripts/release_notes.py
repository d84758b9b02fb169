"""Check that a tag, the version, the changelog and the citation agree, and print the release notes.

``python .github/scripts/release_notes.py v0.9.0`` needs no package. The notes are the section of the
version in CHANGELOG.md.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_SECTION = r"^## \[?{version}\]? - (\d{{4}}-\d{{2}}-\d{{2}})\n(.*?)(?=^## |^\[|\Z)"


def release_notes(tag: str, root: Path = ROOT) -> str:
    """Return the notes of a release.

    Args:
        tag: The tag of the release, for example ``v0.9.0``.
        root: The checkout.

    Raises:
        SystemExit: If something disagrees, with a message.
    """
    found = re.search(r'^__version__ = "(.*)"$', _text(root / "xcg" / "__init__.py"), re.MULTILINE)
    version = found[1] if found else ""
    if tag != f"v{version}":
        sys.exit(f"the tag is {tag}, but xcg/__init__.py has version {version}: expected v{version}")
    pattern = _SECTION.format(version=re.escape(version))
    section = re.search(pattern, _text(root / "CHANGELOG.md"), re.MULTILINE | re.DOTALL)
    if section is None or not section[2].strip():
        sys.exit(f"CHANGELOG.md: expected a section that begins with '## [{version}] - YYYY-MM-DD'")
    citation = _text(root / "CITATION.cff")
    for line in (f"version: {version}", f"date-released: {section[1]}"):
        if not re.search(rf"^{re.escape(line)}$", citation, re.MULTILINE):
            sys.exit(f"CITATION.cff: expected the line '{line}'")
    return section[2].strip() + "\n"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python .github/scripts/release_notes.py TAG")
    sys.stdout.reconfigure(encoding="utf-8")
    print(release_notes(sys.argv[1]), end="")
