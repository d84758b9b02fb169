"""Gains: what each result of a ranking is worth under a user model."""
