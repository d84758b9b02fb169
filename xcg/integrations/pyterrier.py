"""Make xcg's measures known to PyTerrier, which loads this module through its entry-point group.

PyTerrier computes measures by ir_measures, so importing the provider is all that is needed.
"""

from xcg.integrations.ir_measures import provider

__all__ = ["provider"]
