"""Spread: triggers that are planned for the same second start at different ones."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from uuid import UUID


def spread(trigger_id: UUID, spread_seconds: int) -> timedelta:
    """How much later than planned a trigger is due: always the same for this id, at least 0 and below the spread."""
    share = int.from_bytes(hashlib.sha256(trigger_id.bytes).digest()[:8]) / 2**64
    return timedelta(milliseconds=int(share * max(spread_seconds, 0) * 1000))
