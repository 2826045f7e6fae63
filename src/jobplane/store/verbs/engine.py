"""The verbs of workers and of the upkeep: leases over all tenants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jobplane.core.definitions import SyncedDefinition
from jobplane.core.leases import Claimed, Lease, Reaped, Renewed, Settled, Settlement
from jobplane.core.logs import NewLogLine
from jobplane.core.model import Document, DueChores, HeldSnapshot, NewWorker
from jobplane.core.outputs import NewOutput
from jobplane.store.verbs.verb import EngineVerb


@dataclass(frozen=True, slots=True)
class Claim(EngineVerb[Claimed]):
    """Lease up to `limit` jobs of a queue, urgent ones first, fair between tenants.

    `begun`: the handlers start at once, and so an attempt that is reaped is paid for.
    """

    queue: str
    worker_id: str
    limit: int = 1
    lease_seconds: int = 30
    begun: bool = True


@dataclass(frozen=True, slots=True)
class Renew(EngineVerb[Renewed]):
    """Prolong leases; learn which jobs are to be canceled.

    `begun`: seqs of handlers that have started since. `progress` by seq: from 0 to 1, and in words.
    """

    leases: Sequence[Lease]
    lease_seconds: int = 30
    begun: Sequence[int] = ()
    progress: Mapping[int, tuple[float | None, str | None]] | None = None


@dataclass(frozen=True, slots=True)
class Settle(EngineVerb[list[Settled]]):
    """End attempts. A lease that is no longer ours changes nothing and comes back as not accepted.

    `exceptions_only`: answer only those that were not accepted. `setbacks`: and those that did not succeed.
    """

    settlements: Sequence[Settlement]
    max_interruptions: int = 20
    exceptions_only: bool = False
    setbacks: bool = False


@dataclass(frozen=True, slots=True)
class Reap(EngineVerb[list[Reaped]]):
    """Settle for workers that are gone; the attempts that were ended."""

    limit: int = 500


@dataclass(frozen=True, slots=True)
class WriteLogs(EngineVerb[list[int]]):
    """Keep log lines. Answers the seqs whose lease is no longer valid; a repeated line changes nothing."""

    lines: Sequence[NewLogLine]


@dataclass(frozen=True, slots=True)
class WriteOutputs(EngineVerb[list[int]]):
    """Keep what commands used and wrote last. Answers the seqs whose lease is no longer valid.

    Call it before the attempt is settled. Another output of the same attempt replaces the first one.
    """

    outputs: Sequence[NewOutput]


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
class Vacuum(EngineVerb[None]):
    """Clear the hot tables of dead rows."""


@dataclass(frozen=True, slots=True)
class RegisterWorker(EngineVerb[None]):
    """Make a worker known; the same id again replaces it."""

    worker: NewWorker


@dataclass(frozen=True, slots=True)
class SeeWorker(EngineVerb[bool]):
    """Say that a worker is alive; False: it must register again, because it is unknown or outdated.

    `draining`: it is stopping and claims no more jobs. None leaves that as it is.
    """

    worker_id: str
    running_count: int = 0
    draining: bool | None = None


@dataclass(frozen=True, slots=True)
class DeregisterWorker(EngineVerb[bool]):
    """Say that a worker is gone for good."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class HasReady(EngineVerb[bool]):
    """Whether jobs are ready that a worker may run; a claim passes over those that another transaction has locked."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class WantWork(EngineVerb[dict[str, int]]):
    """Ask to be woken when one of these queues gets a job; the ids that a notification carries."""

    queues: Sequence[str]
    seconds: int = 5


@dataclass(frozen=True, slots=True)
class PutDefinitions(EngineVerb[list[str]]):
    """Make or change definitions; a value that a document does not name stays. Answers their keys.

    `by_person`: of a definition from code these values stay when its app syncs. Otherwise only what no person has set
    is written.
    """

    definitions: Sequence[Document]
    by_person: bool = False


@dataclass(frozen=True, slots=True)
class SyncDefinitions(EngineVerb[list[SyncedDefinition]]):
    """Bring the definitions of an app's code; what a person has set stays, unless it is forced.

    An older version than the app's changes nothing. `whole`: the documents are all that the app has, and its other
    definitions are switched off; an app without a name never does that. A dry run writes nothing.
    """

    app: str
    version: str
    definitions: Sequence[Document]
    force: bool = False
    dry_run: bool = False
    whole: bool = True


@dataclass(frozen=True, slots=True)
class PutQueues(EngineVerb[list[str]]):
    """Make or change queues; a value that a document does not name stays. Answers the names that were new."""

    documents: Sequence[str | Document]


@dataclass(frozen=True, slots=True)
class ChainAudit(EngineVerb[int]):
    """Append entries of the audit log to its chain of digests; how many. 0 also while another call does it."""

    limit: int = 1000
