"""Ids that others see: UUIDv7, which sort by the time of their making, and the ids of workers."""

from __future__ import annotations

import os
import socket
import time
from typing import Final
from uuid import UUID, uuid4

_LONGEST_WORKER_ID: Final = 200  # the columns take no more


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


def new_worker_id(name: str = "") -> str:
    """An id for this process that no other start has: `host:pid:uuid`, with the name in front if there is one.

    A host name that is too long loses its beginning: the end tells the pods of one deployment apart.
    """
    before, after = f"{name}:" if name else "", f":{os.getpid()}:{uuid4()}"
    return before + socket.gethostname()[len(before) + len(after) - _LONGEST_WORKER_ID :] + after
