"""Simulated campaigns of any size: documents, assessments and runs that follow from a seed."""
