"""tools/tests.sh: a test that fails beside others runs once more alone, where it is asked to."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FLAKY = """
import pathlib, pytest

@pytest.mark.parametrize("way", ["a way", "b"])
def test_once(way):
    seen = pathlib.Path(f"seen {way}")
    if way == "a way" and not seen.exists():
        seen.touch()
        raise AssertionError("the first time")
"""
SOUND = "def test_sound(): pass\n"
BROKEN = "def test_broken(): raise AssertionError\n"
MANY = "import pytest\n@pytest.mark.parametrize('n', range(11))\ndef test_many(n): raise AssertionError\n"
QUIET = "import pytest\n@pytest.mark.quiet\n" + BROKEN
FLAKY_ID = "tests/test_flaky.py::test_once[a way]"


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    flaky: list[str]


class Suite:
    """A project of its own, with our script, our plugins and our programs."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        (directory / ".venv").symlink_to(sys.prefix)
        (directory / "tests").mkdir()
        plugins = "-p xdist -p tests.budget -p tests.failures --import-mode=importlib"
        (directory / "pytest.ini").write_text(f"[pytest]\naddopts = {plugins}\nmarkers = quiet\n")

    def has(self, **files: str) -> None:
        for name, text in files.items():
            (self._directory / "tests" / f"test_{name}.py").write_text(text)

    def run(self, jobs: int = 0, **given: str) -> Run:
        command = ["sh", str(ROOT / "tools/tests.sh"), str(jobs), "tests"]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("JOBPLANE_")}
        own = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            command, cwd=self._directory, env=kept | own | given, capture_output=True, text=True, check=False
        )
        file = self._directory / "flaky"
        return Run(done.returncode, done.stdout, file.read_text().splitlines() if file.exists() else [])

    def run_again(self, jobs: int = 0, **given: str) -> Run:
        return self.run(jobs, JOBPLANE_TEST_FLAKY=str(self._directory / "flaky"), **given)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return Suite(tmp_path)


@pytest.mark.parametrize("jobs", [0, 2])
def test_a_test_that_passes_alone_is_flaky_and_no_failure(suite: Suite, jobs: int) -> None:
    suite.has(flaky=FLAKY, sound=SOUND)

    done = suite.run_again(jobs)

    assert (done.code, done.flaky) == (0, [f"FLAKY {FLAKY_ID}"])
    assert "1 failed, 2 passed" in done.out
    assert "once more, alone: 1 failed beside others" in done.out
    assert done.out.endswith(f"FLAKY {FLAKY_ID}\n")


def test_without_being_asked_a_failure_is_a_failure(suite: Suite) -> None:
    suite.has(flaky=FLAKY)

    done = suite.run()

    assert (done.code, done.flaky) == (1, [])
    assert "once more" not in done.out


def test_a_test_that_fails_again_fails_the_run(suite: Suite) -> None:
    suite.has(flaky=FLAKY, broken=BROKEN)

    done = suite.run_again()

    assert (done.code, done.flaky) == (1, [])
    assert "once more, alone: 2 failed beside others" in done.out


@pytest.mark.parametrize(
    "files",
    [{"wrong": "import nothing_of_that_name"}, {"many": MANY}, {"quiet": QUIET}],
    ids=["not collected", "many", "alone already"],
)
def test_what_is_no_accident_is_not_tried_again(suite: Suite, files: dict[str, str]) -> None:
    suite.has(sound=SOUND, **files)

    done = suite.run_again()

    assert (done.code, done.flaky) == (1, [])
    assert "once more" not in done.out


def test_a_run_that_takes_too_long_is_not_saved_by_a_second(suite: Suite) -> None:
    suite.has(flaky=FLAKY)

    done = suite.run_again(JOBPLANE_TEST_LIMIT_SECONDS="0.001")

    assert (done.code, done.flaky) == (1, [])


def test_a_part_without_tests_fails(suite: Suite) -> None:
    assert suite.run_again().code == 5
