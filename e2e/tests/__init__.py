"""Tests against the real control plane; see ../README.md."""
from e2e.support.processes import unwind_on_signals

unwind_on_signals()
