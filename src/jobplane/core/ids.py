"""Ids that others see: UUIDv7, which sort by the time of their making."""

from __future__ import annotations

import os
import time
from uuid import UUID


def new_ids(n: int) -> list[str]:
    """New UUIDv7 values, the public ids of jobs."""
    stamp = (time.time_ns() // 1_000_000) << 80
    chance = os.urandom(10 * n)
    found: list[str] = []
    for i in range(0, 10 * n, 10):
        number = int.from_bytes(chance[i : i + 10])
        number = (number & ~(0xF << 76)) | (7 << 76)
        number = (number & ~(0x3 << 62)) | (2 << 62)
        digits = f"{stamp | number:032x}"
        found.append(f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}")
    return found


def new_id() -> UUID:
    return UUID(new_ids(1)[0])
