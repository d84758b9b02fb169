"""Relevance judgements: the recall-base, and a reader for each form it is written in."""

from xcg.judgements.inex_xml import read_inex_assessments
from xcg.judgements.recall_base import Assessment, RecallBase, read_assessments

__all__ = ["Assessment", "RecallBase", "read_assessments", "read_inex_assessments"]
