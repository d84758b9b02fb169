"""Statistics over results: significance, rank correlation, stability studies and gates."""
