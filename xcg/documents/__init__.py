"""Documents as element trees: paths, parsing, sizes, corpora and their cache."""
