"""Send settlements to the store in batches, after the log lines of the same attempts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Final

from jobplane.core.leases import SUCCEEDED, Ending, Lease, Settled, Settlement
from jobplane.core.model import Outcome
from jobplane.core.outputs import CommandOutput, NewOutput
from jobplane.process.contact import CallRefused, Connection, ConnectionLost
from jobplane.process.loop import Signal
from jobplane.store.verbs.engine import Renew, Settle, WriteOutputs
from jobplane.store.worker import WorkerStore
from jobplane.worker.journal import Journal
from jobplane.worker.logbook import Logbook

BATCH: Final = 1000
# Bytes of results and errors in one call: a busy database stores them within a call's deadline.
BATCH_BYTES: Final = 4 * 1024 * 1024
OUTPUTS: Final = 20  # in one call: each has tails of up to 128 KiB
BUSY_SECONDS: Final = 0.05
_BEAT_SECONDS: Final = 5.0


class Settler:
    """Settles finished attempts. Each keeps its lease, and counts as in flight, until it is settled."""

    def __init__(
        self,
        connection: Connection,
        store: WorkerStore,
        logbook: Logbook,
        journal: Journal,
        settled: Callable[[], None],
        *,
        lease_seconds: int,
    ) -> None:
        self._connection = connection
        self._store = store
        self._logbook = logbook
        self._journal = journal
        self._settled = settled
        self._lease_seconds = lease_seconds
        self._wake = Signal()
        self._most = BATCH
        self._waiting: list[Settlement] = []
        self._sent: list[Settlement] = []
        self._busy: dict[tuple[int, int], Settlement] = {}
        self._outputs: dict[Lease, CommandOutput] = {}

    def keep_output(self, lease: Lease, output: CommandOutput) -> None:
        """Keep the output of a command; it is written before the outcome of its attempt, which comes next."""
        self._outputs[lease] = output

    def add(self, outcomes: Sequence[Settlement]) -> None:
        self._waiting += outcomes
        self._wake.set()

    def wake(self) -> None:
        """Wake the loop: there are log lines to send."""
        self._wake.set()

    @property
    def count(self) -> int:
        return len(self._waiting) + len(self._sent) + len(self._busy)

    def leases(self) -> Iterator[Lease]:
        """The leases of all attempts that are not settled."""
        for settlements in (self._waiting, self._sent, self._busy.values()):
            yield from map(itemgetter(0), settlements)

    async def step(self) -> None:
        """Wait for something to settle or for log lines that are due, and send it."""
        if not self._waiting:
            due = self._logbook.due_in
            await self._wake.wait(_BEAT_SECONDS if due is None else due)
        if self._waiting or self._logbook.due_in == 0:
            await self.flush()
        elif self._connection.is_lost:  # lines that were given up are no reason to be called lost for ever
            await self._connection.ask(self._store.check())

    async def flush(self) -> None:
        """Send some log lines, then one batch of settlements whose lines are all stored.

        Settlements without an answer are sent again, after the others.
        """
        await self._logbook.flush()
        self._take()
        try:
            await self._journal.learn_tenants_of_shown(self._store, self._sent)
            await self._keep_last_words()
            await self._write_outputs()
            answers = await self._send() if self._sent else []
            await self._learn_tenants_of_refused(answers)
            sent, self._sent = self._sent, []
        finally:
            self._waiting += self._sent
            self._sent = []
        if sent:
            self._judge(sent, answers)
            self._settled()

    def _take(self) -> None:
        """Choose the next batch. An outcome waits only for the lines of its own job."""
        ready, talking = self._waiting, list[Settlement]()
        if seqs := self._logbook.seqs:
            ready = [each for each in self._waiting if each[0].seq not in seqs]
            talking = [each for each in self._waiting if each[0].seq in seqs]
        count = _count_fitting(ready, self._most)
        self._sent, self._waiting = ready[:count], ready[count:] + talking

    async def _keep_last_words(self) -> None:
        """Renew with the last progress messages: a settlement keeps the message of the lease."""
        told = [(lease, ending.message) for lease, ending in self._sent if ending is not SUCCEEDED]
        said = {lease: message for lease, message in told if message is not None}
        if said:
            seqs = {lease.seq: (None, message) for lease, message in said.items()}
            renewal = self._store.run(Renew([*said], self._lease_seconds, begun=[*seqs], progress=seqs))
            with suppress(CallRefused):
                await self._connection.ask(renewal)

    async def _write_outputs(self) -> None:
        """Write the outputs of the batch. One that the store refuses is lost; its outcome is not."""
        if not self._outputs:
            return
        leases = [lease for lease, _ in self._sent if lease in self._outputs]
        for at in range(0, len(leases), OUTPUTS):
            told = leases[at : at + OUTPUTS]
            await self._write([NewOutput(lease, self._outputs[lease]) for lease in told])
            for lease in told:
                del self._outputs[lease]

    async def _write(self, outputs: Sequence[NewOutput]) -> None:
        """Write these in one call; if the store refuses them, each alone."""
        try:
            await self._connection.ask(self._store.run(WriteOutputs(outputs)))
        except CallRefused as error:
            if len(outputs) > 1:
                for output in outputs:
                    await self._write([output])
            else:
                self._journal.log_attempt(outputs[0].lease, "output_refused", "error", error=str(error))

    async def _learn_tenants_of_refused(self, answers: Sequence[Settled]) -> None:
        """A refused success has a line, too, and no other line may have named its tenant."""
        if refused := {answer[:2] for answer in answers if answer.accepted is False}:
            await self._journal.learn_tenants(self._store, [lease for lease, _ in self._sent if lease[:2] in refused])

    async def _send(self) -> list[Settled]:
        """Send the batch. After a failure the next one is smaller, until one succeeds."""
        try:
            answers = await self._settle(self._sent)
        except ConnectionLost:
            self._most = max(1, len(self._sent) // 2)
            raise
        self._most = min(BATCH, self._most * 2)
        return answers

    async def _settle(self, outcomes: Sequence[Settlement]) -> list[Settled]:
        """Settle these. If the store refuses them, settle each half alone, and replace the outcome at fault."""
        try:
            return await self._ask(outcomes)
        except CallRefused as error:
            if len(outcomes) == 1:
                return await self._replace(outcomes[0], str(error))
            half = len(outcomes) // 2
            return [*await self._settle(outcomes[:half]), *await self._settle(outcomes[half:])]

    async def _ask(self, outcomes: Sequence[Settlement]) -> list[Settled]:
        return await self._connection.ask(self._store.run(Settle(outcomes, exceptions_only=True, setbacks=True)))

    async def _replace(self, outcome: Settlement, why: str) -> list[Settled]:
        """Fail the job of an outcome that cannot be stored, without a retry: it would have the same outcome."""
        lease, _ = outcome
        error = f"The database refused the outcome: {why}"
        placeholder = Settlement(lease, Ending(Outcome.FATAL, "outcome_not_stored", error))
        self._sent[self._sent.index(outcome)] = placeholder
        try:
            return await self._ask([placeholder])
        except CallRefused as error:
            self._journal.log_attempt(lease, "outcome_not_stored", "error", error=str(error))
            return [Settled(lease.seq, lease.attempt_no, False, "refused")]

    def _judge(self, sent: Sequence[Settlement], answers: Sequence[Settled]) -> None:
        """Log the accepted and the refused outcomes; send those whose row is locked again."""
        by_attempt = {each[0][:2]: each for each in sent} if answers else {}
        for answer in answers:
            attempt = answer.seq, answer.attempt_no
            outcome = by_attempt[attempt]
            if answer.accepted is None:
                self._busy[attempt] = outcome
                asyncio.get_running_loop().call_later(BUSY_SECONDS, self._again, attempt)
            elif not answer.accepted:
                self._journal.log_refused(outcome[0], outcome[1].outcome, answer.status)
        unsettled = sum(not answer.accepted for answer in answers)
        self._journal.log_step("settled", attempts=len(sent), unsettled=unsettled)
        self._journal.log_all_ended(sent, answers)

    def _again(self, attempt: tuple[int, int]) -> None:
        self.add([self._busy.pop(attempt)])


def _count_fitting(outcomes: Sequence[Settlement], most: int) -> int:
    """How many go into one call: one at least, and no more than its rows and bytes allow."""
    size = 0
    for count, (_, ending) in enumerate(outcomes[:most]):
        if ending is not SUCCEEDED:
            size += len(ending.result or "") + len(ending.error or "")
            if size > BATCH_BYTES:
                return max(1, count)
    return min(most, len(outcomes))
