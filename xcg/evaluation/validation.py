"""Check the files of a campaign: count what they contain, and find errors and oddities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

from xcg.documents.corpus import Corpus, Documents, corpus_of
from xcg.documents.files import PathLike, expand
from xcg.documents.parsing import note_entity
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, parent_path
from xcg.documents.tree import ElementTree, UnknownPathError
from xcg.errors import InputError, Notes
from xcg.evaluation.inputs import Inputs, check_document_is_used
from xcg.evaluation.reading import count_repeated
from xcg.formats.base import read_assessments, read_run
from xcg.judgements.anchoring import anchor
from xcg.judgements.assessment import Assessment
from xcg.judgements.distribution import LevelCount, level_distribution
from xcg.judgements.recall_base import RecallBase, Span
from xcg.runs.chunk_documents import ChunkSource, missing_document
from xcg.runs.result_overlap import overlapping_results
from xcg.runs.run import UNKNOWN_SPAN, Run

T = TypeVar("T")


@dataclass
class Finding:
    """A kind of problem with its number of occurrences and the first one."""

    level: Literal["error", "warning"]
    kind: str
    count: int
    first: str


@dataclass
class Report:
    """The result of a check.

    Attributes:
        counts: Name → number of documents, assessments, results and so on.
        levels: Number and shares of the assessments of each level or grade pair, lowest first.
        data: Problems, which stop an evaluation, oddities, which it accepts, and notes.
        unread: Notes on files in the corpus that are not read.
    """

    counts: dict[str, int | float] = field(default_factory=dict)
    levels: list[LevelCount] = field(default_factory=list)
    data: Notes = field(default_factory=lambda: Notes(lenient=True))
    unread: Notes = field(default_factory=Notes)

    @property
    def findings(self) -> list[Finding]:
        """All findings, errors first, each in the order of occurrence."""
        errors = [Finding("error", *problem) for problem in self.data.problems()]
        return errors + [Finding("warning", *oddity) for oddity in self.data.oddities()]

    @property
    def status(self) -> int:
        """The exit status: 0 without findings, 1 with warnings, 2 with errors."""
        return 2 if self.data.problems() else 1 if self.data.oddities() else 0


def validate(inputs: Inputs) -> Report:
    """Check the files of a campaign by themselves and against each other.

    Errors are problems that stop an evaluation without ``lenient``: unreadable files, illegal values,
    and missing paths and documents. Warnings are problems that an evaluation accepts: elements
    returned twice, results for topics without assessments, exhaustivity that decreases towards the root
    (Kazai and Lalmas 2006, section 3.3), stated sizes that differ from the document, and offset qrels
    that contradict themselves.

    Args:
        inputs: Assessments, runs and a corpus; each may be missing.

    Returns:
        The counts and findings. All problems are collected, as in a lenient evaluation.
    """
    report = Report()
    documents = _corpus(inputs.corpus, report) if inputs.corpus is not None else None
    base: RecallBase | None = None
    if isinstance(inputs.assessments, (RecallBase, Mapping)):
        base = inputs.recall_base
    elif inputs.has_assessments:
        base = _assessments(inputs.assessments, report)
    if base is not None:
        if documents is not None:
            base = anchor(base, documents, report.data)
        _check_assessments(base, documents, report)
    given = inputs.runs
    sources: list[Run | Path] = []
    if isinstance(given, (list, tuple)) and all(isinstance(one, (str, Path)) for one in given):
        sources += _expanded(given, "runs", report)
    elif inputs.has_runs:
        sources += inputs.run_sources
    if inputs.document is not None:
        check_document_is_used(sources)
    source = ChunkSource(inputs.document, documents)
    for file in sources:
        run: Run | None
        if isinstance(file, Run):
            run = file
        else:
            run = _read(partial(read_run, ties=inputs.ties, source=source), file, "runs", report)
        if run is not None:
            _check_run(run, base, documents, report)
    return report


def _expanded(paths: PathLike | Iterable[PathLike], what: str, report: Report) -> list[Path]:
    try:
        return expand(paths, what)
    except InputError as error:
        report.data.tolerate(f"missing {what}", error)
        return []


def _corpus(given: Documents, report: Report) -> Corpus | None:
    try:
        corpus = corpus_of(given)
    except InputError as error:
        report.data.tolerate("unreadable corpora", error)
        return None
    assert corpus is not None
    facts = []
    greatest = 0
    for name in corpus:
        try:
            tree = corpus.tree(name)
            if tree.entity:
                note_entity(tree, corpus.where(name), report.data)
        except InputError as error:
            report.data.tolerate("unreadable documents", error)
            continue
        sizes = tree.characters[0], tree.words[0], tree.characters.sum(), tree.depth.sum()
        facts.append((len(tree), *map(int, sizes)))
        greatest = max(greatest, int(tree.depth.max()))
    documents = len(facts)
    elements, characters, words, in_elements, depth = (
        map(sum, zip(*facts, strict=True)) if facts else [0] * 5
    )
    corpus.source.note_oddities(report.unread)
    report.counts.update({"documents": documents, "elements in documents": elements})
    if documents:
        report.counts |= {
            "elements per document": elements / documents,
            "characters per document": characters / documents,
            "words per document": words / documents,
            "characters per element": in_elements / elements,
            "depth per element (root: 1)": depth / elements,
            "greatest depth": greatest,
        }
    if excluded := corpus.exclusion(corpus.removed):
        report.unread.note(excluded)
    return corpus


def _assessments(paths: PathLike | Iterable[PathLike], report: Report) -> RecallBase:
    """Read the files one by one, so that an unreadable file does not hide problems of the others."""
    base = RecallBase()
    for path in _expanded(paths, "assessments", report):
        _read(read_assessments, path, "assessments", report, base)
    return base


def _read(read: Callable[..., T], path: Path, what: str, report: Report, *into: RecallBase) -> T | None:
    """Return what is read, None for an unreadable file."""
    notes = Notes(lenient=True)
    try:
        found = read(path, notes, *into)
    except InputError as error:
        first = error
        try:
            if not path.is_fifo():  # its content is gone
                read(path, Notes())
        except InputError as strict:  # it stops an evaluation, and is not always the last one
            first = strict
        report.data.tolerate(f"unreadable {what}", first)
        return None
    report.data.take(notes)
    return found


def _check_assessments(base: RecallBase, corpus: Corpus | None, report: Report) -> None:
    elements: list[Assessment] = []
    passages = 0
    for topic in base.topics:
        source = f"{base.sources.get(topic, 'assessments')}, topic {topic}"
        for file, assessed in base.files[topic].items():
            elements += assessed.values()
            _check_elements(assessed, corpus, file, f"{source}, {file}", report)
        spans, points = base.spans[topic], base.passages[topic]
        stated: dict[str, Sequence[Span | Passage]] = {**spans, **points}
        passages += sum(map(len, spans.values())) + sum(map(len, points.values()))
        for file, found in stated.items():
            where = f"{source}, {file}"
            tree = _tree(corpus, file, where, report)
            if tree is None:
                continue
            for passage in found:
                problem = "passages that do not fit their document"
                _check_passage(passage, tree, problem, where, report)
            sizes = base.document_sizes[topic].get(file)
            if sizes is not None and sizes.length != tree.characters[0]:
                message = (
                    f"has {tree.characters[0]} characters, but the assessments state {sizes.length}"
                )
                report.data.oddity("stated sizes that differ from the document", where, message)
    report.levels = level_distribution(base)
    report.counts["assessed topics"] = len(base.topics)
    report.counts["assessed elements"] = len(elements)
    report.counts["relevant elements"] = sum(assessment.relevant for assessment in elements)
    report.counts["relevant passages"] = passages + base.quotes_without_position


def _check_elements(
    assessed: Mapping[str, Assessment], corpus: Corpus | None, file: str, where: str, report: Report
) -> None:
    for path, assessment in assessed.items():
        parent = parent_path(path)
        if parent and assessment.relevant and path != WHOLE:
            judged = assessed[parent].exhaustivity if parent in assessed else 0
            if judged < assessment.exhaustivity:
                message = f"{path} has {assessment.exhaustivity:g}, its parent {judged:g}"
                problem = "exhaustivity that decreases towards the root"
                report.data.oddity(problem, where, message)
    tree = _tree(corpus, file, where, report)
    if tree is None:
        return
    for path, assessment in assessed.items():
        try:
            size = int(tree.characters[tree.row(path)])
        except UnknownPathError as error:
            report.data.problem("assessments of unknown paths", where, str(error))
            continue
        stated = assessment.characters
        if stated is not None and stated != size:
            message = f"{path} has {size} characters, but the assessments state {stated}"
            report.data.oddity("stated sizes that differ from the document", where, message)


def _check_passage(
    passage: Sequence[float] | Passage, tree: ElementTree, problem: str, where: str, report: Report
) -> None:
    try:
        start, end, *_ = passage.characters(tree) if isinstance(passage, Passage) else passage
        tree.check_characters(int(start), int(end))
    except UnknownPathError as error:
        report.data.problem(problem, where, str(error))


def _tree(
    corpus: Corpus | None, file: str, where: str, report: Report, is_result: bool = False
) -> ElementTree | None:
    if corpus is None:
        return None
    if file not in corpus:
        message = missing_document(file, corpus, is_result=is_result)
        report.data.problem("documents that the corpus lacks", where, message)
        return None
    try:
        return corpus.tree(file)
    except InputError:
        return None  # reported when the corpus was read


def _check_run(run: Run, base: RecallBase | None, corpus: Corpus | None, report: Report) -> None:
    overlapping = 0
    for topic, ranking in run.rankings.items():
        source = f"{run.source}, topic {topic}"
        if base is not None and topic not in base:
            report.data.oddity("topics without assessments", "", source)
        named = [(*element, ranking.spans.get(i)) for i, element in enumerate(ranking)]
        for _ in range(count_repeated(ranking)):
            message = "the strategy unique removes them"
            report.data.oddity("elements returned more than once", source, message)
        overlapping += sum(overlapping_results(ranking))
        for rank, (file, path, span) in enumerate(named, 1):
            where = f"{source}, rank {rank}, {file}"
            tree = _tree(corpus, file, where, report, is_result=True)
            if tree is None:
                continue
            if span is not None and span != UNKNOWN_SPAN:
                _check_passage(span, tree, "results with unknown passages", where, report)
            try:
                if path not in ("", WHOLE):
                    tree.row(path)
            except UnknownPathError as error:
                report.data.problem("results with unknown paths", where, str(error))
    for topic in base.topics if base is not None else ():
        if not len(run.rankings.get(topic, ())):
            report.data.oddity("assessed topics without results", "", f"{run.source}, {topic}")
    results = sum(map(len, run.rankings.values()))
    name = f"{run.name} [{run.source}]" if f"results of {run.name}" in report.counts else run.name
    report.counts[f"results of {name}"] = results
    report.counts[f"overlap of {name}"] = round(overlapping / results, 4) if results else 0.0
