"""The runner: brings a database to this program's schema. Any number may run at once, and any may be killed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from psycopg import sql

from jobplane.store.postgres import concurrently, ledger, plan, script, steps
from jobplane.store.postgres.link import Connection, connect
from jobplane.store.postgres.patience import PATIENCE_SECONDS, explain_errors, retry, take_turn
from jobplane.store.postgres.plan import Plan
from jobplane.store.postgres.script import Trust
from jobplane.store.postgres.source import Migration, Source, load


@dataclass(frozen=True, slots=True)
class Report:
    """What one run did; `steps` is empty where there was nothing to do."""

    number: int
    steps: tuple[str, ...]
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class Status:
    found: int
    wanted: int
    trust: str | None
    pending: list[str]
    ahead: bool
    invalid_indexes: list[str]

    @property
    def up_to_date(self) -> bool:
        return not self.pending and not self.invalid_indexes

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "up_to_date": self.up_to_date}


def _in_silence(_step: str) -> None:
    """Tell nobody."""


def up(
    conninfo: str,
    *,
    trust: Trust = "roles",
    root: Path | None = None,
    patience: float = PATIENCE_SECONDS,
    told: Callable[[str], None] = _in_silence,
) -> Report:
    """Apply what is due, each step in a transaction of its own; `told` hears of each step that this run did."""
    source = load(root)
    with connect(conninfo) as conn:
        return _Runner(conn, conninfo, source, trust, patience).run(told)


def preview(conninfo: str, *, trust: Trust = "roles", root: Path | None = None) -> Plan:
    """What `up` would do now, or the error that it would raise."""
    source = load(root)
    with connect(conninfo) as conn, explain_errors("plan"):
        return _plan(conn, source, trust)


def psql(conninfo: str, *, trust: Trust = "roles", root: Path | None = None) -> str:
    """What `up` would do now, as one script."""
    return steps.psql(load(root), preview(conninfo, trust=trust, root=root), trust)


def status(conninfo: str, *, root: Path | None = None) -> Status:
    """Where the database stands; any login of jobplane may ask."""
    source = load(root)
    with connect(conninfo) as conn, explain_errors("status"):
        site = ledger.survey(conn)
        found = ledger.read(conn, site)
    due = plan.find_due(source, site, found, "single" if found.trust == "single" else "roles")
    return Status(found.number, source.number, found.trust, due.steps, due.ahead, site.invalid_indexes)


def roles(conninfo: str, *, grants: Sequence[tuple[str, str]] = (), root: Path | None = None) -> None:
    """Make the cluster's roles and the memberships asked for, in one transaction; a second run changes nothing."""
    text = roles_sql(grants, root=root)
    with connect(conninfo) as conn, explain_errors("roles"):
        retry("roles", PATIENCE_SECONDS, lambda: _run_together(conn, text))


def make_logins(conninfo: str, passwords: Mapping[str, str]) -> bool:
    """Make the roles with these passwords, and let the owner create the schema; False: there are such roles already.

    The server gets digests alone: no password is in a statement that it may log.
    """
    with connect(conninfo) as conn, explain_errors("roles"):
        if conn.execute("select 1 from pg_roles where rolname = 'jobplane_owner'").fetchone() is not None:
            return False
        retry("roles", PATIENCE_SECONDS, lambda: _run_together(conn, roles_sql()))
        with conn.transaction():
            for role, password in passwords.items():
                name = f"jobplane_{role}"
                digest = conn.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256")
                statement = sql.SQL("alter role {} password {}").format(sql.Identifier(name), digest.decode())
                conn.execute(statement)
            database = sql.Identifier(conn.info.dbname)
            conn.execute(sql.SQL("grant create on database {} to jobplane_owner").format(database))
    return True


def roles_sql(grants: Sequence[tuple[str, str]] = (), *, root: Path | None = None) -> str:
    """What `roles` runs."""
    return script.roles(load(root), grants)


def _plan(conn: Connection, source: Source, trust: Trust) -> Plan:
    site = ledger.survey(conn)
    return plan.plan(source, site, ledger.read(conn, site), trust)


def _run_together(conn: Connection, text: str) -> None:
    with conn.transaction():
        conn.execute(script.PRELUDE)
        take_turn(conn)
        conn.execute(text.encode())


class _Runner:
    def __init__(self, conn: Connection, conninfo: str, source: Source, trust: Trust, patience: float) -> None:
        self._conn = conn
        self._conninfo = conninfo
        self._source = source
        self._trust: Trust = trust
        self._patience = patience

    def run(self, told: Callable[[str], None]) -> Report:
        done: list[str] = []
        with explain_errors("plan"):
            due = self._find_due()
        while due.steps:
            if self._advance(due):
                done.append(due.steps[0])
                told(due.steps[0])
            with explain_errors("plan"):
                due = self._find_due()
        return Report(max(due.found, due.wanted), tuple(done), due.ahead)

    def _find_due(self) -> Plan:
        return _plan(self._conn, self._source, self._trust)

    def _advance(self, due: Plan) -> bool:
        step = due.steps[0]
        with explain_errors(step):
            if not due.ground and due.migrations and not due.migrations[0].transactional:
                return self._run_outside(due.migrations[0])
            return retry(step, self._patience, lambda: self._run_inside(step))

    def _run_inside(self, step: str) -> bool:
        """Run `step` if it is still the next one when it is our turn."""
        with self._conn.transaction():
            self._conn.execute(script.PRELUDE)
            take_turn(self._conn)
            due = self._find_due()
            if due.steps[:1] != [step]:
                return False
            self._conn.execute(steps.next_sql(self._source, due, self._trust).encode())
            return True

    def _run_outside(self, step: Migration) -> bool:
        with concurrently.turn(self._conninfo, step.name, self._patience):
            if self._find_due().steps[:1] != [step.name]:
                return False
            for statement in script.outside(step):
                retry(step.name, self._patience, lambda statement=statement: concurrently.run(self._conn, statement))
            with self._conn.transaction():
                self._conn.execute(script.record(step, self._trust).encode())
            return True
