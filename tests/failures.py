"""Writes the ids of the tests that failed to the file of JOBPLANE_TEST_FAILED, for a second run of them alone."""

import os
from pathlib import Path

import pytest

FILE = "JOBPLANE_TEST_FAILED"


def pytest_configure(config: pytest.Config) -> None:
    """Watches in the controller alone: under xdist the workers' reports arrive there."""
    file = os.environ.get(FILE)
    if file and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(file)))


class Recorder:
    """Notes each failed test once. If a file could not be collected it writes nothing: a second run would not help."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._failed: dict[str, None] = {}
        self._is_whole = True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._is_whole &= not report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed[report.nodeid] = None

    def pytest_sessionfinish(self) -> None:
        if self._is_whole:
            self._file.write_text("".join(f"{nodeid}\n" for nodeid in self._failed))
