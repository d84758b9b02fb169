"""Statistics on scores: significance, rank correlation, stability studies, and the gate."""
