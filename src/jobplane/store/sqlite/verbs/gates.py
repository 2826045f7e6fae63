"""Limits, pauses and missing workers: what they hold, what they let back, and which tag it gets then."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from jobplane.core.decoding import readable, texts
from jobplane.store.base import Conn
from jobplane.store.sqlite.moment import SECOND
from jobplane.store.sqlite.statements import load_shared
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.lanes import Lane, admit, assign_tags

GONE: Final = "g/"  # the gate of jobs whose definition is gone, before its key
Gate = str | bytes  # bytes: it cannot be decoded
_GATE: Final = re.compile(r"(t|d|dt|w)/([0-9]{1,18})(/[0-9]+)?")
LIVE: Final = 60 * SECOND  # a worker is live for a minute after it was seen
_SQL: Final = load_shared("gates")


@dataclass(frozen=True, slots=True)
class LiveWorker:
    """The queues and definitions of one live worker; `definitions` None: any but commands."""

    queues: frozenset[str]
    definitions: frozenset[str] | None
    mismatched: frozenset[str] = frozenset()

    def knows(self, key: str, kind: str | None) -> bool:
        return kind != "command" if self.definitions is None else key in self.definitions

    def differs(self, key: str, kind: str | None) -> bool:
        """Whether its policy has another command under this key."""
        return kind == "command" and key in self.mismatched


def live_workers(db: Conn, now: int) -> list[LiveWorker]:
    rows = db.rows(_SQL["live_workers"], (now - LIVE,))
    return [found for row in rows if (found := worker(*row))]


def worker(queues: str | bytes, definitions: str | bytes | None, mismatched: str | bytes) -> LiveWorker | None:
    """What a worker's row says that it serves; None where that cannot be decoded: it registers again soon."""
    served = readable(queues, texts)
    known = readable(definitions, texts)
    differs = readable(mismatched, texts)
    if served is None or differs is None or (known is None and definitions is not None):
        return None
    return LiveWorker(frozenset(served), None if known is None else frozenset(known), frozenset(differs))


def gone_gate_of(key: str | bytes) -> str:
    """The gate of jobs whose definition is gone; a key that cannot be decoded is that of no definition."""
    return GONE + (key if isinstance(key, str) else key.decode(errors="replace"))


def keys_of(limit_keys: str | bytes | None) -> list[str] | None:
    """What a lease counts against; None where that cannot be decoded."""
    return [] if limit_keys is None else readable(limit_keys, texts)


def count_used(db: Conn, keys: Iterable[str]) -> dict[str, int]:
    """How many leases count against each key."""
    return dict(db.rows(_SQL["used"], (batch(keys),)))


def count(db: Conn, changes: Mapping[str, int], waiting: Iterable[str] = ()) -> None:
    """Add to what each limit counts; `waiting`: rows were held for want of room."""
    rows = [[key, n, 0] for key, n in changes.items()] + [[key, 0, 1] for key in waiting]
    if rows:
        db.rows(_SQL["count"], (batch(rows),))


def recount(db: Conn) -> None:
    """Count every limit again, after a lease has gone whose `limit_keys` cannot be decoded."""
    db.rows(_SQL["recount_limits"], ())


def give_back(db: Conn, freed: Mapping[str, int]) -> None:
    """Give slots back, and move as many rows that wait for them to ready; these keep their tags."""
    count(db, {key: -n for key, n in freed.items()})
    waiting = {row[0]: freed[row[0]] for row in db.rows(_SQL["waiting"], (batch(freed),))}
    rows = [row for key, n in waiting.items() for row in db.rows(_SQL["held"], (key, n))]
    if rows:
        admit(db, "held", [(seq, max(tag, v)) for seq, _, _, _, tag, v in rows])
    if len(rows) < sum(waiting.values()):
        db.rows(_SQL["nobody_waits"], (batch(waiting),))


def let_back(db: Conn, gate: Gate, n: int, now: int) -> int:
    """Up to n rows that a gate holds go back to ready, as far as it has room."""
    free = room(db, gate, n, now)
    if free and isinstance(gate, str) and gate.startswith(GONE):
        rebind(db, gate, free)
    return release(db, gate, free)


def release(db: Conn, gate: Gate, n: int) -> int:
    """Move up to n rows that a gate holds back to ready, at the end of their lanes; the claim looks at each again."""
    rows = db.rows(_SQL["held"], (gate, n)) if n > 0 else []
    if rows:
        lanes: list[tuple[int, Lane]] = [(seq, (tenant, queue, priority)) for seq, tenant, queue, priority, *_ in rows]
        admit(db, "held", assign_tags(db, lanes))
    return len(rows)


def rebind(db: Conn, gate: str, n: int) -> None:
    """The first n rows that wait for a definition of their key, which is there now, get its id."""
    [(definition_id,)] = db.rows(_SQL["id_of"], (gate.removeprefix(GONE),))
    seqs = batch(row[0] for row in db.rows(_SQL["held"], (gate, n)))
    db.rows(_SQL["rebind_held"], (definition_id, seqs))
    db.rows(_SQL["rebind_jobs"], (definition_id, seqs))


def next_gate(db: Conn, after: Gate) -> Gate | None:
    """The next gate that holds something, without a look at all it holds."""
    rows = db.rows(_SQL["next"], (after,))
    return rows[0][0] if rows else None


def room(db: Conn, gate: Gate, limit: int, now: int) -> int:
    """How many jobs a gate would let pass now, at most `limit`. A text that names no gate lets all of them pass."""
    if isinstance(gate, bytes):
        return limit
    is_open, most = _read_gate(db, gate, now)
    if not is_open:
        return 0
    return limit if most is None else max(min(most - count_used(db, [gate]).get(gate, 0), limit), 0)


def _read_gate(db: Conn, gate: str, now: int) -> tuple[bool, int | None]:
    if gate.startswith(GONE):
        return bool(db.rows(_SQL["id_of"], (gate.removeprefix(GONE),))), None
    if not (named := _GATE.fullmatch(gate)):
        return True, None
    kind, reference = named[1], named[2]
    if kind == "t":
        return _first(db.rows(_SQL["tenant"], (int(reference),)))
    rows = db.rows(_SQL["definition"], (int(reference),))
    if not rows:
        return True, None
    key, its_kind, active, max_running, max_running_per_tenant = rows[0]
    if kind == "w":
        return any(worker.knows(key, its_kind) for worker in live_workers(db, now)), None
    return bool(active), max_running if kind == "d" else max_running_per_tenant


def _first(rows: Sequence[tuple[bool, int | None]]) -> tuple[bool, int | None]:
    return rows[0] if rows else (True, None)


def count_leases(db: Conn, leases: Iterable[tuple[int, str | bytes | None, Sequence[str]]]) -> None:
    """Leases that began before a limit was set count against it too: seq, the keys they have, the keys they need."""
    changed: list[list[object]] = []
    more: dict[str, int] = {}
    for seq, text, wanted in leases:
        keys = keys_of(text) or []
        if new := [key for key in wanted if key not in keys]:
            changed.append([seq, batch([*keys, *new])])
            more |= {key: more.get(key, 0) + 1 for key in new}
    mark(db, changed)
    count(db, more)


def mark(db: Conn, leases: Sequence[Sequence[object]]) -> None:
    """Write on leases what they count against: seq and keys."""
    if leases:
        db.rows(_SQL["recount"], (batch(leases),))
