"""Evaluate the retrieval of parts of documents: elements, passages and chunks.

Public names are imported on first use, so ``import xcg`` is fast. ``__init__.pyi`` lists them.
"""

import lazy_loader

__version__ = "0.9.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
