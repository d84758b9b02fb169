"""Random campaigns: documents, assessments and rankings, for laws and for the transcription."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

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


@st.composite
def markup(draw: DrawFn, depth: int = 4) -> str:
    """One element with text and up to four children, of two names so that positions matter."""
    name = draw(st.sampled_from(["s", "p"]))
    inner = draw(texts())
    if depth:
        for _ in range(draw(st.integers(0, 3))):
            inner += draw(markup(depth=depth - 1)) + draw(texts())
    return f"<{name}>{inner}</{name}>"


def texts() -> SearchStrategy[str]:
    """Escaped text, often empty, so that there are elements of size 0."""
    return st.sampled_from(
        ["", "", "a", "two words", " é ", "&amp;x", "<!-- c -->", "longer text here "]
    )


def measured(source: str) -> dict[Path, int]:
    """Path → string length of a source, by the standard library's parser and plain recursion."""
    from xml.etree import ElementTree

    sizes: dict[Path, int] = {}

    def visit(element: ElementTree.Element, path: Path) -> None:
        sizes[path] = len("".join(element.itertext()))
        seen: dict[str, int] = {}
        for child in element:
            seen[child.tag] = seen.get(child.tag, 0) + 1
            visit(child, f"{path}/{child.tag}[{seen[child.tag]}]")

    root = ElementTree.fromstring(source)
    visit(root, f"/{root.tag}[1]")
    return sizes


@st.composite
def campaigns(draw: DrawFn, max_files: int = 3, propagated: bool = False) -> RandomCampaign:
    """A campaign; ``propagated`` makes exhaustivity grow towards the root, as KL 3.3 says it does."""
    sources = {f"d{i}": draw(markup()) for i in range(draw(st.integers(1, max_files)))}
    paths: dict[File, list[Path]] = {}
    sizes: dict[Path, int] = {}
    assessments: dict[File, dict[Path, Pair]] = {}
    for file, source in sources.items():
        found = measured(source)
        paths[file] = list(found)
        sizes.update({file + path: size for path, size in found.items()})
        assessments[file] = {
            path: draw(st.sampled_from(PAIRS)) for path in found if draw(st.booleans())
        }
        if propagated:
            for path in sorted(found, key=len, reverse=True):
                above = path.rpartition("/")[0]
                e, _ = assessments[file].get(path, (0, 0))
                if above and e > assessments[file].get(above, (0, 0))[0]:
                    assessments[file][above] = (e, max(1, assessments[file].get(above, (0, 0))[1]))
    elements = [(file, path) for file in paths for path in paths[file]]
    ranking = draw(st.lists(st.sampled_from(elements), max_size=12))
    return RandomCampaign(sources, paths, sizes, assessments, ranking)


ODD_IN_MARKUP = (
    *("<!-- c -->", "<![CDATA[x]]>", "<?pi x?>", "]]>", ">", "<", "&amp;", "&x;", "&#233;", "x", " "),
    *("\x0b", "\0", "\r", "\x1f", "\x85", "\xa0", "\ufeff", "\ufffe", "\uffff", "\ud800"),
    *('" x="', '"', " a='1'", "<b/>"),
)
"""What does not belong in a file of one layout, whatever the layout is."""


def with_something_odd(draw: DrawFn, pieces: list[str], odd: Sequence[str], space: str) -> bytes:
    """Return a file of pieces with white space between, in most of which something is out of place."""
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2]))):
        place = draw(st.integers(0, len(pieces) - 1))
        match draw(st.integers(0, 4)):
            case 0:
                pieces.insert(place + 1, draw(st.sampled_from(odd)))
            case 1:
                del pieces[place]
            case 2:
                pieces[place] = pieces[place].upper()
            case _:
                at = draw(st.integers(0, len(pieces[place])))
                found = draw(st.sampled_from(odd))
                pieces[place] = pieces[place][:at] + found + pieces[place][at:]
    text = draw(st.sampled_from(["", "", "", "\ufeff", " "])) + space.join(pieces) + space
    codec = draw(st.sampled_from(["utf-8"] * 9 + ["utf-16", "latin-1"]))
    return text.encode(codec, "surrogatepass" if codec == "utf-8" else "replace")
