"""What figures tell beyond their values: orders of runs and how they move."""

from xcg.statistics.orders import Shift, kendall_tau_b, shifts

__all__ = ["Shift", "kendall_tau_b", "shifts"]
