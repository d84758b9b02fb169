"""Write a simulated campaign: documents, assessments, runs and a configuration, all from a seed.

Simulated campaigns show how measures react when the truth is known, and what the program costs at full
size. They simulate

- documents: an INEX-like schema, log-normal sizes, inline markup, tables, lists and bibliographies;
- assessments: passages, from which the element assessments follow as from real highlights
  (:func:`xcg.judgements.highlights.assess`), and further assessors who disagree with the first;
- systems of known skill, preferred granularity and overlap.

They do not simulate language: words are pseudo-words with a Zipf-Mandelbrot distribution, unrelated to
relevance, so a search engine finds nothing. There are no topic statements, no pools, and no elements
assessed as irrelevant, because unassessed elements are irrelevant anyway. Sizes of INEX 2004 are from
Kazai and Lalmas 2006, sections 3 and 6; all other parameters are ours.

More runs, assessors, topics or results leave the documents unchanged, and more runs leave all other
files unchanged, apart from the numbers in ``config.yaml``. The same seed gives the same bytes with the
same release series of numpy, which may change its random streams (NEP 19).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice, repeat
from pathlib import Path
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.files import INCOMPLETE_CAMPAIGN, PathLike, check_complete
from xcg.documents.tree import ElementTree
from xcg.errors import InputError
from xcg.formats.inex_assessments import inex_2004
from xcg.judgements.highlights import Highlight, assess
from xcg.judgements.recall_base import RecallBase
from xcg.lazy_modules import np
from xcg.settings.schema import DEFAULT_MEASURES
from xcg.simulation.documents import DECLARATION, Article, ArticleFactory
from xcg.simulation.shape import ASSESSOR, DOCUMENT, RUN, TOPIC, Shape
from xcg.simulation.systems import System, make_pool, rank, submission_topic, systems
from xcg.user_model.model import DEFAULT

_FIRST_TOPIC = 162  # INEX 2004 had the CO topics 162 to 201


Progress = Callable[[int, int], None]


def simulate(folder: PathLike, shape: Shape | None = None, *, progress: Progress | None = None) -> None:
    """Write a simulated campaign to a new folder.

    The folder gets ``documents/`` with the articles, ``assessments/`` with one INEX 2004 file per topic
    (with several assessors, in ``assessments/assessor1/`` and so on), ``runs/`` with one XML submission
    per system, and finally ``config.yaml``, which evaluates the runs by the first assessor. Until then,
    the file ``xcg-incomplete.txt`` marks the campaign as incomplete.

    The default shape gives 8.17 million elements, 675 per article, with a mean depth of 6.88, and per
    topic 64 relevant articles and 1,200 assessed elements. With ``elements=60`` the mean depth is 4.8.

    For each topic, all systems rank the same articles: those with relevant text, and as many others as
    ``shape.results``. They rank articles, bodies, abstracts, sections, paragraphs, lists, figures and
    tables. Titles and inline markup are assessed, but not ranked.

    Args:
        folder: A folder that is empty or does not exist.
        shape: Size and seed; by default the size of INEX 2004.
        progress: Called with the number of completed steps and of all. All topics together are as many
            steps as all articles, because they take about as long.

    Raises:
        InputError: If the folder is not empty or cannot be written.
    """
    with _marked_as_incomplete(Path(folder)):
        _Writer(Path(folder), shape or Shape(), progress).write()


@contextmanager
def _marked_as_incomplete(folder: Path) -> Iterator[None]:
    """Mark a new folder until the block succeeds: a killed process leaves no apparent campaign."""
    marker = folder / INCOMPLETE_CAMPAIGN
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_complete(folder)
        if any(folder.iterdir()):
            raise InputError(folder, "the folder is not empty; expected a new folder")
        marker.touch(exist_ok=False)
        yield
        marker.unlink()
    except OSError as error:
        raise InputError(error.filename or folder, f"cannot write: {error.strerror}") from None


class _Writer:
    """Writes the files of a campaign and counts their content."""

    def __init__(self, folder: Path, shape: Shape, progress: Progress | None) -> None:
        self._folder = folder
        self._progress = progress
        self._shape = shape
        self._factory = ArticleFactory(shape)
        self._articles: list[Article] = []
        self._systems = systems(shape)

    def write(self) -> None:
        self._write_documents()
        for system in self._systems:
            self._add_to_run(system, f'{DECLARATION}<inex-submission run-id="{system.name}">\n')
        articles, topics = self._shape.articles, self._shape.topics
        for number in range(topics):
            self._report(articles + number * articles // topics)
            self._write_topic(number)
        for system in self._systems:
            self._add_to_run(system, "</inex-submission>\n")
        self._write_configuration()

    def _report(self, done: int) -> None:
        if self._progress is not None:
            self._progress(done, 2 * self._shape.articles)

    def _write_documents(self) -> None:
        for number in range(self._shape.articles):
            self._report(number)
            rng = self._shape.generator(DOCUMENT, number)
            article = self._factory.draw(number, rng)
            self._append(f"documents/{article.name}.xml", self._factory.xml(article, rng))
            self._articles.append(article)

    def _write_topic(self, number: int) -> None:
        shape = self._shape
        topic = str(_FIRST_TOPIC + number)
        rng = shape.generator(TOPIC, number)
        wanted = round(shape.relevant * rng.lognormal(-0.18, 0.6))
        relevant = min(max(wanted, 1), max(len(self._articles) // 2, 1))
        shuffled = rng.permutation(len(self._articles)).tolist()
        drawn = shuffled[: relevant + shape.results]
        corpus = Corpus(self._folder / "documents", cache=False)  # keeps the trees of one topic

        def marked(article: int, rng: np.random.Generator) -> MarkedArticle:
            name = self._articles[article].name
            blocks = Blocks(corpus.tree(name))
            return MarkedArticle(name, blocks, mark(blocks, rng))

        truth = [marked(article, rng) for article in sorted(drawn[:relevant])]
        base = self._write_assessments(topic, 0, truth, corpus)
        for assessor in range(1, shape.assessors):
            rng = shape.generator(ASSESSOR, assessor, number)
            others = map(marked, shuffled[relevant:], repeat(rng))
            again = mark_again(truth, others, shape.agreement, rng)
            self._write_assessments(topic, assessor, again, corpus)
        articles = [self._articles[drawn_number] for drawn_number in sorted(drawn)]
        pool = make_pool(self._factory, articles, base, topic)
        for system in self._systems:
            rng = shape.generator(RUN, system.number, number)
            ranking = rank(pool, system, shape.results, shape.hardness, rng)
            self._add_to_run(system, submission_topic(topic, pool, ranking))

    def _write_assessments(
        self, topic: str, assessor: int, articles: Iterable[MarkedArticle], corpus: Corpus
    ) -> RecallBase:
        highlights = [
            Highlight(topic, article.name, *article.blocks.span(passage), passage.grade)
            for article in articles
            for passage in article.passages
        ]
        base = assess(highlights, corpus)
        base.add_topic(topic, "simulation")
        name = f"{self._assessor_folder(assessor)}/{topic}.xml"
        self._append(name, inex_2004(base, topic))
        return base

    def _add_to_run(self, system: System, text: str) -> None:
        self._append(f"runs/{system.name}.xml", text.encode())

    def _append(self, name: str, content: bytes) -> None:
        """Append to a file; the first call for a file creates it and its folder."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(content)

    def _assessor_folder(self, assessor: int) -> str:
        one = self._shape.assessors == 1
        return "assessments" if one else f"assessments/assessor{assessor + 1}"

    def _write_configuration(self) -> None:
        text = (
            f"# xcg simulate: {self._shape}\n"
            "# The name of a run states its skill, its granularity and its behaviour towards overlap.\n"
            f"corpus: documents\nassessments: {self._assessor_folder(0)}\nruns: runs\n"
            f"user_model: {DEFAULT}\nmeasures: [{', '.join(DEFAULT_MEASURES)}]\n"
        )
        self._append("config.yaml", text.encode())


_CONTAINERS = ("abs", "sec", "ss1", "ss2", "ss3")


class Passage(NamedTuple):
    """A marked passage: its first and last block (from 0), and its exhaustivity (1 to 3)."""

    first: int
    last: int
    grade: int


class Blocks:
    """The blocks of an article: the children of sections and abstracts, with section titles."""

    def __init__(self, tree: ElementTree) -> None:
        self._tree = tree
        tags = [tree.tag(row) for row in range(len(tree))]
        self._rows = [
            row
            for row, parent in enumerate(tree.parent.tolist())
            if parent >= 0 and tags[parent] in _CONTAINERS and tags[row] not in _CONTAINERS
        ]
        self._not_titles = [block for block, row in enumerate(self._rows) if tags[row] != "st"]

    def __len__(self) -> int:
        return len(self._rows)

    def draw(self, rng: np.random.Generator) -> tuple[int, int]:
        """Draw the first and last block of a passage: some blocks, a section, or rarely the body."""
        block = self._not_titles[int(rng.integers(len(self._not_titles)))]
        kind, length = rng.random(), int(rng.integers(4))
        parent = self._parent(block)
        if kind < 0.6:
            last_in_parent = self._blocks_in(parent)[1]
            last = block
            while last < min(block + length, last_in_parent) and self._parent(last + 1) == parent:
                last += 1
            return block, last
        containers = [parent, *self._tree.ancestors(parent)][:-1]  # without the article
        return self._blocks_in(containers[0 if kind < 0.8 else -2 if kind < 0.96 else -1])

    def draw_near(self, passage: Passage, rng: np.random.Generator) -> list[Passage]:
        """Draw one block of a third of the sections that a passage touches, with another grade."""
        grade = _other_grade(passage.grade, int(rng.integers(1, 3)))
        sections = sorted({self._parent(block) for block in range(passage.first, passage.last + 1)})
        drawn = []
        for section in rng.permutation(sections)[: math.ceil(len(sections) / 3)].tolist():
            blocks = [block for block in self._not_titles if self._parent(block) == section]
            block = blocks[int(rng.integers(len(blocks)))]
            drawn.append(Passage(block, block, grade))
        return drawn

    def _parent(self, block: int) -> int:
        return int(self._tree.parent[self._rows[block]])

    def _blocks_in(self, row: int) -> tuple[int, int]:
        first, end = np.searchsorted(self._rows, [row, int(self._tree.end[row])]).tolist()
        return first, end - 1

    def span(self, passage: Passage) -> tuple[int, int]:
        """Return the first character of a passage and the one after its last."""
        tree = self._tree
        return int(tree.start[self._rows[passage.first]]), int(tree.stop[self._rows[passage.last]])


class MarkedArticle(NamedTuple):
    """The passages that an assessor marked in an article."""

    name: str
    blocks: Blocks
    passages: list[Passage]


def mark(blocks: Blocks, rng: np.random.Generator) -> list[Passage]:
    """Draw the passages of a relevant article: one or more, without overlap."""
    passages: list[Passage] = []
    for _ in range(1 + int(rng.poisson(1.2))):
        first, last = blocks.draw(rng)
        grade = 1 + int(np.searchsorted([0.45, 0.78], rng.random()))
        if all(last < other.first or other.last < first for other in passages):
            passages.append(Passage(first, last, grade))
    return sorted(passages)


def mark_again(
    articles: Iterable[MarkedArticle],
    others: Iterator[MarkedArticle],
    agreement: float,
    rng: np.random.Generator,
) -> Iterator[MarkedArticle]:
    """Yield the articles and passages of a further assessor.

    Args:
        articles: The first assessor's articles.
        others: Other articles with passages, which a further assessor may find instead.
        agreement: See :class:`~xcg.simulation.shape.Shape`.
        rng: Source of the random choices.
    """
    for article in articles:
        if agreement < 0 and rng.random() < -agreement:
            yield from islice(others, 1)
            continue
        passages: list[Passage] = []
        for passage in article.passages:
            if agreement < 0 and rng.random() < -2 * agreement:
                passages += article.blocks.draw_near(passage, rng)
            else:
                passages += _again(passage, len(article.blocks), agreement, rng)
        yield article._replace(passages=passages)


def _again(passage: Passage, blocks: int, agreement: float, rng: np.random.Generator) -> list[Passage]:
    """Return a passage as a further assessor marks it, or no passage if that assessor omits it."""
    agrees, kind = rng.random(2).tolist()
    shifts = rng.integers(1, 4, 2) * rng.choice([-1, 1], 2)
    raised = int(rng.integers(1, 3))
    if agrees < agreement:
        return [passage]
    if kind < 0.25:
        first = min(max(passage.first + int(shifts[0]), 0), blocks - 1)
        last = min(max(passage.last + int(shifts[1]), first), blocks - 1)
        return [Passage(first, last, passage.grade)]
    if kind < 0.5:
        return [passage._replace(grade=_other_grade(passage.grade, raised))]
    return []


def _other_grade(grade: int, raised: int) -> int:
    """Return another grade; ``raised`` is 1 or 2, and grade 1 follows grade 3."""
    return (grade - 1 + raised) % 3 + 1
