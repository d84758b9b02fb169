"""Submissions of INEX read by columns, see :mod:`xcg.formats.fast_xml`.

Where all results have the same fields in one order, a pattern finds them, and what stands between them
must be white space.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from io import BufferedReader
from itertools import chain
from pathlib import Path

from xcg.documents.passage_points import Passage
from xcg.documents.paths import canonical_file, canonical_path
from xcg.formats.fast_xml import SPACE, IrregularError, blocks, root_before
from xcg.lazy_modules import np
from xcg.runs.run import AnySpan, Memo, Ranking, Run, Topics, check_span

_TEXT = "[^<]*"
_VALUE = '[^<"\t\n]*'

_FIELDS = {
    "file": f"<file>(?P<file>{_TEXT})</file>",
    "path": f"<path>(?P<path>{_TEXT})</path>",
    "fol": r'<fol offset="(?P<offset>[0-9]{1,15})" length="(?P<length>[0-9]{1,15})" ?/>',
    "passage": f'<passage start="(?P<start>{_VALUE})" end="(?P<end>{_VALUE})" ?/>',
    "rank": f"<rank>{SPACE}(?P<rank>[0-9]{{1,15}}){SPACE}</rank>",
    "rsv": f"<rsv>{SPACE}(?P<rsv>[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?){SPACE}</rsv>",
}
_FIRST_RESULT = re.compile(f"{SPACE}<result>(.*?)</result>", re.DOTALL)
_TOPIC = re.compile(
    f'{SPACE}<topic topic-id="({_VALUE})" ?>{SPACE}'
    f"(?:<collections>{SPACE}(?:<collection>{_TEXT}</collection>{SPACE})*</collections>)?"
)
_END = re.compile(f"{SPACE}</inex-submission>{SPACE}")


def regular_submission(file: BufferedReader, path: Path, topics: Topics = None) -> Run:
    """Read an inex-submission of one layout; IrregularError, or another error, for every other file."""
    rankings: dict[str, Ranking] = {}
    skipped: set[str] = set()
    files, paths = Memo(canonical_file), Memo(canonical_path)
    texts = blocks(file, b"</result>")
    first = next(texts)
    root, end_of_head = root_before(first, ("inex-submission", "topic", "result"))
    name = (root.get("run-id") or "").strip()
    if not name:
        raise IrregularError
    numbers = _Numbers()
    results: _Results | None = None
    layout: _Layout | None = None
    for topic, text, is_end in _topics(chain([first[end_of_head:]], texts)):
        if layout is None and text.strip(" \t\n"):
            layout = _Layout(text)
        columns = layout.columns(text) if layout is not None else {}
        if topics is not None and topic not in topics:
            skipped.add(topic)
            continue
        if results is None:
            results = _Results()
        results.add(columns, files, paths, numbers)
        if is_end:
            if topic in rankings:
                raise IrregularError
            rankings[topic] = results.ranking()
            results = None
    return Run(name, rankings, str(path), skipped)


def _topics(texts: Iterator[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield topic, text of some of its results, and whether the topic ends with them."""
    topic = rest = ""
    for text in texts:
        if rest or "&" in text or "]]>" in text:
            raise IrregularError
        place = 0
        while True:
            if not topic:
                start = _TOPIC.match(text, place)
                if start is None:
                    rest = text[place:]
                    break
                topic, place = start[1].strip(), start.end()
                if not topic:
                    raise IrregularError
            end = text.find("</topic>", place)
            if end < 0:
                yield topic, text[place:], False
                break
            yield topic, text[place:end], True
            topic, place = "", end + len("</topic>")
    if topic or not _END.fullmatch(rest):
        raise IrregularError


class _Layout:
    """The fields of every result, in their order."""

    def __init__(self, text: str) -> None:
        """Take the layout from the first result of a text."""
        first = _FIRST_RESULT.match(text)
        if first is None:
            raise IrregularError
        fields = re.findall("<([a-z]+)", first[1])
        named = {"file", "path", "fol", "passage"} & set(fields)
        if (
            len(fields) > len(set(fields))
            or not set(fields) <= set(_FIELDS)
            or "file" not in named
            or len(named) != 2
        ):
            raise IrregularError
        content = SPACE.join(_FIELDS[field] for field in fields)
        self._result = re.compile(f"<result>{SPACE}{content}{SPACE}</result>")

    def columns(self, text: str) -> dict[str, list[str]]:
        """Return the columns of a text that holds results and nothing else."""
        parts = self._result.split(text)
        width = self._result.groups + 1
        if "".join(parts[::width]).strip(" \t\n"):
            raise IrregularError
        return {name: parts[place::width] for name, place in self._result.groupindex.items()}


class _Results:
    """The results of one topic, as they were written."""

    def __init__(self) -> None:
        self._files: list[str] = []
        self._paths: list[str] = []
        self._spans: list[AnySpan] = []
        self._keys = array("d")
        self._by_rank = False

    def add(self, columns: dict[str, list[str]], files: Memo, paths: Memo, numbers: _Numbers) -> None:
        """Add results; ValueError for one that names no element or passage, or has no proper number."""
        if not columns:
            return
        self._files.extend(map(files.__getitem__, columns["file"]))
        if "path" in columns:
            self._paths.extend(map(paths.__getitem__, columns["path"]))
        elif "start" in columns:
            self._spans.extend(map(Passage.of, columns["start"], columns["end"]))
        else:
            starts, lengths = map(int, columns["offset"]), map(int, columns["length"])
            self._spans += [
                check_span(start, start + length) for start, length in zip(starts, lengths, strict=True)
            ]
        self._by_rank = "rank" in columns
        self._keys.extend(map(numbers.__getitem__, columns.get("rank") or columns.get("rsv") or ()))

    def ranking(self) -> Ranking:
        """Return the results by rank, else by rsv, else as written."""
        files, spans, keys = self._files, self._spans, self._keys
        paths = self._paths or [""] * len(files)
        column = np.array(keys) if self._by_rank else -np.array(keys)
        if not np.isfinite(column).all():
            raise IrregularError
        if (column[1:] < column[:-1]).any():
            order = np.argsort(column, kind="stable").tolist()
            files, paths = [files[place] for place in order], [paths[place] for place in order]
            spans = [spans[place] for place in order] if spans else []
            keys = array("d", [keys[place] for place in order])
        return Ranking(files, paths, dict(enumerate(spans)), keys if keys else None)


class _Numbers(dict[str, float]):
    """The numbers that texts name; so many are remembered as topics commonly have ranks."""

    def __missing__(self, text: str) -> float:
        number = float(text)
        if len(self) < 1 << 13:
            self[text] = number
        return number
