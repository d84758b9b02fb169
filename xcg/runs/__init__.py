"""Runs: the ranked results of a system, as elements, documents, passages or chunks."""
