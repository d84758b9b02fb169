"""Overlap strategies: rewrite the ranking of a topic so that its results overlap less or not at all."""
