"""Wrong arguments are errors in the editor: both type checkers find them all, and nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

EXAMPLES: Final = Path(__file__).parent / "examples"
BIN: Final = Path(sys.executable).parent
_MARK = re.compile(r"  # pyright: ignore\[\w+\]")


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """Copies in which nothing is ignored."""
    for example in EXAMPLES.glob("*.py"):
        (tmp_path / example.name).write_text(_MARK.sub("", example.read_text()))
    return tmp_path


def marked(name: str) -> list[int]:
    lines = (EXAMPLES / name).read_text().splitlines()
    return [number for number, line in enumerate(lines, 1) if _MARK.search(line)]


def output(command: list[str], directory: Path) -> str:
    run = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False, timeout=110)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return run.stdout


def basedpyright(directory: Path, name: str) -> dict[int, str]:
    (directory / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "include": ["."]}')
    command = [str(BIN / "basedpyright"), "--outputjson", "--pythonpath", sys.executable, name]
    found = json.loads(output(command, directory))["generalDiagnostics"]
    return {one["range"]["start"]["line"] + 1: one["message"] for one in found}


def mypy(directory: Path, name: str) -> dict[int, str]:
    flags = ["--strict", "--cache-dir", str(directory / "cache"), "--python-executable", sys.executable]
    lines = output([sys.executable, "-m", "mypy", *flags, name], directory).splitlines()
    found = [re.match(rf"{name}:(\d+): error: (.*)", line) for line in lines]
    return {int(one[1]): one[2] for one in found if one}


@pytest.mark.parametrize("check", [basedpyright, mypy], ids=lambda check: check.__name__)
def test_the_right_examples_are_clean_and_every_wrong_line_is_found(
    examples: Path, check: Callable[[Path, str], dict[int, str]]
) -> None:
    assert check(examples, "right.py") == {}

    found = check(examples, "wrong.py")

    assert sorted(found) == marked("wrong.py"), found
