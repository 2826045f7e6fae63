"""The verbs of workers and of the upkeep: leases over all tenants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from jobplane.core.lines import End, NewLogLine, Reaped, Renewal, Taken, Ticket, Unsettled
from jobplane.core.model import (
    Claimed,
    Document,
    DueChores,
    HeldSnapshot,
    Lease,
    NewWorker,
    Renewed,
    Settled,
    Settlement,
)
from jobplane.store.verbs.verb import EngineVerb


@dataclass(frozen=True, slots=True)
class Claim(EngineVerb[Claimed]):
    """Lease up to `limit` jobs of a queue, urgent ones first, fair between tenants."""

    queue: str
    worker_id: str
    limit: int = 1
    lease_seconds: int = 30


@dataclass(frozen=True, slots=True)
class Renew(EngineVerb[list[Renewed]]):
    """Prolong leases, with progress from 0 to 1 and in words; learn which jobs are to be canceled."""

    leases: Sequence[Lease]
    lease_seconds: int = 30
    progress: Sequence[float | None] | None = None
    messages: Sequence[str | None] | None = None


@dataclass(frozen=True, slots=True)
class Settle(EngineVerb[list[Settled]]):
    """End attempts. A lease that is no longer ours changes nothing and comes back as not accepted."""

    outcomes: Sequence[Settlement]
    max_interruptions: int = 20


@dataclass(frozen=True, slots=True)
class Release(EngineVerb[list[Settled]]):
    """Give leases back unspent."""

    leases: Sequence[Lease]
    reason: str = "shutdown"
    after: float = 0


@dataclass(frozen=True, slots=True)
class ClaimLines(EngineVerb[Taken]):
    """Lease up to `limit` jobs, as lines for the executors.

    `soon` may be told of the same answer while the database still commits it.
    """

    queue: str
    worker_id: str
    limit: int
    lease_seconds: int
    soon: Callable[[Taken], None] | None = None


@dataclass(frozen=True, slots=True)
class RenewAll(EngineVerb[list[Renewal]]):
    """Prolong leases; answers exceptions only. `begun`: seqs of handlers that have started, and so pay when reaped."""

    tickets: Sequence[Ticket]
    lease_seconds: int
    begun: Sequence[int] = ()
    progress: Mapping[int, tuple[float | None, str | None]] | None = None


@dataclass(frozen=True, slots=True)
class SettleAll(EngineVerb[list[Unsettled]]):
    """End attempts, a ticket alone as a plain success; answers exceptions only."""

    ends: Sequence[End | Ticket]
    max_interruptions: int = 20


@dataclass(frozen=True, slots=True)
class ReapAll(EngineVerb[list[Reaped]]):
    """Settle for workers that are gone, and tell which attempts were ended."""

    limit: int = 500


@dataclass(frozen=True, slots=True)
class WriteLogs(EngineVerb[list[int]]):
    """Keep log lines. Answers the seqs whose lease is no longer valid; a repeated line changes nothing."""

    lines: Sequence[NewLogLine]


@dataclass(frozen=True, slots=True)
class FindDueChores(EngineVerb[DueChores]):
    """Which of promote, tick, expire, sweep, wake and reap have something to do.

    Processes that name themselves take turns on PostgreSQL; without a name the caller always does the upkeep.
    """

    chores: Sequence[str]
    by: str | None = None


@dataclass(frozen=True, slots=True)
class WakeIdle(EngineVerb[int]):
    """Tell idle workers of queues that have jobs nobody told them of; how many queues."""


@dataclass(frozen=True, slots=True)
class FindSnapshots(EngineVerb[list[HeldSnapshot]]):
    """What keeps dead rows from being removed, apart from short transactions that may be gone the next time."""


@dataclass(frozen=True, slots=True)
class Promote(EngineVerb[int]):
    """Make jobs ready whose time has come."""

    limit: int = 1000


@dataclass(frozen=True, slots=True)
class Reap(EngineVerb[int]):
    """Settle for workers that are gone."""

    limit: int = 500


@dataclass(frozen=True, slots=True)
class Expire(EngineVerb[int]):
    """Cancel jobs that did not start in time."""

    limit: int = 1000


@dataclass(frozen=True, slots=True)
class Sweep(EngineVerb[int]):
    """Make jobs ready that no gate holds any more."""

    limit: int = 1000


@dataclass(frozen=True, slots=True)
class Tick(EngineVerb[int]):
    """Move the low marks of the claim."""

    full: bool = True


@dataclass(frozen=True, slots=True)
class Tidy(EngineVerb[int]):
    """Remove rows that nothing uses any more."""


@dataclass(frozen=True, slots=True)
class PruneLogs(EngineVerb[int]):
    """Remove some of the logs that are past their time; 0: there are none, or a lock is in the way."""

    retention_days: int = 7


@dataclass(frozen=True, slots=True)
class Vacuum(EngineVerb[None]):
    """Clear the hot tables of dead rows."""


@dataclass(frozen=True, slots=True)
class RegisterWorker(EngineVerb[None]):
    """Make a worker known; the same id again replaces it."""

    worker: NewWorker


@dataclass(frozen=True, slots=True)
class SeeWorker(EngineVerb[bool]):
    """Say that a worker is alive; False: it must register again."""

    worker_id: str
    running_count: int = 0


@dataclass(frozen=True, slots=True)
class DeregisterWorker(EngineVerb[bool]):
    """Say that a worker is gone for good."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class WantWork(EngineVerb[dict[str, int]]):
    """Ask to be woken when one of these queues gets a job; the ids that a notification carries."""

    queues: Sequence[str]
    seconds: int = 5


@dataclass(frozen=True, slots=True)
class PutDefinitions(EngineVerb[list[str]]):
    """Make or change definitions; a value that a document does not name stays. Answers their keys."""

    definitions: Sequence[Document]


@dataclass(frozen=True, slots=True)
class PutQueues(EngineVerb[list[str]]):
    """Make or change queues; a value that a document does not name stays. Answers the names that were new."""

    documents: Sequence[str | Document]
