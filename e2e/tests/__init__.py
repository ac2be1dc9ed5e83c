"""Tests against the real control plane; docs: ../README.md."""
from e2e.support.processes import unwind_on_signals

unwind_on_signals()
