"""The pages, and the fenced blocks in them."""

import re
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
RUNNABLE: Final = ("sql", "sh", "python")

# What psql says to each command that has no answer; the pages leave it out.
_SILENT = re.compile(r"(BEGIN|COMMIT|ROLLBACK|SET|You are now connected to .*)$")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SAME_EACH_TIME = (
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "ID"),
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00\b"), "TIME"),
    (re.compile(r"-{2,}"), "-"),
    (re.compile(r"[ \t]+"), " "),
)


@dataclass(frozen=True, slots=True)
class Block:
    """What a reader would type; `shown` is the `text` block right below, which is what they would see."""

    language: str
    text: str
    line: int
    shown: str | None


def blocks(page: Path) -> list[Block]:
    text = page.read_text()
    found = list(_BLOCK.finditer(text))
    return [
        Block(one[1], one[2], text.count("\n", 0, one.start()) + 1, _output(text, one, after))
        for one, after in zip_longest(found, found[1:])
        if one[1] in RUNNABLE
    ]


def _output(text: str, one: re.Match[str], after: re.Match[str] | None) -> str | None:
    if after is None or after[1] != "text" or text[one.end() : after.start()].strip():
        return None
    return after[2]


def comparable(output: str) -> list[str]:
    """The lines without what differs between two runs (ids, times, the width of columns) or says nothing."""
    for pattern, word in _SAME_EACH_TIME:
        output = pattern.sub(word, output)
    return [line.strip() for line in output.splitlines() if line.strip() and not _SILENT.match(line)]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()
