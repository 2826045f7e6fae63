"""CONTRIBUTING.md names every directory that a newcomer comes across."""

import re
from pathlib import Path

import pytest

from tests.docs.page import ROOT

LAYOUT = (ROOT / "CONTRIBUTING.md").read_text().partition("## How it is laid out")[2].partition("\n## ")[0]


def directories(home: str) -> list[Path]:
    """With Python in them; what is left of a removed package has none."""
    return [path for path in (ROOT / home).iterdir() if path.is_dir() and any(path.glob("*.py"))]


@pytest.mark.parametrize("home", ["src/jobplane", "tests"])
def test_every_directory_is_in_the_layout(home: str) -> None:
    named = {word.rpartition("/")[2] for word in re.findall(r"`([^`]+)`", LAYOUT)}

    assert {path.name for path in directories(home)} - named == set()
