"""Evaluation: judgements, runs, documents and user models in; results out."""
