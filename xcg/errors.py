"""What a user can get wrong, said in one message, and the notes that a run of the program collects."""

from __future__ import annotations

from collections.abc import Iterable


class XcgError(ValueError):
    """Base of every error that a user of xcg can cause; its text is complete and needs no traceback."""


class InputError(XcgError):
    """A file, a path or a value is wrong: ``where`` says which, the message what was expected."""

    def __init__(self, where: object, message: str) -> None:
        super().__init__(f"{where}: {message}" if str(where) else message)
        self.where = str(where)
        self._parts = self.where, message

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str]]:
        """Come back from another process as it was."""
        return type(self), self._parts


class UnmappedError(InputError):
    """A result or relevant text has no place in the corpus.

    Its document or element does not exist, its span goes beyond the text, or its text is not there.
    """


class NothingToAverageError(XcgError):
    """No topic has a figure, so that there is no mean."""


class MissingSizeError(InputError):
    """A relevance value needs the size of an element, and neither document nor assessment has it."""


def nearest(name: str, legal: Iterable[str]) -> str:
    """Return a hint that ends a message: the nearest legal name, or all of them if none is near.

    >>> nearest("nxCGG", ["nxCG", "MAep"])
    "did you mean 'nxCG'?"
    >>> nearest("zzz", ["nxCG", "MAep"])
    'expected one of MAep, nxCG'
    """
    import difflib  # costs import time and is wanted only where something is wrong

    names = sorted(legal)
    folded: dict[str, str] = {}
    for legal_name in names:
        folded.setdefault(legal_name.lower(), legal_name)
    close = difflib.get_close_matches(name.lower(), list(folded), n=1, cutoff=0.6)
    if not close and name:
        close = [legal_name for legal_name in folded if legal_name.startswith(name.lower())]
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return "expected one of " + ", ".join(names)


def printable(text: object) -> str:
    r"""Escape the control characters of a text, which may come from a hostile file.

    >>> print(printable("two\nlines"))
    two\nlines
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))


class Notes:
    """What is worth telling the user beside the figures, in the order in which it came up.

    ``problem`` is for wrong data: it raises, unless ``lenient`` asks for counted warnings. ``note``
    is for what is right but easily overlooked (a topic that was left out of the mean).

    >>> notes = Notes(lenient=True)
    >>> notes.problem("unknown path", "run.xml", "no /a[2]")
    >>> notes.problem("unknown path", "run.xml", "no /a[3]")
    >>> notes.lines()
    ['warning: unknown path: 2 times; the first: run.xml: no /a[2]']
    """

    def __init__(self, lenient: bool = False) -> None:
        self.lenient = lenient
        self._notes: dict[str, None] = {}
        self._problems: dict[str, tuple[int, str]] = {}

    def note(self, text: str) -> None:
        """Remember a remark; the same remark is kept once."""
        self._notes[text] = None

    def problem(self, kind: str, where: object, message: str) -> None:
        """Raise :class:`InputError`, or count the problem under its kind where lenient."""
        self.tolerate(kind, InputError(where, message))

    def tolerate(self, kind: str, error: InputError) -> None:
        """Raise an error, or count it under its kind where lenient."""
        if not self.lenient:
            raise error
        count, first = self._problems.get(kind, (0, str(error)))
        self._problems[kind] = (count + 1, first)

    def take(self, other: Notes) -> None:
        """Add what other notes hold, behind what is here."""
        self._notes.update(other._notes)
        for kind, (count, first) in other._problems.items():
            before, earlier = self._problems.get(kind, (0, first))
            self._problems[kind] = (before + count, earlier)

    def problems(self) -> list[tuple[str, int, str]]:
        """Return kind, count and first message of what was tolerated."""
        return [(kind, count, first) for kind, (count, first) in self._problems.items()]

    @property
    def tolerated(self) -> int:
        """How many problems were tolerated."""
        return sum(count for count, _ in self._problems.values())

    def lines(self) -> list[str]:
        """Return the warnings and notes as lines for standard error."""
        warnings = [
            f"warning: {kind}: {count} time{'s' if count > 1 else ''}; the first: {first}"
            for kind, count, first in self.problems()
        ]
        return warnings + [f"note: {text}" for text in self._notes]
