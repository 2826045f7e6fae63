"""Draws the moves of a job into docs/explanation/life-of-a-job.md: `python -m tools.diagram`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from jobplane.core.lifecycle import ENDED, MOVES
from jobplane.core.model import JobStatus

PAGE: Final = Path(__file__).parents[1] / "docs/explanation/life-of-a-job.md"
_DRAWING = re.compile(r"^```mermaid\n.*?^```$", re.MULTILINE | re.DOTALL)


def diagram() -> str:
    """The moves as a state diagram in Mermaid; moves between the same two statuses share an arrow."""
    arrows: defaultdict[tuple[JobStatus, JobStatus], list[str]] = defaultdict(list)
    for move, (sources, target) in MOVES.items():
        for source in _in_order(sources):
            arrows[source, target].append(move)
    lines = ["[*] --> queued: enqueue"]
    lines += [f"{source} --> {target}: {', '.join(moves)}" for (source, target), moves in arrows.items()]
    lines += [f"{status} --> [*]" for status in _in_order(ENDED)]
    return "\n".join(["```mermaid", "stateDiagram-v2", *(f"    {line}" for line in lines), "```"])


def page() -> str:
    """The page with its diagram as the moves are now."""
    drawn, count = _DRAWING.subn(lambda _: diagram(), PAGE.read_text("utf-8"))
    if count != 1:
        raise SystemExit(f"{PAGE.name} must have one mermaid block, not {count}")
    return drawn


def _in_order(statuses: Iterable[JobStatus]) -> list[JobStatus]:
    return sorted(statuses, key=list(JobStatus).index)


def main() -> None:
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
