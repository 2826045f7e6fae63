"""The job of all measures."""

from __future__ import annotations

from typing import Final

KEY: Final = "noop"
BATCH: Final = 1000
PAD: Final = "x" * 80


def payload(number: int) -> dict[str, int | str]:
    return {"i": number, "pad": PAD}


def noop(i: int, pad: str) -> None:
    """Do nothing."""
