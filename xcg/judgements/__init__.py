"""Relevance judgements: the recall-base, and a reader for each form it is written in."""

from xcg.judgements.reading import read_assessments
from xcg.judgements.recall_base import Assessment, RecallBase

__all__ = ["Assessment", "RecallBase", "read_assessments"]
