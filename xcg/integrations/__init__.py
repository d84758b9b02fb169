"""Adapters to other libraries: ir_measures, PyTerrier, LlamaIndex, Haystack, LangChain, pandas."""
