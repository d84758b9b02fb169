"""Everything that prints results."""
