"""Check the files of a campaign: count what they contain, and find errors and oddities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from xcg.documents.corpus import Corpus
from xcg.documents.files import PathLike, expand
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, parent_path
from xcg.documents.tree import ElementTree, UnknownPathError
from xcg.errors import InputError, Notes
from xcg.formats.base import read_assessments, read_run
from xcg.judgements.recall_base import RecallBase, Span
from xcg.runs.result_overlap import overlapping_results
from xcg.runs.run import Run, Ties

Level = Literal["error", "warning"]


@dataclass
class Finding:
    """A kind of problem with its number of occurrences and the first one."""

    level: Level
    kind: str
    count: int
    first: str


@dataclass
class Report:
    """The result of a check.

    Attributes:
        counts: Name → number of documents, assessments, results and so on.
    """

    counts: dict[str, int | float] = field(default_factory=dict)
    _findings: dict[tuple[Level, str], Finding] = field(default_factory=dict)

    def add(self, level: Level, kind: str, first: str, count: int = 1) -> None:
        """Count a finding under its kind."""
        known = self._findings.get((level, kind))
        if known is None:
            self._findings[level, kind] = Finding(level, kind, count, first)
        else:
            known.count += count

    def take(self, notes: Notes) -> None:
        """Add the problems that lenient reading counted, as errors."""
        for kind, count, first in notes.problems():
            self.add("error", kind, first, count)

    @property
    def findings(self) -> list[Finding]:
        """All findings, errors first, each in the order of occurrence."""
        return sorted(self._findings.values(), key=lambda finding: finding.level != "error")

    @property
    def status(self) -> int:
        """The exit status: 0 without findings, 1 with warnings, 2 with errors."""
        levels = {finding.level for finding in self._findings.values()}
        return 2 if "error" in levels else 1 if levels else 0


def validate(
    assessments: Sequence[PathLike] = (),
    runs: Sequence[PathLike] = (),
    corpus: PathLike | None = None,
    ties: Ties = "document",
) -> Report:
    """Check the files of a campaign by themselves and against each other.

    Errors are problems that stop an evaluation without ``lenient``: unreadable files, illegal values,
    and missing paths and documents. Warnings are problems that an evaluation accepts: elements
    returned twice, results for topics without assessments, exhaustivity that decreases towards the root
    (Kazai and Lalmas 2006, section 3.3), and stated sizes that differ from the document.

    Args:
        assessments: Files, folders or globs.
        runs: Files, folders or globs.
        corpus: A folder or archive.
        ties: The order of TREC results with equal scores.

    Returns:
        The counts and findings. All problems are collected, as in a lenient evaluation.
    """
    report = Report()
    documents = _corpus(corpus, report) if corpus is not None else None
    base = _assessments(assessments, report) if assessments else None
    if base is not None:
        _check_assessments(base, documents, report)
    for path in _expanded(runs, "runs", report):
        notes = Notes(lenient=True)
        try:
            run = read_run(path, notes, ties)
        except InputError as error:
            report.add("error", "unreadable runs", str(error))
            continue
        report.take(notes)
        _check_run(run, base, documents, report)
    return report


def _expanded(paths: Sequence[PathLike], what: str, report: Report) -> list[Path]:
    try:
        return expand(paths, what)
    except InputError as error:
        report.add("error", f"missing {what}", str(error))
        return []


def _corpus(path: PathLike, report: Report) -> Corpus | None:
    try:
        corpus = Corpus(path)
    except InputError as error:
        report.add("error", "unreadable corpora", str(error))
        return None
    documents = elements = 0
    for name in corpus:
        try:
            elements += len(corpus.tree(name))
            documents += 1
        except InputError as error:
            report.add("error", "unreadable documents", str(error))
    report.counts.update({"documents": documents, "elements in documents": elements})
    return corpus


def _assessments(paths: Sequence[PathLike], report: Report) -> RecallBase:
    """Read the files one by one, so that an unreadable file does not hide problems of the others."""
    base = RecallBase()
    for path in _expanded(paths, "assessments", report):
        notes = Notes(lenient=True)
        try:
            _merge(base, read_assessments(path, notes), notes)
        except InputError as error:
            report.add("error", "unreadable assessments", str(error))
        report.take(notes)
    return base


def _merge(base: RecallBase, more: RecallBase, notes: Notes) -> None:
    for topic in more.topics:
        source = more.sources.get(topic, "assessments")
        base.add_topic(topic, source)
        try:
            for file, elements in more.files(topic).items():
                for path, assessment in elements.items():
                    base.add(topic, file, path, assessment, source)
            for file, spans in more.spans(topic).items():
                base.add_span(topic, file, None, source)
                for span in spans:
                    base.add_span(topic, file, span, source)
            for file, passages in more.passages(topic).items():
                for passage in passages:
                    base.add_passage(topic, file, passage)
            for file, point in more.entry_points(topic).items():
                base.add_entry_point(topic, file, point)
        except InputError as error:
            notes.tolerate("contradicting assessments", error)


def _check_assessments(base: RecallBase, corpus: Corpus | None, report: Report) -> None:
    elements = [
        a for topic in base.topics for file in base.files(topic).values() for a in file.values()
    ]
    report.counts.update(
        {
            "assessed topics": len(base.topics),
            "assessed elements": len(elements),
            "relevant elements": sum(assessment.relevant for assessment in elements),
            "relevant passages": sum(
                len(found)
                for topic in base.topics
                for passages in (base.spans(topic), base.passages(topic))
                for found in passages.values()
            ),
        }
    )
    for topic in base.topics:
        source = base.sources.get(topic, "assessments")
        for file, assessed in base.files(topic).items():
            where = f"{source}, topic {topic}, {file}"
            for path, assessment in assessed.items():
                above = assessed.get(parent_path(path))
                if parent_path(path) and assessment.relevant and path != WHOLE:
                    judged = above.exhaustivity if above is not None else 0
                    if judged < assessment.exhaustivity:
                        first = (
                            f"{where}: {path} has {assessment.exhaustivity:g}, its parent {judged:g}"
                        )
                        report.add("warning", "exhaustivity that decreases towards the root", first)
            tree = _tree(corpus, file, where, report)
            if tree is not None:
                _check_elements(tree, assessed, where, report)
        stated: dict[str, Sequence[Span | Passage]] = {**base.spans(topic), **base.passages(topic)}
        for file, passages in stated.items():
            where = f"{source}, topic {topic}, {file}"
            tree = _tree(corpus, file, where, report)
            if tree is not None:
                _check_passages(tree, passages, where, report)


def _check_passages(
    tree: ElementTree, passages: Iterable[Span | Passage], where: str, report: Report
) -> None:
    for passage in passages:
        try:
            if isinstance(passage, Passage):
                passage.characters(tree)
            else:
                tree.smallest_element(passage.start, passage.end)
        except UnknownPathError as error:
            report.add("error", "passages that do not fit their document", f"{where}: {error}")


def _tree(corpus: Corpus | None, file: str, where: str, report: Report) -> ElementTree | None:
    if corpus is None:
        return None
    if file not in corpus:
        report.add("error", "documents that the corpus lacks", where)
        return None
    try:
        return corpus.tree(file)
    except InputError:
        return None  # reported when the corpus was read


def _check_elements(
    tree: ElementTree, assessed: Mapping[str, object], where: str, report: Report
) -> None:
    for path, assessment in assessed.items():
        try:
            row = tree.row(path)
        except UnknownPathError as error:
            report.add("error", "assessments of unknown paths", f"{where}: {error}")
            continue
        stated, size = getattr(assessment, "characters", None), int(tree.characters[row])
        if stated is not None and stated != size:
            first = f"{where}: {path} has {size} characters, but the assessments state {stated}"
            report.add("warning", "stated sizes that differ from the document", first)


def _check_run(run: Run, base: RecallBase | None, corpus: Corpus | None, report: Report) -> None:
    results = sum(map(len, run.rankings.values()))
    overlapping = 0
    for topic, ranking in run.rankings.items():
        where = f"{run.source}, topic {topic}"
        if base is not None and topic not in base:
            report.add("warning", "topics without assessments", where)
        named = [(*element, ranking.spans.get(i)) for i, element in enumerate(ranking)]
        repeated = len(named) - len(set(named))
        if repeated:
            report.add("warning", "elements returned more than once", where, repeated)
        overlapping += sum(overlapping_results(ranking))
        for rank, (file, path) in enumerate(ranking, 1):
            tree = _tree(corpus, file, f"{where}, rank {rank}, {file}", report)
            span = ranking.spans.get(rank - 1)
            if tree is not None and span is not None:
                try:
                    tree.smallest_element(
                        *(span.characters(tree) if isinstance(span, Passage) else span)
                    )
                except UnknownPathError as error:
                    first = f"{where}, rank {rank}, {file}: {error}"
                    report.add("error", "results with unknown passages", first)
            if tree is not None and path not in ("", WHOLE) and path not in tree:
                first = f"{where}, rank {rank}, {file}: no element {path}"
                report.add("error", "results with unknown paths", first)
    if base is not None:
        for topic in base.topics:
            if not len(run.rankings.get(topic, ())):
                report.add("warning", "assessed topics without results", f"{run.source}, {topic}")
    name = f"{run.name} [{run.source}]" if f"results of {run.name}" in report.counts else run.name
    report.counts[f"results of {name}"] = results
    report.counts[f"overlap of {name}"] = round(overlapping / results, 4) if results else 0.0
