"""The jobs of one executor, and its frames about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from time import monotonic

import orjson

from jobplane.core.leases import Lease, Settlement, settle_successes
from jobplane.core.logs import NewLogLine
from jobplane.worker.fleet import reports
from jobplane.worker.fleet.pace import Pace
from jobplane.worker.fleet.settings import FleetListener
from jobplane.worker.fleet.verdict import settle_unstarted
from jobplane.worker.frames import Broken, EndedRow, Kind, LogRow, ShareRow, Stop, StopReason


class Holdings:
    """Keeps the lease of each job until the executor reports its end."""

    def __init__(self, listener: FleetListener, pace: Pace, changed: Callable[[], None]) -> None:
        self._listener = listener
        self._pace = pace
        self._changed = changed
        self.leases: dict[int, Lease] = {}
        self.stops: dict[int, StopReason] = {}
        self.overdue: dict[int, Stop] = {}
        self.told_at: dict[int, float] = {}
        self._heard: dict[int, int] = {}  # the last line of each that logs
        self._took: dict[int, int] = {}  # milliseconds, of plain successes that are told next
        self.is_asked = False  # for jobs back, or for none: it answers by RETURNED

    def news(self, seqs: Mapping[int, StopReason]) -> dict[int, StopReason]:
        """The stops that are new to this executor. After a first stop only `gone` is new."""
        new: dict[int, StopReason] = {
            seq: why for seq, why in seqs.items() if seq in self.leases and self._is_news(seq, why)
        }
        self.stops |= new
        self.told_at |= dict.fromkeys(new, monotonic())
        return new

    @property
    def late(self) -> set[int]:
        """The jobs that run past their timeouts and did not stop when they were told."""
        return {seq for seq, why in self.overdue.items() if why == "timeout" and seq in self.leases}

    def _is_news(self, seq: int, why: StopReason) -> bool:
        known = self.stops.get(seq)
        return known is None or (why == "gone" and known != "gone")

    def hear(self, kind: Kind, body: bytes) -> None:
        """Act on a frame about jobs."""
        match kind:
            case Kind.TOOK:
                self._took = dict(orjson.loads(body))
            case Kind.DONE:
                self._on_done(orjson.loads(body))
            case Kind.SPENT:
                self._pace.record(*reports.read_spent(body))
            case Kind.ENDED:
                self._on_ended(orjson.loads(body))
            case Kind.LOGS:
                self._on_logged(orjson.loads(body))
            case Kind.SHARE:
                self._on_progressed(orjson.loads(body))
            case Kind.RETURNED:
                self._on_returned(orjson.loads(body))
            case Kind.OVERDUE:
                self.overdue = dict(orjson.loads(body))
                self._changed()
            case _:
                raise Broken(f"an executor does not send {kind.name}")

    def _on_done(self, seqs: list[int]) -> None:
        leases = self._let_go(seqs)
        settlements = settle_successes(leases)
        if self._took:
            took, self._took = self._took, {}
            settlements = [reports.add_duration(each, took.get(each.lease.seq)) for each in settlements]
        self._listener.on_ended(settlements)
        self._changed()
        _expect_all(seqs, leases)

    def _on_ended(self, told: list[EndedRow]) -> None:
        """Report all rows that can be read, then raise if one cannot: its lease stays until the process ends."""
        ends: list[Settlement] = []
        fault: Exception | None = None
        for row in told:
            try:
                ends.append(reports.read_settlement(self.leases[row[0]], row))
                self._let_go((row[0],))
            except (ValueError, TypeError, LookupError) as error:
                fault = error
        self._listener.on_ended(ends)
        self._changed()
        if fault is not None:
            raise fault

    def _on_returned(self, seqs: list[int]) -> None:
        """Report jobs that were given back. A job whose lease was lost has no end to report."""
        self.is_asked = False
        gone = {seq for seq in seqs if self.stops.get(seq) == "gone"}
        leases = self._let_go(seqs)
        if back := [settle_unstarted(lease) for lease in leases if lease.seq not in gone]:
            self._listener.on_ended(back)
        self._changed()
        _expect_all(seqs, leases)

    def _let_go(self, seqs: Iterable[int]) -> list[Lease]:
        pop = self.leases.pop
        leases = [lease for seq in seqs if (lease := pop(seq, None)) is not None]
        if self._heard:
            for lease in leases:
                self._heard.pop(lease.seq, None)
        if self.stops:
            for lease in leases:
                self.stops.pop(lease.seq, None)
                self.told_at.pop(lease.seq, None)
        return leases

    def _on_logged(self, told: list[LogRow]) -> None:
        """Pass log lines on, except those of attempts whose lease was lost."""
        kept = [row for row in told if self.stops.get(row[0]) != "gone"] if self.stops else told
        lines, sizes = reports.read_log_lines(self.leases, kept)
        self._heard.update((line.lease.seq, line.line) for line in lines)
        self._listener.on_logged(lines, sizes)

    def lose(self, logged: Mapping[int, int]) -> None:
        """After the process has ended, add a line to each job's log with the number of lines that were lost."""
        now, marks = datetime.now(UTC), list[NewLogLine]()
        for seq, lease in self.leases.items():
            heard = self._heard.get(seq, 0)
            if (lost := logged.get(seq, 0) - heard) > 0 and self.stops.get(seq) != "gone":
                told = f"{lost} lines dropped: the process ended"
                marks.append(NewLogLine(lease, heard + 1, now, "warning", told, {"lines_dropped": lost}))
        if marks:
            self._listener.on_logged(marks, {})

    def _on_progressed(self, shares: list[ShareRow]) -> None:
        for seq, share, message in map(reports.read_share, shares):
            if seq in self.leases and self.stops.get(seq) != "gone":
                self._listener.on_progressed(seq, share, message)


def _expect_all(seqs: list[int], leases: list[Lease]) -> None:
    """Raise Broken if an executor reports jobs that it does not hold."""
    if len(leases) != len(seqs):
        raise Broken(f"outcomes of {len(seqs) - len(leases)} jobs that it does not hold")
