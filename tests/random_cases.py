"""Hypothesis strategies: random documents, assessments, rankings and damaged files."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

PAIRS = [(0, 0), (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)]
File = str
Path = str
Pair = tuple[int, int]


@dataclass
class RandomCampaign:
    """One topic over small documents, as plain data."""

    sources: dict[File, str]
    paths: dict[File, list[Path]]
    sizes: dict[Path, int]
    assessments: dict[File, dict[Path, Pair]]
    ranking: list[tuple[File, Path]]

    @property
    def elements(self) -> list[tuple[File, Path]]:
        return [(file, path) for file, paths in self.paths.items() for path in paths]

    def documents(self) -> dict[File, dict[Path, int]]:
        return {f: {p: self.sizes[f + p] for p in paths} for f, paths in self.paths.items()}


# Made once, because hypothesis validates a strategy when it is first drawn from.
TAGS = st.sampled_from(["s", "p"])
"""Only two tag names, so that siblings often share one and positions matter."""
TEXTS = st.sampled_from(["", "", "a", "two words", " é ", "&amp;x", "<!-- c -->", "longer text here "])
"""Escaped text. It is often empty, so that some elements have size 0."""
NUMBERS_OF_CHILDREN = st.integers(0, 3)
GRADES = st.sampled_from(PAIRS)


def draw_element(draw: DrawFn, depth: int) -> str:
    """Draw the XML of an element with text and up to three children."""
    name = draw(TAGS)
    inner = draw(TEXTS)
    if depth:
        for _ in range(draw(NUMBERS_OF_CHILDREN)):
            inner += draw_element(draw, depth - 1) + draw(TEXTS)
    return f"<{name}>{inner}</{name}>"


@st.composite
def markup(draw: DrawFn, depth: int = 4) -> str:
    """Draw the XML of an element with at most ``depth`` levels below it."""
    return draw_element(draw, depth)


def element_sizes(source: str) -> dict[Path, int]:
    """Return path → characters, found with the standard library's parser and recursion."""
    sizes: dict[Path, int] = {}

    def visit(element: ElementTree.Element, path: Path) -> None:
        sizes[path] = len("".join(element.itertext()))
        positions: dict[str, int] = {}
        for child in element:
            positions[child.tag] = positions.get(child.tag, 0) + 1
            visit(child, f"{path}/{child.tag}[{positions[child.tag]}]")

    root = ElementTree.fromstring(source)
    visit(root, f"/{root.tag}[1]")
    return sizes


@st.composite
def campaigns(draw: DrawFn, max_files: int = 3, propagated: bool = False) -> RandomCampaign:
    """Draw a campaign.

    Args:
        draw: Given by hypothesis.
        max_files: The largest number of documents.
        propagated: Whether no element is less exhaustive than its children (Kazai and Lalmas 2006,
            section 3.3).
    """
    sources = {f"d{i}": draw(markup()) for i in range(draw(st.integers(1, max_files)))}
    paths: dict[File, list[Path]] = {}
    sizes: dict[Path, int] = {}
    assessments: dict[File, dict[Path, Pair]] = {}
    for file, source in sources.items():
        characters = element_sizes(source)
        paths[file] = list(characters)
        sizes.update({file + path: size for path, size in characters.items()})
        grades = {path: draw(GRADES) for path in characters if draw(st.booleans())}
        assessments[file] = propagate(grades, paths[file]) if propagated else grades
    elements = [(file, path) for file in paths for path in paths[file]]
    ranking = draw(st.lists(st.sampled_from(elements), max_size=12))
    return RandomCampaign(sources, paths, sizes, assessments, ranking)


def propagate(grades: dict[Path, Pair], paths: list[Path]) -> dict[Path, Pair]:
    """Raise the exhaustivity of each element to that of its most exhaustive child."""
    raised = dict(grades)
    for path in sorted(paths, key=len, reverse=True):
        parent = path.rpartition("/")[0]
        exhaustivity, _ = raised.get(path, (0, 0))
        parent_exhaustivity, parent_specificity = raised.get(parent, (0, 0))
        if parent and exhaustivity > parent_exhaustivity:
            raised[parent] = (exhaustivity, max(1, parent_specificity))
    return raised


UNEXPECTED_MARKUP = (
    *("<!-- c -->", "<![CDATA[x]]>", "<?pi x?>", "]]>", ">", "<", "&amp;", "&x;", "&#233;", "x", " "),
    *("\x0b", "\0", "\r", "\x1f", "\x85", "\xa0", "\ufeff", "\ufffe", "\uffff", "\ud800"),
    *('" x="', '"', " a='1'", "<b/>"),
)
"""Text that no file of a regular layout contains."""


def damaged_file(draw: DrawFn, pieces: list[str], insertions: Sequence[str], space: str) -> bytes:
    """Draw a file of pieces joined by white space, usually with some damage.

    Args:
        draw: Given by hypothesis.
        pieces: The parts of an undamaged file; changed in place.
        insertions: Text that may be inserted between or inside pieces.
        space: The white space between pieces.
    """
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2]))):
        index = draw(st.integers(0, len(pieces) - 1))
        match draw(st.integers(0, 4)):
            case 0:
                pieces.insert(index + 1, draw(st.sampled_from(insertions)))
            case 1:
                del pieces[index]
            case 2:
                pieces[index] = pieces[index].upper()
            case _:
                at = draw(st.integers(0, len(pieces[index])))
                inserted = draw(st.sampled_from(insertions))
                pieces[index] = pieces[index][:at] + inserted + pieces[index][at:]
    text = draw(st.sampled_from(["", "", "", "\ufeff", " "])) + space.join(pieces) + space
    codec = draw(st.sampled_from(["utf-8"] * 9 + ["utf-16", "latin-1"]))
    return text.encode(codec, "surrogatepass" if codec == "utf-8" else "replace")


def compressed_or_damaged(draw: DrawFn, data: bytes) -> bytes:
    """Return data as they are, compressed with gzip, cut off, or with inserted bytes."""
    change = draw(st.integers(0, 11))
    if change in (0, 1):
        data = gzip.compress(data, mtime=0)
    if change in (1, 2):
        data = data[: draw(st.integers(0, len(data)))]
    if change == 3:
        position = draw(st.integers(0, len(data)))
        data = data[:position] + draw(st.binary(min_size=1, max_size=2)) + data[position:]
    return data
