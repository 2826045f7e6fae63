"""What was claimed, kept for an attempt that goes wrong: for its line in the log, and its timeout; read only then."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import orjson

from jobplane.core.lines import Taken, Ticket
from jobplane.core.traces import trace_id


class Facts(NamedTuple):
    """The ids of one attempt, as every log line names them."""

    job_id: str
    tenant_id: str
    definition_key: str
    trace_id: str
    held_ms: int


@dataclass
class _Docket:
    """One claim's answer: the lines by seq without their last field, the payload, which may be large."""

    heads: dict[int, bytes]
    at: float


class Dockets:
    """Claims by their token, each until nothing of it is held any more."""

    def __init__(self) -> None:
        self._by_token: dict[UUID, _Docket] = {}

    def keep(self, taken: Taken) -> None:
        if taken.tickets:
            heads = [line[: line.rfind(b"\t")] for line in taken.lines.split(b"\n")]
            seqs = [ticket.seq for ticket in taken.tickets]
            self._by_token[taken.tickets[0].token] = _Docket(dict(zip(seqs, heads, strict=True)), time.monotonic())

    def facts(self, ticket: Ticket) -> Facts | None:
        """None where it was claimed too long ago to be known."""
        docket = self._by_token.get(ticket.token)
        head = docket and docket.heads.get(ticket.seq)
        return _read(head, docket.at) if docket and head else None

    def timeout_seconds(self, ticket: Ticket) -> float | None:
        """None where it has none, or is not known any more."""
        docket = self._by_token.get(ticket.token)
        head = docket and docket.heads.get(ticket.seq)
        text = head.split(b"\t", 4)[3] if head else b""
        return float(text) if text else None

    def sweep(self, held: Iterable[Ticket]) -> None:
        """Forget the claims of which nothing is held. Called once a second, so that no job has to count."""
        tokens = {ticket.token for ticket in held}
        for token in self._by_token.keys() - tokens:
            del self._by_token[token]


def _read(head: bytes, at: float) -> Facts:
    """Fields by their place in a line; how long it is held counts from the claim."""
    fields = head.split(b"\t")
    key, job_id, tenant_id = fields[2].decode(), fields[5].decode(), fields[6].decode()
    context = orjson.loads(fields[9]).get("trace_context") if fields[9] else None
    return Facts(job_id, tenant_id, key, trace_id(job_id, context), round((time.monotonic() - at) * 1000))
