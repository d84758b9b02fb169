"""Laws that measures should obey, and the search for small cases that break them (``study laws``)."""
