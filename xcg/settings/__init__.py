"""The schema of a configuration: every key is declared once, with its type, limits, default and help.

:mod:`xcg.settings.schema` has the mechanism, :mod:`xcg.settings.keys` the keys, and
:mod:`xcg.settings.loading` fills them from a YAML file, ``--set``, options and Python.
"""
