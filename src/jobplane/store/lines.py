"""What a worker's supervisor asks of a store: the engine's verbs over whole batches, answering exceptions only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from jobplane.core.lines import End, Reaped, Renewal, Taken, Ticket, Unsettled
from jobplane.store.base import Store


class LineStore(Store, Protocol):
    """A store on one connection of its own. A call ends by its deadline whatever the line does, with StoreUnavailable;

    the next call connects again. Nothing is retried inside.
    """

    async def claim_lines(
        self,
        queue: str,
        worker_id: str,
        *,
        limit: int,
        lease_seconds: int,
        soon: Callable[[Taken], None] | None = None,
    ) -> Taken:
        """Lease up to `limit` jobs, as lines.

        `soon` may be told of the same answer while the database still writes it down: it may come to nothing yet.
        """
        ...

    async def renew_all(
        self,
        tickets: Sequence[Ticket],
        *,
        lease_seconds: int,
        begun: Sequence[int] = (),
        progress: Mapping[int, tuple[float | None, str | None]] | None = None,
    ) -> list[Renewal]:
        """Prolong leases; `begun` are the seqs whose handlers have started: only these pay when they are reaped."""
        ...

    async def settle_all(self, ends: Sequence[End | Ticket], *, max_interruptions: int = 20) -> list[Unsettled]:
        """End attempts, a ticket alone as a plain success; what is not in the answer was accepted."""
        ...

    async def reap_all(self, *, limit: int = 500) -> list[Reaped]:
        """Reap, and say what was ended."""
        ...

    async def check(self) -> None:
        """Whether it answers; raises a StoreError."""
        ...

    async def close(self) -> None: ...


class Ear(Protocol):
    """A connection that listens; `on_lost` is told of each that could not be made, or was lost."""

    on_lost: Callable[[Exception], None] | None

    async def listen(
        self, woken: Callable[[int | None], None], canceled: Callable[[str], None], kept_up: Callable[[], None]
    ) -> None:
        """Tell the id of each queue that got a job (what want_work answered), until it is closed.

        None: it listens from now on, so look once. `canceled` is told the id of a worker that runs a canceled job.
        `kept_up` hears every few seconds that a process does the upkeep.
        """
        ...

    async def close(self) -> None: ...
