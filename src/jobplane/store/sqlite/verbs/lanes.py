"""Fairness: every waiting row has a virtual-time tag, and a tenant's rows of one lane stand a step apart.

A lane is a queue and a priority, as one tenant sees it. A tenant with nothing waiting starts at the lane's clock,
just before the next round of the tenants that wait; any other behind its own last row. With one writer the last row is
always seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from jobplane.store.base import Conn
from jobplane.store.sqlite.statements import load_shared
from jobplane.store.sqlite.verbs.arrays import batch

Lane = tuple[int, int, int]  # tenant, queue, priority
STEP: Final = 1_000_000
_SQL: Final = load_shared("lanes")


def find_tails(db: Conn, lanes: Iterable[Lane]) -> dict[Lane, tuple[int, int]]:
    """The tag at the end of each tenant's lane, and its step: the next rows get end + step, end + 2 · step, …"""
    rows = db.rows(_SQL["tails"], (batch(lanes),))
    return {
        (tenant, queue, priority): (last if last is not None and last > v else v - 1, STEP // weight)
        for tenant, queue, priority, last, v, weight in rows
    }


def assign_tags(db: Conn, rows: Sequence[tuple[int, Lane]]) -> list[tuple[int, int]]:
    """A new tag for each row, in the order given: (seq, tag). An old one means nothing after an hour aside."""
    tails = find_tails(db, {lane for _, lane in rows})
    found: list[tuple[int, int]] = []
    for seq, lane in rows:
        end, step = tails[lane]
        tails[lane] = end + step, step
        found.append((seq, end + step))
    return found


def admit(db: Conn, origin: Literal["upcoming", "held"], rows: Sequence[tuple[int, int]]) -> None:
    """Rows (seq, tag) go from where they waited into ready."""
    db.rows(_SQL[f"admit_{origin}"], (batch(rows),))
    db.rows(_SQL[f"leave_{origin}"], (batch(seq for seq, _ in rows),))


def leave_ready(db: Conn, seqs: Sequence[int]) -> None:
    db.rows(_SQL["leave_ready"], (batch(seqs),))


def advance(db: Conn, queue_id: int, priority: int, tag: int) -> None:
    """The clock of a lane is the largest tag that was handed out."""
    db.rows(_SQL["advance"], (queue_id, priority, tag))


def set_aside(db: Conn, seqs: Sequence[int]) -> None:
    """Move waiting jobs to upcoming, whichever table they are in; promotion gives them a new tag."""
    text = batch(seqs)
    for state in ("ready", "held"):
        db.rows(_SQL[f"aside_{state}"], (text,))
        db.rows(_SQL[f"leave_{state}"], (text,))


def put_off(db: Conn, seqs: Sequence[int], at: int, now: int) -> None:
    """Give waiting jobs another time; their records have changed now."""
    set_aside(db, seqs)
    db.rows(_SQL["put_off"], (at, batch(seqs)))
    db.rows(_SQL["change"], (now, batch(seqs)))


def end_waiting(db: Conn, seqs: Sequence[int], now: int, reason: str | None) -> None:
    """Waiting jobs end as canceled, and give their dedupe keys back."""
    text = batch(seqs)
    db.rows(_SQL["end_waiting"], (now, reason, text))
    for state in ("ready", "held", "upcoming"):
        db.rows(_SQL[f"leave_{state}"], (text,))
    free_keys(db, seqs)


def free_keys(db: Conn, seqs: Sequence[int]) -> None:
    """Jobs that have ended hold no dedupe key."""
    if seqs:
        db.rows(_SQL["free_keys"], (batch(seqs),))
