"""Overlap strategies: rewrite a ranking so that its results overlap less or not at all."""
