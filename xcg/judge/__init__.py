"""Relevance assessment in the browser: the store of judgements, pools, the server and its pages."""
