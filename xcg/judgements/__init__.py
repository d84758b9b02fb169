"""Relevance judgements: recall-bases, highlighted passages, and search for quoted text."""
