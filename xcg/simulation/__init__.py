"""Simulated campaigns: documents, assessments and runs generated from a seed."""
