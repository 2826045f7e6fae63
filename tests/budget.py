"""Adds up what each test directory costs, warns over its budget, and fails a run that is too long for its machine."""

import math
import os
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping

import pytest

BUDGETS = "JOBPLANE_TEST_BUDGETS"
LIMIT = "JOBPLANE_TEST_LIMIT_SECONDS"
# What `_work` took on the machine that the limits are meant for; one that is half as fast may take twice as long.
MEANT_SECONDS = 0.016
# How a run ends that took too long, whatever else failed in it: a second run of what failed would not mend that.
TOO_SLOW = 6


def pytest_configure(config: pytest.Config) -> None:
    """Watches in the controller alone: under xdist the workers' reports arrive there."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Watch(_budgets(), float(os.environ.get(LIMIT) or "inf")))


def _budgets() -> dict[str, float]:
    """Seconds by directory, written as `unit=10 races=150`."""
    pairs = (entry.partition("=") for entry in os.environ.get(BUDGETS, "").split())
    return {directory: float(seconds) for directory, _, seconds in pairs}


def _directory(nodeid: str) -> str:
    """`unit` for `tests/unit/core/test_retry.py::test_cap`."""
    parts = nodeid.partition("::")[0].split("/")
    return parts[1] if len(parts) > 2 else "."


def _slowness() -> float:
    """How many times as long as meant this machine takes, 1 where it is faster; the best of five, 0.1 s in all."""
    return max(1.0, min(_work() for _ in range(5)) / MEANT_SECONDS)


def _work() -> float:
    began, total = time.perf_counter(), 0
    for number in range(300_000):
        total += number % 7
    return time.perf_counter() - began


class Watch:
    """Sums set-up, call and tear-down by directory, and takes the wall clock for the whole."""

    def __init__(self, budgets: Mapping[str, float], limit: float) -> None:
        self._budgets = budgets
        self._limit = limit
        self._started = time.monotonic()
        self._slowness = 1.0 if limit == math.inf else _slowness()
        self._elapsed = 0.0
        self._spent: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._spent[_directory(report.nodeid)] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        self._elapsed = time.monotonic() - self._started
        if self._elapsed > self._limit:
            self._slowness = max(self._slowness, _slowness())  # a machine that is shared may have become slower
        if self._is_too_slow and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            session.exitstatus = TOO_SLOW

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._budgets:
            return
        terminalreporter.section("seconds by test directory")
        for directory, spent in sorted(self._spent.items()):
            terminalreporter.line(f"{directory:<16}{spent:8.1f} of {self._budgets.get(directory, 'no budget')}")
        terminalreporter.line(f"{'by the clock':<16}{self._elapsed:8.1f} of {self._limit}")
        for warning in self._warnings():
            terminalreporter.line(f"WARNING: {warning}", yellow=True)
        if self._is_too_slow:
            terminalreporter.line(f"ERROR: the suite took longer than {self._limit:g} seconds", red=True)

    @property
    def _is_too_slow(self) -> bool:
        return self._elapsed > self._limit * self._slowness

    def _warnings(self) -> Iterator[str]:
        for directory, spent in sorted(self._spent.items()):
            if spent > self._budgets.get(directory, 0.0):
                yield f"tests/{directory} is over its budget; make it faster, or argue for BUDGETS in the Makefile"
        if self._limit < self._elapsed and not self._is_too_slow:
            yield f"the suite took longer than {self._limit:g} seconds, on a machine {self._slowness:.1f} times as slow"
