"""What the build files promise: locks that name no machine, a whole wheel, a Makefile that explains itself, budgets."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from itertools import chain
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.version import Version

import jobplane
from tests.budget import TOO_SLOW

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
LOCKS = sorted(ROOT.glob("requirements*.lock"))
LOWEST = ROOT / "requirements-lowest.lock"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
GROUPS = PROJECT["dependency-groups"]
EXTRAS = PROJECT["project"]["optional-dependencies"].values()
DEPENDENCIES = [Requirement(text) for text in (*PROJECT["project"]["dependencies"], *chain(*EXTRAS))]


def test_the_package_has_the_version_of_the_project() -> None:
    assert jobplane.__version__ == PROJECT["project"]["version"]


def test_there_is_a_lock_for_each_environment() -> None:
    assert [lock.name for lock in LOCKS] == [
        "requirements-bench.lock",
        "requirements-dev.lock",
        "requirements-lowest.lock",
        "requirements.lock",
    ]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_host_and_no_path(lock: Path) -> None:
    assert not re.search(r"://|(?:^|\s)--(?!hash=)|(?:^|\s)\.?/", lock.read_text())


def test_every_package_in_the_lock_of_node_is_pinned_with_a_hash_and_names_no_registry() -> None:
    lock = json.loads((ROOT / "bench/peers/node/package-lock.json").read_text())
    packages = [package for path, package in lock["packages"].items() if path]

    assert packages
    assert all(package["version"] and package["integrity"].startswith("sha512-") for package in packages)
    assert not any("resolved" in package for package in packages)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_requirement_in_a_lock_is_pinned_with_a_hash(lock: Path) -> None:
    text = lock.read_text().replace("\\\n", "")
    requirements = [line for line in text.splitlines() if not line.lstrip().startswith("#")]

    assert requirements
    assert all(re.match(r"\S+==\S+ .*--hash=sha256:[0-9a-f]{64}", line) for line in requirements)


def pins(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^(\S+)==(\S+)", lock.read_text(), re.MULTILINE))


def test_every_pin_is_the_same_in_all_locks_but_the_lowest() -> None:
    found = {pin for lock in LOCKS if lock != LOWEST for pin in pins(lock).items()}

    assert len(found) == len({name for name, _ in found})


def test_the_lock_for_developers_has_all_that_running_takes() -> None:
    assert pins(ROOT / "requirements.lock").items() <= pins(ROOT / "requirements-dev.lock").items()


def test_what_running_takes_has_no_tool_of_a_developer() -> None:
    tools = {Requirement(text).name for text in [*GROUPS["test"], *GROUPS["dev"]] if isinstance(text, str)}

    assert tools & pins(ROOT / "requirements.lock").keys() == {"anyio"}  # the server's framework runs on it


@pytest.mark.parametrize("requirement", DEPENDENCIES, ids=lambda requirement: requirement.name)
def test_the_lowest_version_that_is_allowed_is_the_one_that_is_tested(requirement: Requirement) -> None:
    [lowest] = [spec.version for spec in requirement.specifier if spec.operator == ">="]

    assert Version(pins(LOWEST)[requirement.name]) == Version(lowest)


@pytest.mark.parametrize("pinned", ["click==8.4.2", "orjson==3.12.0", "psycopg==3.3.7", "pydantic==2.13.5"])
def test_a_program_may_have_older_versions_of_what_it_shares_with_us(pinned: str) -> None:
    name, _, version = pinned.partition("==")

    assert [requirement.specifier.contains(version) for requirement in DEPENDENCIES if requirement.name == name] == [
        True
    ]


def test_the_wheel_has_all_sql_and_says_that_it_is_typed(tmp_path: Path) -> None:
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    packed = set(zipfile.ZipFile(wheel).namelist())
    sql = {path.relative_to(ROOT / "src").as_posix() for path in ROOT.glob("src/jobplane/**/*.sql")}

    assert sql
    assert sql | {"jobplane/py.typed"} <= packed


def test_make_help_has_a_sentence_for_every_target() -> None:
    phony = re.findall(r"^\.PHONY:((?:.*\\\n)*.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    targets = phony[0].replace("\\\n", " ").split()

    answer = subprocess.run(["make", "help"], cwd=ROOT, check=True, capture_output=True, text=True)

    explained = re.findall(r"^  make (\S+) +[A-Z].*\.$", answer.stdout, re.MULTILINE)
    assert sorted(targets) == sorted(explained)


def test_make_up_installs_what_running_takes_and_nothing_else() -> None:
    command = ["make", "-n", "up"]

    recipe = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout

    assert re.findall(r"requirements\S*", recipe) == ["requirements.lock"]


def test_an_older_python_is_refused_with_a_sentence(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text(
        f"""#!/bin/sh\n{sys.executable} -c 'import sys; sys.version_info = (3, 10, 9); exec(sys.argv[1])' "$2"\n"""
    )
    old.chmod(0o755)
    command = ["sh", str(ROOT / "tools/venv.sh"), str(tmp_path / "venv"), "requirements-dev.lock"]

    answer = subprocess.run(command, check=False, cwd=ROOT, env={"PYTHON": str(old)}, capture_output=True, text=True)

    assert answer.returncode == 1
    assert "needs Python 3.11 or newer" in answer.stderr
    assert "is 3.10.9" in answer.stderr
    assert not (tmp_path / "venv").exists()


@pytest.fixture(params=["0", "2"], ids=["one-process", "two-workers"])
def suite(
    request: pytest.FixtureRequest, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> pytest.Pytester:
    """A directory that takes 0.2 seconds and one that takes none, run with the budget plugin."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("JOBPLANE_TEST_BUDGETS", "slow=0.1 fast=5")
    monkeypatch.setenv("JOBPLANE_TEST_LIMIT_SECONDS", "60")
    slow = "import time, pytest\n@pytest.fixture\ndef wait(): time.sleep(0.1)\ndef test_slow(wait): time.sleep(0.1)"
    pytester.makepyfile(**{"tests/slow/test_slow": slow, "tests/fast/test_fast": "def test_fast(): pass"})
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini(f"[pytest]\naddopts = -p xdist -p tests.budget -n {request.param}")
    return pytester


def test_a_directory_over_its_budget_is_a_warning(suite: pytest.Pytester) -> None:
    result = suite.runpytest_subprocess()

    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["fast * 0.0 of 5.0", "slow * 0.[2-9] of 0.1", "by the clock *.* of 60.0"])
    result.stdout.fnmatch_lines(["WARNING: tests/slow is over its budget*"])
    result.stdout.no_fnmatch_line("WARNING: tests/fast*")


def test_a_suite_over_its_limit_fails(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBPLANE_TEST_LIMIT_SECONDS", "0.1")

    result = suite.runpytest_subprocess()

    assert result.ret == TOO_SLOW
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["ERROR: the suite took longer than 0.1 seconds"])
