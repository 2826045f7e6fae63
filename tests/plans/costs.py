"""The plan of every statement that a session plans, statements inside functions included."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import psycopg

_COST: Final = re.compile(r"total_cost ([0-9.e+]+)")
_DISABLED: Final = re.compile(r"disabled_nodes (\d+)")


@dataclass(frozen=True, slots=True)
class Planned:
    """The dearest node of a plan, how many of its nodes are disabled (PostgreSQL 18 counts them), and where it is."""

    cost: float
    disabled: int
    where: str


@contextmanager
def planning(conn: psycopg.Connection[tuple[Any, ...]]) -> Generator[list[Planned]]:
    """Collect what the session plans from here on; what it has planned before is not planned again."""
    planned: list[Planned] = []

    def collect(notice: psycopg.errors.Diagnostic) -> None:
        if notice.message_primary == "plan:" and notice.message_detail:
            planned.append(_read(notice.message_detail, notice.context or "the call"))

    conn.execute("set client_min_messages = log")
    conn.add_notice_handler(collect)
    conn.execute("set debug_print_plan = on")
    yield planned
    conn.execute("set debug_print_plan = off")
    conn.remove_notice_handler(collect)


def _read(plan: str, where: str) -> Planned:
    costs = [float(found) for found in _COST.findall(plan)]
    disabled = [int(found) for found in _DISABLED.findall(plan)]
    return Planned(max(costs, default=0.0), max(disabled, default=0), " ".join(where.split())[:300])
