"""The verbs of a worker, which holds many leases: columns written as text, answers with exceptions only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from jobplane.core.decoding import Reader
from jobplane.core.lines import End, Reaped, Renewal, Taken, Ticket, Unsettled
from jobplane.core.payload import storable
from jobplane.store.postgres.calls.call import Call, Rows, array, asks, column, texts
from jobplane.store.postgres.calls.leases import exit_code, share
from jobplane.store.verbs.engine import ClaimLines, ReapAll, RenewAll, SettleAll

_REAPED: Final = asks(Reaped)
_reaped: Final = Reader(Reaped)
_NOTHING: Final = Taken([], b"", frozenset(), frozenset(), more=False)


def claim_lines(verb: ClaimLines) -> Call[Taken]:
    foreseen: list[Taken] = []

    def told(rows: Rows) -> None:
        foreseen.append(_taken(rows))
        if verb.soon is not None:
            verb.soon(foreseen[0])

    return Call(
        "worker",
        "select seqs, attempt_nos, token, alone, lasting, lines, more"
        " from jobplane.claim_lines(%s::text, %s::text, %s::int, %s::int)",
        (verb.queue, verb.worker_id, verb.limit, verb.lease_seconds),
        lambda rows: foreseen[0] if foreseen else _taken(rows),
        binary=True,
        soon=None if verb.soon is None else told,
    )


def _taken(rows: Rows) -> Taken:
    seqs, attempt_nos, token, alone, lasting, lines, more = rows[0]
    if seqs is None:
        return _NOTHING._replace(more=more)
    tickets = [Ticket(seq, no, token) for seq, no in zip(seqs, attempt_nos, strict=True)]
    return Taken(tickets, lines, frozenset(alone or ()), frozenset(lasting or ()), more)


def renew_all(verb: RenewAll) -> Call[list[Renewal]]:
    seqs = [ticket[0] for ticket in verb.tickets]
    started = frozenset(verb.begun)
    said = [verb.progress.get(seq, (None, None)) for seq in seqs] if verb.progress else []
    return Call(
        "worker",
        "select seq, answer"
        " from jobplane.renew_all(%s::bigint[], %s::int[], %s::uuid[], %s::int, %s::boolean[], %s::real[],"
        " %s::text[])",
        (
            *fence(verb.tickets),
            verb.lease_seconds,
            array("t" if seq in started else "f" for seq in seqs) if started else None,
            array(share(part) for part, _ in said) if said else None,
            _texts([storable(text) for _, text in said]),
        ),
        lambda rows: [Renewal(*row) for row in rows],
    )


def settle_all(verb: SettleAll) -> Call[list[Unsettled]]:
    """A ticket alone is a plain success: where there is nothing else, nothing else is written."""
    tickets = [x if isinstance(x, Ticket) else x.ticket for x in verb.ends]
    told = [x for x in verb.ends if not isinstance(x, Ticket)]
    return Call(
        "worker",
        "select seq, attempt_no, accepted, status"
        " from jobplane.settle(%s::bigint[], %s::int[], %s::uuid[], %s::jobplane.attempt_outcome[], %s::text[],"
        " %s::text[], %s::int[], %s::float8[], %s::text[]::jsonb[], %s::real[], %s::int, true)",
        (*fence(tickets), *(_columns(verb.ends) if told else _plain(len(tickets))), verb.max_interruptions),
        lambda rows: [Unsettled(*row) for row in rows],
    )


def reap_all(verb: ReapAll) -> Call[list[Reaped]]:
    return Call(
        "worker",
        _REAPED + "reap_all(%s::int)",
        (verb.limit,),
        lambda rows: [_reaped(row) for row in rows],
    )


def _plain(n: int) -> tuple[object, ...]:
    return ("{" + ",".join(["succeeded"] * n) + "}", None, None, None, None, None, None)


def _columns(ends: Sequence[End | Ticket]) -> tuple[object, ...]:
    rows = [End(x) if isinstance(x, Ticket) else x for x in ends]
    return (
        array(x.outcome.value for x in rows),
        _texts([storable(x.reason) for x in rows]),
        _texts([storable(x.error) for x in rows]),
        column([exit_code(x.exit_code) for x in rows]),
        column([x.retry_after for x in rows]),
        _texts([x.result for x in rows]),
        column([share(x.progress) for x in rows]),
    )


def _texts(values: Sequence[str | None]) -> str | None:
    """A column of texts, which may be megabytes; None where no row has one."""
    return texts(values) if any(value is not None for value in values) else None


def fence(tickets: Sequence[Ticket]) -> tuple[str, str, str]:
    """The three columns that prove leases. A claim's leases share one token object, whose text is made once."""
    texts: dict[int, str] = {}
    for _, _, token in tickets:
        if id(token) not in texts:
            texts[id(token)] = str(token)
    return (
        "{" + ",".join([str(ticket[0]) for ticket in tickets]) + "}",
        "{" + ",".join([str(ticket[1]) for ticket in tickets]) + "}",
        "{" + ",".join([texts[id(ticket[2])] for ticket in tickets]) + "}",
    )
