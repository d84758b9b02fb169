"""The answers to the questions of a campaign: what is computed, and how it is shown.

Each module has the functions behind one or several methods of :class:`xcg.Campaign`. They take an
:class:`xcg.answers.asked.Asked` and return an :class:`xcg.answer.Answer`. They are imported on first
use, so that a command imports what it needs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
