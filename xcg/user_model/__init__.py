"""User models: quantisation, ideal selection, relevance value and effort, read from YAML."""
