"""The tables of a page, as rows of cells."""

import re
from itertools import zip_longest
from pathlib import Path

from tests.docs.page import ROOT

Row = dict[str, str]


def rows(path: str, first: str, *, section: str = "") -> list[Row]:
    """The rows of the tables whose first column is called `first`, in one section or on the whole page."""
    text = _section(ROOT / path, section)
    lines = [_cells(line) for line in text.splitlines() if line.startswith("|")]
    found: list[Row] = []
    head: list[str] = []
    for line, below in zip_longest(lines, lines[1:]):
        if below and set("".join(below)) == {"-"}:
            head = line
        elif head and head[0] == first and set("".join(line)) != {"-"}:
            found.append(dict(zip(head, line, strict=True)))
    return found


def words(cell: str) -> list[str]:
    """What stands between backquotes."""
    return re.findall(r"`([^`]*)`", cell)


def _section(page: Path, heading: str) -> str:
    text = page.read_text()
    if not heading:
        return text
    return re.split(r"^#+ ", text.partition(f"## {heading}\n")[2], flags=re.MULTILINE)[0]


def _cells(line: str) -> list[str]:
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
