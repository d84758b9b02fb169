"""Names of any characters survive the way through a URL."""

from __future__ import annotations

from urllib.parse import unquote, urljoin, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from xcg.judge import access

NAMES = st.text(st.characters(exclude_categories=()), min_size=1)


@given(NAMES)
@example("/")
@example("..")
@example("~2F~")
@example("%2F")
@example("\ud800")
@example("a\\b")
@example("co/2001/r 7022")
def test_a_name_survives_as_a_segment(name: str) -> None:
    segment = access.to_segment(name)
    url = urljoin("http://host", f"/assessors/{segment}/topics")
    path = unquote(urlsplit(url).path)
    assert path.split("/")[1:2] == ["assessors"]
    assert access.from_segment(path.split("/")[2]) == name
    assert path.endswith("/topics")
    assert path.count("/") == 3


@pytest.mark.parametrize("text", ["~110000~", "~FFFFFFFFFFFFFFFFFFFFFF~", "~", "~~", "~G~"])
def test_an_illegal_escape_is_kept(text: str) -> None:
    assert access.from_segment(text) == text


def test_loopback_addresses_are_recognised() -> None:
    assert all(map(access.is_loopback, ("127.0.0.1", "127.5.5.5", "::1", "LOCALHOST")))
    others = ("0.0.0.0", "::", "192.168.0.2", "localhost.example.org")
    assert not any(map(access.is_loopback, others))
