"""Convert assessments to another file format, and the scores of a run to assessments."""

from __future__ import annotations

from xcg.documents.corpus import Corpus
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE
from xcg.errors import InputError, Notes, UnmappedError, XcgError
from xcg.evaluation.resolution import judged_files
from xcg.evaluation.topics import TopicSource
from xcg.formats.writing import lost_of_assessments
from xcg.judgements.anchoring import anchor
from xcg.judgements.assessment import Assessment, Scale, level_assessment
from xcg.judgements.highlights import SCALE
from xcg.judgements.recall_base import ASSESSMENT_FORMATS, RecallBase, Span
from xcg.runs.chunk_documents import missing_document
from xcg.runs.run import Run

_FOUR_POINT_EXHAUSTIVITY = {1.0: 1.0, 2.0: 3.0}


def convert_assessments(
    base: RecallBase, format: str, corpus: Corpus | None = None
) -> tuple[str, list[str]]:
    """Return the content of a file in another format.

    With a corpus, passages become elements if the format holds elements. Otherwise passages between two
    points become passages with offsets. Every element with relevant text is assessed:

    - ``inex2005``: the specificity is the share of relevant text, and the exhaustivity the maximum of
      the passages.
    - ``inex2004``: the specificity is 3 from 90 % of relevant text, 2 from 50 %, else 1, as for
      ``xcg convert --as elements``. The exhaustivities 1 and 2 become 1 and 3: the lowest grade means
      few aspects of the topic on both scales, and the highest grade most or all aspects.
    - ``trec``: the level is the exhaustivity. Documents without relevant text have level 0.

    Args:
        base: The assessments.
        format: Name of an assessment format.
        corpus: The documents.

    Returns:
        The text, and descriptions of what the format cannot hold.

    Raises:
        XcgError: If the format is unknown, is only read, or cannot hold the assessments.

    >>> base = RecallBase.of({"1": {"d": [(0, 5)]}})
    >>> corpus = Corpus.of({"d": "<a><p>01234</p><p>56789</p></a>"})
    >>> print(convert_assessments(base, "trec", corpus)[0], end="")
    1 0 d#/a[1] 2
    1 0 d#/a[1]/p[1] 2
    """
    target = ASSESSMENT_FORMATS.get(format)
    base = anchor(base, corpus, Notes())
    lost: list[str] = []
    scale = target.passages_become
    if corpus is not None and base.states_text:
        if scale is not None:
            lost = _lost_with_passages(base, scale)
            base = _elements(base, corpus, scale, format)
        elif any(map(base.passages.get, base.topics)):
            base = _with_offsets(base, corpus)
    text, lost_by_format = base.to_text(format, corpus.length if corpus is not None else None)
    return text, list(dict.fromkeys([*lost, *lost_by_format]))


def assessments_of_run(
    run: Run, depth: int | None = None, irrelevant_score: float = 0.0, notes: Notes | None = None
) -> RecallBase:
    r"""Return the scores of a run as levels of relevance, as if its system were an assessor.

    This is the virtual user of Scheel, Lommatzsch and Albayrak 2011, section 2.2. Scores up to the
    irrelevant one become levels of 0 or below, which are not relevant.

    Args:
        run: A run whose results are ordered by scores.
        depth: Number of results of each topic that are assessed; all by default.
        irrelevant_score: The score that becomes level 0; it is subtracted from all scores.
        notes: Collects notes. For a result that is repeated, the highest score counts.

    Raises:
        XcgError: If the results are not ordered by scores, or are passages by points.
        InputError: If a level is not from -1000 to 1000, or a result is illegal as an assessment.

    >>> run = Run.of("tf", {"1": {"d1": 2.5, "d2": 0.0}})
    >>> assessments_of_run(run).to_text("trec")[0]
    '1 0 d1 2.5\n1 0 d2 0\n'
    """
    notes = notes if notes is not None else Notes()
    base = RecallBase()
    for topic, ranking in run.rankings.items():
        base.add_topic(topic, run.source)
        top = ranking.top(depth)
        if len(top) and (top.keys is None or not top.has_scores):
            raise XcgError(
                f"{run.source}, topic {topic}: the results have no scores that order them; expected a "
                "run with scores and without ranks"
            )
        seen = set()
        for index, ((file, path), score) in enumerate(zip(top, top.keys or (), strict=True)):
            where = f"{run.source}, topic {topic}, rank {index + 1}"
            span = top.spans.get(index)
            if (file, path, span) in seen:
                notes.oddity("repeated results; their highest score is the level", where, file)
                continue
            seen.add((file, path, span))
            try:
                assessment = level_assessment(score - irrelevant_score)
            except ValueError as error:
                raise InputError(where, f"the score {score:g} becomes an {error}") from None
            if isinstance(span, Passage):
                raise XcgError(f"{where}: the passage is given by points; expected offsets")
            if span is not None:
                level = assessment.exhaustivity
                base.add_span(topic, file, Span(*span, level) if level > 0 else None, where)
            elif path:
                base.add(topic, file, path, assessment, where)
            else:
                raise InputError(where, "the result names no element")
    return base


def _elements(base: RecallBase, corpus: Corpus, scale: Scale, format: str) -> RecallBase:
    """Return the assessments of elements on a scale; stated assessments stay as they are."""
    elements = assess_elements_of_passages(base, corpus)
    for topic in elements.topics:
        for file, assessed in elements.files[topic].items():
            for path, assessment in assessed.items() if file not in base.files[topic] else ():
                where = f"topic {topic}, {file}, {path}"
                assessed[path] = _on_scale(assessment, scale, where, format)
        if scale == "level":
            for file in sorted(base.spans[topic].keys() - elements.files[topic].keys()):
                elements.add(topic, file, WHOLE, level_assessment(0), elements.sources[topic])
    return elements


def _on_scale(assessment: Assessment, scale: Scale, where: str, format: str) -> Assessment:
    """Return an assessment on the scale ``share`` on another scale."""
    exhaustivity, share, characters, _ = assessment
    if scale == "level":
        return level_assessment(exhaustivity)
    if exhaustivity not in _FOUR_POINT_EXHAUSTIVITY:
        raise XcgError(
            f"{where}: the passages have the level {exhaustivity:g}, but exhaustivity in the format "
            f"{format} needs 1 or 2; expected the format trec or jsonl"
        )
    if scale == "share":
        return assessment
    graded = float(SCALE.specificity(float(share)))
    return Assessment(_FOUR_POINT_EXHAUSTIVITY[exhaustivity], graded, characters)


def _lost_with_passages(base: RecallBase, scale: Scale) -> list[str]:
    """Return descriptions of what is lost if passages become elements."""
    shares = "" if scale == "share" else ", and exact shares of relevant text"
    lost = [f"the beginnings and ends of passages{shares}"]
    lost += [*lost_of_assessments(base, "entries", "documents"), *["nuggets"] * base.has_nuggets]
    spans = (passages for topic in base.topics for passages in base.spans[topic].values())
    if scale != "level" and any(all(one.start == one.end for one in passages) for passages in spans):
        lost.append("assessed documents without relevant text")
    return lost


def _with_offsets(base: RecallBase, corpus: Corpus) -> RecallBase:
    """Return assessments whose passages and entry points are offsets.

    Passages of documents with assessed elements are left as they are.
    """
    found = RecallBase()
    found.nuggets, found.has_nuggets = base.nuggets, base.has_nuggets
    source_of_topics = TopicSource(base, corpus=corpus, needs_entry_points=True)
    for topic in source_of_topics.topics(Notes(), base.topics):
        name = topic.name
        source = base.sources.get(name, "assessments")
        found.add_topic(name, source)
        for file, elements in base.files[name].items():
            for path, assessment in elements.items():
                found.add(name, file, path, assessment, source)
            for passage in base.passages[name].get(file, ()):
                found.add_passage(name, file, passage)
        for file, spans in topic.gold.items():
            found.add_spans(name, file, spans, source)
        for file, sizes in base.document_sizes[name].items():
            found.add_document_sizes(name, file, sizes)
        for file, offset in (topic.entry_points or {}).items():
            found.add_entry_point(name, file, offset)
    return found


def assess_elements_of_passages(base: RecallBase, corpus: Corpus) -> RecallBase:
    """Return assessments of the elements that contain relevant text.

    Args:
        base: Assessments. Elements that are already assessed keep their assessments.
        corpus: The documents of the relevant passages.

    Returns:
        A recall-base without passages. Assessments from passages are on the scale of INEX 2005.

    Raises:
        InputError: If a passage or its document does not exist.
    """
    for name in base.topics:
        for file in judged_files(base, name):
            if file not in corpus:
                where = f"{base.sources.get(name, 'assessments')}, topic {name}"
                raise UnmappedError(where, missing_document(file, corpus, is_result=False))
    assessed = RecallBase()
    for topic in TopicSource(base, corpus=corpus).topics(Notes(), base.topics):
        name = topic.name
        assessed.add_topic(name, base.sources.get(name, "assessments"))
        for file, rows in topic.assessed.items():
            for row, assessment in sorted(rows.items()):
                assessed.add(name, file, topic.trees[file].paths[row], assessment, name)
    return assessed
