"""The limit on open descriptors. One handler may lower it for all others in its process."""

from __future__ import annotations

from resource import RLIMIT_NOFILE, getrlimit
from typing import Final

LEAST: Final = 64


def _limit() -> int:
    limit = getrlimit(RLIMIT_NOFILE)[0]
    return LEAST if limit < 0 else min(limit, LEAST)  # -1 is no limit


_at_start: Final = _limit()


def expect_enough() -> None:
    """Raise OSError if the limit is so low that handlers fail because of it: their outcomes must not count."""
    if (limit := _limit()) < _at_start:
        raise OSError(
            f"A handler has lowered RLIMIT_NOFILE of its process to {limit}; at least {_at_start} are needed."
        )
