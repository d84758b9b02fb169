"""Build the manual as users read it, and check its pages, links and sources."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from conftest import ROOT
from lxml import html

import xcg

pytestmark = pytest.mark.slow

HOST = "http://site/"
NO_PAGES = {
    "genindex.html",
    "search.html",
    "py-modindex.html",
}  # reached by the search field, or not at all
LOADED = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "image": ("href",),
    "img": ("src", "srcset"),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "use": ("href",),
    "video": ("src", "poster"),
}
"""Elements that load a file → the attributes that name it."""


class Page:
    """A page of the site, with its links."""

    def __init__(self, name: str, text: bytes) -> None:
        self.name = name
        self.tree = html.document_fromstring(text.decode("utf-8"))
        self.anchors = {str(value) for value in self.tree.xpath("//@id | //a/@name")}

    @property
    def title(self) -> str:
        return "".join(self.tree.xpath("//h1[1]//text()")).rstrip("¶#").strip()

    def links(self, within: str = "") -> Iterator[tuple[str, str]]:
        """Yield the file and the anchor of each link to the site, for example from ``//article``."""
        for reference in self.tree.xpath(f"{within}//a/@href | {within}//area/@href"):
            target = urlsplit(urljoin(HOST + self.name, reference))
            if f"{target.scheme}://{target.netloc}/" == HOST:
                yield unquote(target.path).lstrip("/") or "index.html", unquote(target.fragment)

    def loaded(self) -> Iterator[str]:
        """Yield the address of each script, style sheet, image and other file that the page loads."""
        for element in self.tree.iter(*LOADED):
            for attribute in LOADED[element.tag]:
                for name in (element.get(attribute) or "").split(","):
                    if name.strip():
                        yield name.split()[0]
        for link in self.tree.iter("link"):
            if set((link.get("rel") or "").split()) & {"stylesheet", "icon", "preload", "manifest"}:
                yield link.get("href")
        for style in self.tree.xpath("//style/text() | //@style"):
            yield from _urls(style)


def _urls(style: str) -> list[str]:
    """Return the addresses in a style sheet."""
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    return re.findall(r"(?:url\(|@import\s)\s*[\"']?([^\"')\s]+)", style)


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    """Return the pages of the site by file name."""
    names = {path: path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))}
    return {
        name: Page(name, path.read_bytes())
        for path, name in names.items()
        if not name.startswith(("_static/", "_downloads/"))
    }


def _clicks(pages: dict[str, Page], within: str = "") -> dict[str, int]:
    """Return how many links lead from the start page to each page."""
    clicks = {"index.html": 0}
    for name, number in (queue := list(clicks.items())):
        for target, _ in pages[name].links(within):
            if target in pages and target not in clicks:
                clicks[target] = number + 1
                queue.append((target, number + 1))
    return clicks


def test_every_page_of_the_manual_is_built(pages: dict[str, Page]) -> None:
    sources = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    assert {path.with_suffix(".html").as_posix() for path in sources} <= pages.keys()


def test_every_page_has_its_own_title(pages: dict[str, Page]) -> None:
    titles = [page.title for name, page in pages.items() if name not in NO_PAGES]
    assert all(titles)
    assert sorted(set(titles)) == sorted(titles)


def test_internal_links_lead_to_a_file_and_an_anchor(site: Path, pages: dict[str, Page]) -> None:
    wrong = [
        f"{page.name} → {target}{'#' * bool(anchor)}{anchor}"
        for page in pages.values()
        for target, anchor in sorted(set(page.links()))
        if not (site / target).is_file()
        or (anchor and target in pages and anchor not in pages[target].anchors)
    ]
    assert not wrong, "\n".join(wrong)


def test_no_page_loads_a_file_from_another_host(site: Path, pages: dict[str, Page]) -> None:
    loaded = {(page.name, address) for page in pages.values() for address in page.loaded()}
    for sheet in site.rglob("*.css"):
        for address in _urls(sheet.read_text(encoding="utf-8")):
            loaded.add((sheet.relative_to(site).as_posix(), address))
    missing = []
    for name, address in sorted(loaded):
        target = urlsplit(urljoin(HOST + name, address))
        if target.scheme == "data":
            continue
        assert target.netloc == "site", f"{name} loads {address}"
        if not (site / unquote(target.path).lstrip("/")).is_file():
            missing.append(f"{name} → {address}")
    assert not missing, "\n".join(missing)


def test_every_page_can_be_reached_by_links_in_the_text(pages: dict[str, Page]) -> None:
    """The menu at the side lists all pages; it does not count."""
    assert not pages.keys() - _clicks(pages, "//article").keys() - NO_PAGES


def test_your_own_collection_is_at_most_three_clicks_from_the_start(pages: dict[str, Page]) -> None:
    (page,) = (page for page in pages.values() if page.title == "Evaluate your own collection")
    assert _clicks(pages, "//article")[page.name] <= 3


def test_the_index_of_names_has_the_python_api_without_private_names(site: Path) -> None:
    header_lines = 4
    content = (site / "objects.inv").read_bytes().split(b"\n", header_lines)[header_lines]
    entries = [line.split()[:2] for line in zlib.decompress(content).decode().splitlines()]
    names = {name for name, role in entries if role.startswith("py:")}
    assert {f"xcg.{name}" for name in xcg.__all__} <= names
    assert not [name for name in names if any(part.startswith("_") for part in name.split("."))]
    assert ["xcg-evaluate.--measures", "std:cmdoption"] in entries


def test_the_checks_find_mistakes() -> None:
    page = Page(
        "a/b.html",
        b'<h1>T<a href="#t">#</a></h1><article><a href="../c.html#d%20e">c</a></article>'
        b'<a href="https://example.org/">x</a><p id="t" style="background: url(//x/y.png)">'
        b'<img srcset="1.png 1x, http://h/2.png 2x"><link rel="stylesheet" href="https://f/s.css">'
        b'<link rel="canonical" href="https://c/">',
    )
    assert page.title == "T"
    assert page.anchors == {"t"}
    assert list(page.links()) == [("a/b.html", "t"), ("c.html", "d e")]
    assert list(page.links("//article")) == [("c.html", "d e")]
    assert sorted(page.loaded()) == ["//x/y.png", "1.png", "http://h/2.png", "https://f/s.css"]
    assert _urls("@import 'a.css'; b { src: url( \"c.woff\" ) } /* url(d) */") == ["a.css", "c.woff"]
