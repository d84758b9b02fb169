"""Exceptions for users' errors, the nearest legal name for a typo, and notes on an evaluation."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path


class XcgError(ValueError):
    """Base of all errors that users can cause; the message is sufficient without a traceback."""

    def __str__(self) -> str:
        """Return the message in one line, with invisible characters escaped."""
        return printable(super().__str__())


class InputError(XcgError):
    """An input is wrong.

    Args:
        where: The file and line, the path or the value.
        message: What is wrong and what was expected.
    """

    def __init__(self, where: object, message: str) -> None:
        super().__init__(f"{where}: {message}" if str(where) else message)
        self.where = str(where)
        self._parts = self.where, message

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str]]:
        """Support pickling."""
        return type(self), self._parts


def without_traceback(error: InputError) -> InputError:
    """Return an error without its traceback, which keeps the values of functions in memory."""
    error.__traceback__ = error.__context__ = None
    return error


class FileError(InputError):
    """A file is missing or has the wrong content; a configuration that names it adds the line.

    Args:
        where: The file and line.
        message: What is wrong and what was expected.
        hint: A sentence on what the file is instead.
    """

    def __init__(self, where: object, message: str, hint: str = "") -> None:
        super().__init__(where, f"{message}. {hint}" if hint else message)


class UnmappedError(InputError):
    """A result or a relevant passage is not in the corpus.

    Its document or element does not exist, its span exceeds the text, or its text differs.
    """


def missing_extra(what: str, package: str, extra: str) -> XcgError:
    """Return the error for a package that is not installed, with the command that installs it.

    Args:
        what: What needs the package, such as ``"xcg judge"``.
        package: The package.
        extra: The extra of xcg that contains the package.
    """
    python = shlex.quote(sys.executable)
    return XcgError(f"{what} needs {package}: {python} -m pip install 'xcg[{extra}]'")


class UndecidedError(XcgError):
    """A gate cannot decide: there are too few topics, or every outcome would be the same."""


class NothingToAverageError(XcgError):
    """No topic has a value, so there is no mean."""


class MissingSizeError(InputError):
    """A relevance value needs the size of an element, which is unknown."""


def nearest(name: str, legal: Iterable[str]) -> str:
    """Return the end of a message: the nearest legal name, or all legal names if none is similar.

    >>> nearest("nxCGG", ["nxCG", "MAep"])
    "did you mean 'nxCG'?"
    >>> nearest("zzz", ["nxCG", "MAep", "nxCG"])
    'expected one of MAep, nxCG'
    """
    names = sorted(set(legal))
    close = nearest_name(name, names)
    if close is not None:
        return f"did you mean {close!r}?"
    return f"expected one of {first_names(names, _LISTED_NAMES)}"


_LISTED_NAMES = 200


def first_names(names: Sequence[str], most: int) -> str:
    """Return the first names as text, with the number of the others if there are more.

    >>> first_names(["bm25", "lm", "dense"], 2)
    'bm25, lm and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def nearest_name(name: str, legal: Iterable[str]) -> str | None:
    """Return the legal name that is most similar to a name, None if no name is similar.

    >>> nearest_name("Bread", ["bread", "wine"])
    'bread'
    """
    import difflib

    folded: dict[str, str] = {}
    for legal_name in legal:
        folded.setdefault(legal_name.lower(), legal_name)
    if name.lower() in folded:
        return folded[name.lower()]
    close = difflib.get_close_matches(name.lower(), list(folded), n=1, cutoff=0.6)
    if not close and name:
        close = [legal_name for legal_name in folded if legal_name.startswith(name.lower())]
    return folded[close[0]] if close else None


def nearest_file(path: Path) -> str:
    """Return a hint to an existing file or folder with a similar path, empty if there is none.

    Each part of the path that does not exist is replaced by the most similar name in its folder.
    """
    if path.exists():
        return ""
    found = Path(path.anchor)
    parts = path.parts[1:] if path.anchor else path.parts
    for part in parts:
        if part == ".." or (found / part).exists():
            found /= part
            continue
        try:
            names = os.listdir(found)
        except OSError:
            return ""
        close = nearest_name(part, names) if len(names) <= _MAX_NEIGHBOURS else None
        if close is None:
            return ""
        found /= close
    shown = found.name if found.parent == path.parent else found
    return f" (did you mean {str(shown)!r}?)"


_MAX_NEIGHBOURS = 10_000  # comparing a name with more files takes too long


MAX_NAME_LENGTH = 1000
"""The maximum length of the names of topics and runs, which occur in every line of a table."""


def name_too_long(kind: str, name: str) -> str:
    """Return the message for a name longer than :data:`MAX_NAME_LENGTH`."""
    return (
        f"the name of a {kind} has {len(name)} characters, beginning with {name[:20]!r}: expected at "
        f"most {MAX_NAME_LENGTH}"
    )


def printable(
    text: object, keep: str = "", escape: Callable[[str], str] = lambda character: repr(character)[1:-1]
) -> str:
    r"""Escape the invisible characters of a text, which may come from a hostile file.

    These are control and format characters (line breaks, escape sequences of terminals, bidirectional
    overrides, zero-width characters), lone surrogates, and all spaces except the usual one.

    Names are kept as they are read. They are escaped when they are written: by :mod:`xcg.tables`, by
    the messages of the command, or with this function.

    Args:
        text: The text.
        keep: Further characters to keep.
        escape: Returns what is written instead of a character.

    >>> print(printable("two\nlines"))
    two\nlines
    """
    text = str(text)
    if (text.replace("\n", "") if "\n" in keep else text).isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else escape(c) for c in text)


@dataclass(eq=False, repr=False)
class Notes:
    """Warnings and notes on an evaluation, in the order of their occurrence.

    A *problem* is an error in the data. It is raised, or counted as a warning if the notes are lenient.
    A *warning* is about legal data that are almost certainly wrong, such as a run without any answer.
    An *oddity* is legal but probably an error, and is counted. A *note* is correct but easily
    overlooked, for example that a topic was left out of the mean.

    Args:
        lenient: Whether to count problems instead of raising them.

    >>> notes = Notes(lenient=True)
    >>> notes.problem("unknown path", "run.xml", "no /a[2]")
    >>> notes.problem("unknown path", "run.xml", "no /a[3]")
    >>> notes.lines()
    ['warning: unknown path: 2 times; the first: run.xml: no /a[2]']
    """

    lenient: bool = False
    _notes: dict[str, None] = field(default_factory=dict, init=False)
    _warnings: dict[str, None] = field(default_factory=dict, init=False)
    _counted: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict, init=False)

    def note(self, text: str) -> None:
        """Add a note; repeated notes are stored once."""
        self._notes[text] = None

    def warning(self, text: str) -> None:
        """Add a warning; repeated warnings are stored once."""
        self._warnings[text] = None

    def oddity(self, kind: str, where: object, message: str) -> None:
        """Count data that are legal, but probably wrong, under a kind of oddity."""
        self._count(("note", kind), 1, str(InputError(where, message)))

    def problem(self, kind: str, where: object, message: str) -> None:
        """Raise an :class:`InputError`, or count it under a kind of problem if lenient."""
        self.tolerate(kind, InputError(where, message))

    def tolerate(self, kind: str, error: ValueError, where: object = "") -> None:
        """Raise an error, or count it under a kind of problem if lenient.

        Args:
            kind: The kind of problem.
            error: The error.
            where: The file and line, the path or the value, unless the error is an :class:`InputError`.
        """
        if not isinstance(error, InputError):
            error = InputError(where, str(error))
        if not self.lenient:
            raise error from None
        self._count(("warning", kind), 1, str(error))

    def _count(self, kind: tuple[str, str], number: int, first: str) -> None:
        count, earlier = self._counted.get(kind, (0, first))
        self._counted[kind] = count + number, earlier

    def take(self, other: Notes) -> None:
        """Append the warnings and notes of other notes."""
        self._notes.update(other._notes)
        self._warnings.update(other._warnings)
        for kind, (count, first) in other._counted.items():
            self._count(kind, count, first)

    def problems(self) -> list[tuple[str, int, str]]:
        """Return the kind, count and first message of each kind of counted problem."""
        return self._of("warning")

    def oddities(self) -> list[tuple[str, int, str]]:
        """Return the kind, count and first description of each kind of oddity."""
        return self._of("note")

    def _of(self, level: str) -> list[tuple[str, int, str]]:
        return [(one, *counted) for (its, one), counted in self._counted.items() if its == level]

    @property
    def notes(self) -> list[str]:
        """The notes without problems and oddities."""
        return list(self._notes)

    @property
    def tolerated(self) -> int:
        """Number of counted problems."""
        return sum(count for (level, _), (count, _) in self._counted.items() if level == "warning")

    def lines(self) -> list[str]:
        """Return the warnings and notes as lines of text, with invisible characters escaped."""
        lines: dict[str, list[str]] = {"warning": [], "note": []}
        for (level, kind), (count, first) in self._counted.items():
            times = f"{count} time{'s' * (count > 1)}"
            lines[level].append(f"{level}: {kind}: {times}; the first: {first}")
        lines["warning"] += [f"warning: {text}" for text in self._warnings]
        lines["note"] += [f"note: {text}" for text in self._notes]
        return [printable(line) for line in (*lines["warning"], *lines["note"])]
