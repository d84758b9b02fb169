"""Assessments and runs from one form to another, with what is lost said."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from lxml import etree

from xcg.documents.corpus import Corpus
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE
from xcg.errors import Notes, XcgError, nearest
from xcg.evaluation.campaign import Campaign
from xcg.judgements.recall_base import Assessment, RecallBase
from xcg.runs.run import AnySpan, Run

Lost = Callable[[str], None]
"""Told once for every kind of thing that the form cannot hold."""


def assessments_as(base: RecallBase, form: str, lost: Lost, corpus: Corpus | None = None) -> str:
    """Return assessments in a form: ``inex2004``, ``inex2005``, ``offsets``, ``trec`` or ``jsonl``.

    The XML forms hold one topic. With a corpus, relevant passages become assessments of elements where
    the form holds these, and the documents' lengths are known. Raises XcgError for another form,
    several topics where one is held, and assessments that the form has no way to say.
    """
    if form not in ASSESSMENT_FORMS:
        raise XcgError(f"unknown form {form!r}: {nearest(form, ASSESSMENT_FORMS)}")
    if corpus is not None and form == "inex2005":
        base = with_elements(base, corpus)
    if form == "offsets":
        return _offsets(base, lost, corpus)
    return ASSESSMENT_FORMS[form](base, lost)


def with_elements(base: RecallBase, corpus: Corpus) -> RecallBase:
    """Return assessments with the elements that hold relevant passages, on the scale of 2005."""
    assessed = RecallBase()
    campaign = Campaign(base, [], corpus, Notes())
    for topic in base.topics:
        assessed.add_topic(topic, base.sources.get(topic, "assessments"))
        view = campaign.topic(topic)
        for file, rows in view.assessed.items():
            for row, assessment in sorted(rows.items()):
                assessed.add(topic, file, view.trees[file].paths[row], assessment, topic)
    return assessed


def _elements(base: RecallBase) -> Iterator[tuple[str, str, str, Assessment]]:
    for topic in base.topics:
        for file, elements in sorted(base.files(topic).items()):
            for path, assessment in elements.items():
                yield topic, file, path, assessment


def _one_topic(base: RecallBase, form: str) -> str:
    if len(base.topics) != 1:
        topics = ", ".join(base.topics) or "none"
        raise XcgError(f"the form {form} holds one topic a file, and here are {topics}")
    return base.topics[0]


def _no_passages(base: RecallBase, form: str) -> None:
    if any(base.spans(topic) for topic in base.topics):
        raise XcgError(
            f"the form {form} holds elements, and here are passages: they need offsets or jsonl"
        )


def _check_scale(base: RecallBase, form: str, scale: str) -> None:
    for _, file, path, assessment in _elements(base):
        if assessment.scale != scale:
            raise XcgError(
                f"{file}, {path}: {assessment.label} is on the {assessment.scale} scale; "
                f"the form {form} holds elements on the {scale} scale"
            )


def _inex_2004(base: RecallBase, lost: Lost) -> str:
    from xcg.formats.inex_writing import inex_2004

    topic = _one_topic(base, "inex2004")
    _no_passages(base, "inex2004")
    _check_scale(base, "inex2004", "four-point")
    if any(assessment.characters is not None for *_, assessment in _elements(base)):
        lost("the sizes of elements")
    return inex_2004(base, topic).decode()


def _inex_2005(base: RecallBase, lost: Lost) -> str:
    topic = _one_topic(base, "inex2005")
    _no_passages(base, "inex2005")
    _check_scale(base, "inex2005", "share")
    _note_points(base, lost)
    root = etree.Element("assessments", {"topic": topic, "version": "2"})
    for file, elements in sorted(base.files(topic).items()):
        entry = etree.SubElement(root, "file", {"name": file})
        for path, assessment in elements.items():
            size = assessment.characters or 0
            attributes = {
                "path": path,
                "exhaustivity": f"{assessment.exhaustivity:.0f}" if assessment.exhaustivity else "?",
                "size": str(size),
                "rsize": str(round(float(assessment.specificity) * size)),
            }
            etree.SubElement(entry, "element", attributes)
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True).decode()


def _offsets(base: RecallBase, lost: Lost, corpus: Corpus | None = None) -> str:
    if any(True for _ in _elements(base)):
        raise XcgError("the form offsets holds passages, and here are assessed elements")
    _note_points(base, lost)
    lines = []
    for topic in base.topics:
        if not base.spans(topic):
            lost("topics without any assessed document")
        for file, spans in sorted(base.spans(topic).items()):
            if any(span.exhaustivity != 2 for span in spans):
                lost("exhaustivity")
            passages = [f"{span.start}:{span.end - span.start}" for span in sorted(spans)]
            relevant, reached = 0, 0
            for span in sorted(spans):
                relevant += max(0, span.end - max(span.start, reached))
                reached = max(reached, span.end)
            length = max((span.end for span in spans), default=0)
            if corpus is not None:
                length = int(corpus.tree(file).characters[0])
            elif spans:
                lost("the documents' lengths (the end of the last passage stands in their place)")
            lines.append(" ".join([topic, "Q0", file, str(relevant), str(length), *passages]) + "\n")
    return "".join(lines)


def _json_assessments(base: RecallBase, lost: Lost) -> str:
    _note_points(base, lost)
    lines: list[dict[str, object]] = []
    for topic, file, path, assessment in _elements(base):
        where = {} if path == WHOLE else {"path": path}
        if assessment.scale == "level":
            grades = {"level": int(assessment.exhaustivity)}
        elif assessment.scale == "four-point":
            grades = {
                "exhaustivity": int(assessment.exhaustivity),
                "specificity": int(float(assessment.specificity)),
            }
        else:
            raise XcgError(
                f"{file}, {path}: {assessment.label} is on the {assessment.scale} scale; the form "
                "jsonl holds elements on the four-point scale or of one level"
            )
        if assessment.characters is not None:
            lost("the sizes of elements")
        lines.append({"topic": topic, "doc": file, **where, **grades})
    for topic in base.topics:
        for file, spans in sorted(base.spans(topic).items()):
            if not spans:
                lost("assessed documents without relevant text")
            for span in sorted(spans):
                fields = {"start": span.start, "end": span.end, "exhaustivity": int(span.exhaustivity)}
                lines.append({"topic": topic, "doc": file, **fields})
        if not base.files(topic) and not base.spans(topic):
            lost("topics without any assessed document")
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _note_points(base: RecallBase, lost: Lost) -> None:
    if any(base.passages(topic) for topic in base.topics):
        lost("highlighted passages by their points")


def _trec_qrels(base: RecallBase, lost: Lost) -> str:
    _no_passages(base, "trec")
    _note_points(base, lost)
    _check_scale(base, "trec", "level")
    lines = []
    for topic, file, path, assessment in _elements(base):
        if any(character.isspace() for character in file + topic):
            raise XcgError(f"the form trec holds no white space in names: {topic!r}, {file!r}")
        document = file if path == WHOLE else f"{file}#{path}"
        lines.append(f"{topic} 0 {document} {assessment.exhaustivity:.0f}\n")
    if any(not base.files(topic) for topic in base.topics):
        lost("topics without any assessed document")
    return "".join(lines)


ASSESSMENT_FORMS: dict[str, Callable[[RecallBase, Lost], str]] = {
    "inex2004": _inex_2004,
    "inex2005": _inex_2005,
    "offsets": _offsets,
    "trec": _trec_qrels,
    "jsonl": _json_assessments,
}


def run_as(run: Run, form: str, lost: Lost) -> str:
    """Return a run in a form: ``inex``, ``trec`` or ``jsonl``; the order of results is kept.

    Raises XcgError for another form, or a result that names no element.
    """
    if form not in RUN_FORMS:
        raise XcgError(f"unknown form {form!r}: {nearest(form, RUN_FORMS)}")
    return RUN_FORMS[form](run, lost)


def _results(run: Run) -> Iterator[tuple[str, int, str, str, AnySpan | None]]:
    for topic, ranking in run.rankings.items():
        for place, (file, path) in enumerate(ranking):
            span = ranking.spans.get(place)
            if not path and span is None:
                raise XcgError(f"{run.source}, topic {topic}, rank {place + 1}: names no element")
            yield topic, place + 1, file, path, span


def _note_empty(run: Run, lost: Lost) -> None:
    if not all(len(ranking) for ranking in run.rankings.values()):
        lost("topics without results")


def _inex_submission(run: Run, lost: Lost) -> str:
    root = etree.Element("inex-submission", {"run-id": run.name})
    topics = {t: etree.SubElement(root, "topic", {"topic-id": t}) for t in run.rankings}
    for topic, rank, file, path, span in _results(run):
        result = etree.SubElement(topics[topic], "result")
        etree.SubElement(result, "file").text = file
        if path == WHOLE:
            raise XcgError(
                f"{run.source}, topic {topic}, rank {rank}: the form inex holds elements, and "
                f"{file} is a whole document"
            )
        if span is None:
            etree.SubElement(result, "path").text = path
        elif isinstance(span, Passage):
            etree.SubElement(result, "passage", start=str(span.start), end=str(span.end))
        else:
            etree.SubElement(result, "fol", offset=str(span[0]), length=str(span[1] - span[0]))
        etree.SubElement(result, "rank").text = str(rank)
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True).decode()


def _trec(run: Run, lost: Lost) -> str:
    _note_empty(run, lost)
    tag = "".join(run.name.split()) or "run"
    if tag != run.name:
        lost("white space in the run's name")
    lines = []
    for topic, rank, file, path, span in _results(run):
        if any(character.isspace() for character in file + topic):
            raise XcgError(f"{run.source}: the form trec holds no white space in names: {file!r}")
        if isinstance(span, Passage):
            raise _by_points(run, topic, rank, "trec")
        place = f"{file}#{path}" if span is None and path != WHOLE else file
        further = "" if span is None else f" {span[0]} {span[1] - span[0]}"
        # Scores fall by one a rank: readers order by them and ignore the rank.
        score = len(run.rankings[topic]) - rank + 1
        lines.append(f"{topic} Q0 {place} {rank} {score} {tag}{further}\n")
    return "".join(lines)


def _json_run(run: Run, lost: Lost) -> str:
    _note_empty(run, lost)
    lost("the run's name (the file's name stands in its place)")
    lines: list[dict[str, object]] = []
    for topic, rank, file, path, span in _results(run):
        if isinstance(span, Passage):
            raise _by_points(run, topic, rank, "jsonl")
        where: dict[str, object] = {}
        if span is not None:
            where = {"start": span[0], "end": span[1]}
        elif path != WHOLE:
            where = {"path": path}
        lines.append({"topic": topic, "doc": file, **where, "rank": rank})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _by_points(run: Run, topic: str, rank: int, form: str) -> XcgError:
    return XcgError(
        f"{run.source}, topic {topic}, rank {rank}: a passage by points; the form {form} holds "
        "passages by offset, and only the document tells the offsets: expected the form inex"
    )


RUN_FORMS: dict[str, Callable[[Run, Lost], str]] = {
    "inex": _inex_submission,
    "trec": _trec,
    "jsonl": _json_run,
}
