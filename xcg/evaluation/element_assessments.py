"""Derive element assessments from relevant passages."""

from __future__ import annotations

from xcg.documents.corpus import Corpus
from xcg.errors import Notes
from xcg.evaluation.campaign import Campaign
from xcg.judgements.recall_base import RecallBase


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
    assessed = RecallBase()
    for topic in Campaign(base, corpus=corpus).topics(Notes()):
        name = topic.topic
        assessed.add_topic(name, base.sources.get(name, "assessments"))
        for file, rows in topic.assessed.items():
            for row, assessment in sorted(rows.items()):
                assessed.add(name, file, topic.trees[file].paths[row], assessment, name)
    return assessed
