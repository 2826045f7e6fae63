"""For the tests of programs that use jobplane: inline runs, a database for each test, a clock, assertions."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobplane.testing.attempt import Attempt, run
    from jobplane.testing.clock import Clock
    from jobplane.testing.draining import Drained, Ended, JobsFailed
    from jobplane.testing.postgres import PostgresServer, Template
    from jobplane.testing.sandbox import Sandbox

__all__ = ["Attempt", "Clock", "Drained", "Ended", "JobsFailed", "PostgresServer", "Sandbox", "Template", "run"]

# The pytest plugin lives in this package and is imported by every run of pytest where jobplane is installed.
_HOMES = {
    "Attempt": "attempt",
    "run": "attempt",
    "Clock": "clock",
    "Drained": "draining",
    "Ended": "draining",
    "JobsFailed": "draining",
    "PostgresServer": "postgres",
    "Template": "postgres",
    "Sandbox": "sandbox",
}


if not TYPE_CHECKING:  # to a checker it would say that every name is there

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'jobplane.testing' has no attribute {name!r}")
        found = getattr(import_module(f"jobplane.testing.{_HOMES[name]}"), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return __all__
