"""What happens between the end of a claim's statement and the end of its commit."""

from __future__ import annotations

from tests.database import Database


def at_commit(db: Database, statement: str) -> None:
    """Run a statement of PL/pgSQL there for each new lease, instead of the one before."""
    db.own("drop trigger if exists at_commit on jobplane.leases")
    db.own(
        "create or replace function public.at_commit() returns trigger language plpgsql as"
        f" $$ begin {statement}; return null; end $$"
    )
    db.own(
        "create constraint trigger at_commit after insert on jobplane.leases deferrable initially deferred"
        " for each row execute function public.at_commit()"
    )
