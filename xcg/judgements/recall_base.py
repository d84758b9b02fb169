"""The recall-base: the assessments of elements, documents and passages by topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from xcg.documents.passage_points import Passage, Point
from xcg.documents.paths import WHOLE, canonical_file, canonical_path
from xcg.documents.text_search import Quote
from xcg.errors import MAX_NAME_LENGTH, InputError, Notes, XcgError, name_too_long
from xcg.judgements.assessment import (
    Assessment,
    DocumentSizes,
    ParsedPassage,
    PlainPassage,
    Scale,
    are_passages,
    check_pair,
    level_assessment,
    parse_passage,
)
from xcg.registry import Registry

T = TypeVar("T")

Judged = float | Mapping[str, float | Sequence[float]] | Sequence[PlainPassage]
"""Plain assessments of a document: a level; path → (e, s) or level; or relevant passages. A level is a
number from -1000 to 1000."""
DocumentLength = Callable[[str], int]
"""A function that returns the number of characters of a document's text."""
MEAN = "all"
"""The name used instead of a topic for the mean over topics."""


class Span(NamedTuple):
    """A relevant passage: characters start to end - 1 of a document's text.

    Attributes:
        start: First character.
        end: First character after the passage.
        exhaustivity: 1 or 2 as since INEX 2005, 2 if not graded; or a level of relevance. Element
            assessments can be derived from passages up to level 2.
    """

    start: int
    end: int
    exhaustivity: float = 2.0


Stated = tuple[str, str | tuple[int, int]]  # a file; the path of an element, or start and end


class ByTopic(dict[str, dict[str, T]]):
    """Topic → file → what the assessments state; nothing for an unknown topic, which is not added.

    >>> spans = ByTopic({"1": {"bees": 3}})
    >>> spans["1"], spans["2"], list(spans)
    ({'bees': 3}, {}, ['1'])
    """

    def __missing__(self, topic: str) -> dict[str, T]:
        return {}


class RecallBase:
    """The assessed elements and relevant passages of a test collection.

    :meth:`add`, :meth:`of` and :func:`xcg.read_assessments` fill it. Other elements are not relevant.

    Attributes:
        files: Topic → file → path → assessment, of all topics.
        spans: Topic → file → relevant passages, which may overlap; none if nothing is relevant.
        passages: Topic → file → passages between two points, as in INEX since 2005. If a file also has
            assessed elements, these alone determine the relevance of elements.
        entry_points: Topic → file → best entry point, an offset in the document's text or a point.
        document_sizes: Topic → file → stated sizes; only files for which offset qrels state them.
        quoted: The topics, files and passages that state their text, with the file and line for
            messages. Passages that also state their position are among the spans too. The others need
            the documents, see :func:`xcg.judgements.anchoring.anchor`.
        nuggets: Topic → element or passage → nugget → its level.
        has_nuggets: Whether the assessments name nuggets.
        texts: The text of the passages that state it, by topic, file and passage.
        sources: Topic → file, for messages.

    >>> base = RecallBase.of({"163": {"co/2001/r7022": {"/article/bdy/sec[6]": (3, 3)}}})
    >>> base.topics
    ['163']
    >>> base.files["163"]["co/2001/r7022"]["/article[1]/bdy[1]/sec[6]"].label
    '(3,3)'
    """

    def __init__(self) -> None:
        self.files: ByTopic[dict[str, Assessment]] = ByTopic()
        self.spans: ByTopic[list[Span]] = ByTopic()
        self.entry_points: ByTopic[int | Point] = ByTopic()
        self.passages: ByTopic[list[Passage]] = ByTopic()
        self.document_sizes: ByTopic[DocumentSizes] = ByTopic()
        self.quoted: list[tuple[str, str, ParsedPassage, object]] = []
        self.nuggets: dict[str, dict[Stated, dict[str, float]]] = {}
        self.has_nuggets = False  # also not if they are only a column that may be meaningless
        self.texts: dict[tuple[str, str, Span], Quote] = {}
        self.sources: dict[str, str] = {}

    @classmethod
    def of(cls, assessments: Mapping[str, Mapping[str, Judged]]) -> RecallBase:
        """Return the recall-base of plain assessments.

        Args:
            assessments: Topic → file → assessments of the document: a mapping path → (e, s), level or
                :class:`Assessment`; the level of the whole document; or a list of relevant passages,
                (start, end) in characters of the document's text or (start, end, level), or dicts with
                these keys or with a quote (``exact`` or ``text``, ``prefix``, ``suffix``), and with the
                ``nugget`` that they state. A dict with ``nugget`` alone is about the element ``path``
                or the whole document, with level 1. The list is empty if nothing is relevant.

        Raises:
            InputError: If a file name, path, pair, level or passage is illegal.

        >>> base = RecallBase.of({"7": {"bees": [(0, 15), (40, 52)], "ants": []}})
        >>> [(span.start, span.end) for span in base.spans["7"]["bees"]]
        [(0, 15), (40, 52)]
        """
        base = cls()
        for topic, files in assessments.items():
            base.add_topic(str(topic), "assessments")
            for file, judged in files.items():
                base._add_plain(str(topic), file, judged)
        return base

    def _add_plain(self, topic: str, file: str, judged: Judged) -> None:
        where = f"assessments, topic {topic}, {file}"
        try:
            if are_passages(judged):
                if not judged:
                    self.add_span(topic, canonical_file(file), None, where)
                for given in judged:
                    self._add_plain_passage(topic, canonical_file(file), given, where)
                return
            elements: Mapping[str, object] = {WHOLE: judged}
            legal = "a level, or a list of (start, end) passages"
            if isinstance(judged, Mapping):
                elements, legal = judged, "a level"
            for path, pair in elements.items():
                where = f"assessments, topic {topic}, {file}, {path}"
                name, canonical = canonical_file(file), path if path == WHOLE else canonical_path(path)
                self.add(topic, name, canonical, check_pair(pair, legal), where)
        except InputError:
            raise
        except ValueError as error:
            raise InputError(where, str(error)) from None

    def _add_plain_passage(self, topic: str, file: str, given: PlainPassage, where: str) -> None:
        fields = given if isinstance(given, Mapping) else {}
        if "nugget" not in fields or {"start", "end", "exact", "text"} & fields.keys():
            self.add_stated(topic, file, parse_passage(given, where), where)
            return
        if not fields.keys() <= {"nugget", "path", "level"}:
            raise ValueError(f"keys {sorted(fields)}: expected path and level, or start and end")
        level: Any = fields.get("level", 1)
        path = canonical_path(str(fields["path"])) if "path" in fields else WHOLE
        self.has_nuggets = True
        level = level_assessment(level).exhaustivity
        self.add_nugget(topic, str(fields["nugget"]), (file, path), level, where)

    @property
    def topics(self) -> list[str]:
        """The assessed topics; numbers in numerical order, followed by names in alphabetical order."""
        return sorted(self.files, key=topic_key)

    @property
    def states_text(self) -> bool:
        """Whether any topic has relevant passages, by characters or by points."""
        return bool(self.quoted) or any(map(any, (self.spans.values(), self.passages.values())))

    @property
    def scales(self) -> set[Scale]:
        """The scales of all assessments; elements derived from passages have the scale ``share``."""
        files = (elements for files in self.files.values() for elements in files.values())
        scales = {assessment.scale for elements in files for assessment in elements.values()}
        return scales | {"share"} if self.states_text else scales

    def add_passage(self, topic: str, file: str, passage: Passage) -> None:
        """Add a highlighted passage between two points."""
        self.files.setdefault(topic, {})
        self.passages.setdefault(topic, {}).setdefault(file, []).append(passage)

    def add_entry_point(self, topic: str, file: str, point: int | Point) -> None:
        """Add the best entry point of a document."""
        self.entry_points.setdefault(topic, {})[file] = point

    def add_document_sizes(self, topic: str, file: str, sizes: DocumentSizes) -> None:
        """Add stated sizes; those of several lines add up, and the largest length counts."""
        of_topic = self.document_sizes.setdefault(topic, {})
        if file in of_topic:
            relevant, length = of_topic[file]
            sizes = DocumentSizes(relevant + sizes.relevant, max(length, sizes.length))
        of_topic[file] = sizes

    def add_span(self, topic: str, file: str, span: Span | None, where: object) -> None:
        """Add a relevant passage with text; see :meth:`add_spans`.

        Raises:
            InputError: If the document has assessed elements for the topic, or the passage has no text.
        """
        if span is not None and not 0 <= span.start < span.end:
            raise InputError(where, f"start {span.start} and end {span.end}: expected 0 <= start < end")
        self.add_spans(topic, file, () if span is None else (span,), where)

    def add_spans(self, topic: str, file: str, spans: Iterable[Span], where: object) -> None:
        """Add relevant passages; none for an assessed document without relevant text.

        Raises:
            InputError: If the document has assessed elements for the topic.
        """
        if file in self.files.setdefault(topic, {}):
            raise InputError(where, f"topic {topic}, {file}: has assessed elements and passages")
        self.spans.setdefault(topic, {}).setdefault(file, []).extend(spans)

    @property
    def quotes_without_position(self) -> int:
        """Number of passages that state only their text."""
        return sum(passage.span is None for *_, passage, _ in self.quoted)

    def add_stated(self, topic: str, file: str, passage: ParsedPassage, where: object) -> None:
        """Add a passage that states its text, its position, or both; without relevance, its document.

        Raises:
            InputError: If the document has assessed elements for the topic, the passage or its text is
                empty.
        """
        quote, span, grade, name = passage if passage.exhaustivity > 0 else (None, None, 0.0, None)
        if quote is not None and not quote.exact.strip():
            raise InputError(where, "the text of the passage is empty")
        found = None if span is None or name is not None else Span(*span, grade)
        self.add_span(topic, file, found, where)
        if quote is not None:
            self.quoted.append((topic, file, passage, where))
        if quote is not None and found is not None:
            self.texts[topic, file, found] = quote
        quote, span, grade, name = passage
        if name is not None:
            self.has_nuggets = True
            if span is not None:
                self.add_nugget(topic, name, (file, span), grade, where, quote)

    def add_nugget(
        self,
        topic: str,
        nugget: str,
        stated: Stated,
        level: float,
        where: object,
        quote: Quote | None = None,
    ) -> None:
        """Add that an element or a passage states a nugget.

        Without regard to nuggets, it has the highest level of its nuggets.

        Raises:
            InputError: If this is known, or if the recall-base refuses the element or passage.
        """
        file, part = stated
        known = self.nuggets.setdefault(topic, {}).setdefault(stated, {})
        if nugget in known:
            raise InputError(where, f"topic {topic}, {file}: judged before for the nugget {nugget!r}")
        if isinstance(part, str):
            earlier = self.files[topic].get(file, {}).get(part)
            if earlier is None:
                self.add(topic, file, part, level_assessment(level), where)
            else:
                if not known:  # read before as an ordinary line of qrels
                    known["0"] = earlier.exhaustivity
                self.files[topic][file][part] = level_assessment(max(level, earlier.exhaustivity))
        else:
            best = max(known.values(), default=0.0)
            if level > best:
                self.add_span(topic, file, Span(*part, level), where)
                if best > 0:
                    self.spans[topic][file].remove(Span(*part, best))
            elif not known:
                self.add_span(topic, file, None, where)
            if quote is not None:
                self.texts[topic, file, Span(*part, max(best, level))] = quote
        known[nugget] = level

    def __contains__(self, topic: object) -> bool:
        return topic in self.files

    def __len__(self) -> int:
        return sum(len(elements) for files in self.files.values() for elements in files.values())

    def __repr__(self) -> str:
        return f"<RecallBase: {len(self.files)} topics, {len(self)} assessed elements>"

    def add_topic(self, topic: str, source: str) -> None:
        """Add an assessed topic, to which nothing may be relevant.

        Raises:
            InputError: If the topic's name is illegal.
        """
        check_topic(topic, source)
        self.files.setdefault(topic, {})
        self.sources.setdefault(topic, source)

    def add(self, topic: str, file: str, path: str, assessment: Assessment, where: object) -> None:
        """Add an assessed element.

        Args:
            topic: The topic.
            file: Canonical file name.
            path: Canonical element path.
            assessment: The assessment.
            where: File and line, for messages.

        Raises:
            InputError: If the element has another assessment, or the document has passages.
        """
        if file in self.spans[topic]:
            raise InputError(where, f"topic {topic}, {file}: has assessed elements and passages")
        elements = self.files.setdefault(topic, {}).setdefault(file, {})
        earlier = elements.setdefault(path, assessment)
        if earlier != assessment:
            raise InputError(
                where,
                f"topic {topic}, {file}: {path} is assessed {assessment.label} "
                f"but was {earlier.label} before; expected one assessment per element",
            )

    def to_text(self, format: str, lengths: DocumentLength | None = None) -> tuple[str, list[str]]:
        r"""Return the content of a file with these assessments.

        Args:
            format: Name of an assessment format, for example ``inex2004``, ``inex2005``, ``offsets``,
                ``trec`` or ``jsonl``.
            lengths: Returns the number of characters of a document; offset qrels state it.

        Returns:
            The text, and descriptions of what the format cannot hold.

        Raises:
            XcgError: If the format is unknown, is only read, or cannot hold the assessments.

        >>> RecallBase.of({"1": {"FT911-3": 2}}).to_text("trec")
        ('1 0 FT911-3 2\n', [])
        """
        known = ASSESSMENT_FORMATS.get(format)
        write = known.write
        if write is None:
            raise XcgError(f"cannot write assessments in the format {format!r}: it is only read")
        if self.quotes_without_position:
            raise XcgError("cannot write passages without start and end, which xcg place adds")
        text, lost = write(self, lengths)
        if not known.holds_texts and self.texts:
            lost = [*lost, "the text of passages"]
        return text, lost


AssessmentWriter = Callable[[RecallBase, DocumentLength | None], tuple[str, list[str]]]
"""A function that returns the content of a file, and descriptions of what the format cannot hold."""


class AssessmentFormat(NamedTuple):
    """A file format for assessments.

    Attributes:
        description: What the files hold, in one line.
        detect: Takes the first bytes of a file and returns how certain it is that the file has this
            format, from 0 to 1; True is 1.
        read: Adds the assessments of an open file to a recall-base. Takes the file, its path for
            messages, the recall-base and the notes.
        write: Takes a recall-base, and None or a function that returns the length of a document. None
            for a format that is only read.
        passages_become: The scale of the elements that passages become when they are converted with
            their documents; None for a format that holds passages.
        holds_texts: Whether a file holds the text of passages.
    """

    description: str
    detect: Callable[[bytes], float]
    read: Callable[[BufferedReader, Path, RecallBase, Notes], None]
    write: AssessmentWriter | None = None
    passages_become: Scale | None = None
    holds_texts: bool = False


ASSESSMENT_FORMATS: Registry[AssessmentFormat] = Registry(
    "assessment format", "xcg.assessment_format", package="xcg.formats"
)
"""The file formats for assessments by name."""


def check_topic(topic: str, where: str) -> None:
    """Raise InputError if the name of a topic is illegal."""
    if len(topic) > MAX_NAME_LENGTH:
        raise InputError(where, name_too_long("topic", topic))
    if not topic or topic != topic.strip():
        raise InputError(where, f"the topic {topic!r} is empty, or has white space at an end")
    if not topic.isprintable():
        raise InputError(where, f"the topic {topic!r} has control characters")
    if topic == MEAN:
        raise InputError(where, f"a topic is called {MEAN!r}, the name of the mean over topics")


def topic_key(topic: str) -> tuple[int, int, str]:
    """Return the sort key of a topic: numbers first, then names."""
    number = topic.isdecimal() and len(topic) < 20
    return (0, int(topic), topic) if number else (1, 0, topic)
