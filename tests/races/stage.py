"""A database with its cast: alice and charlie, two tenants, and one plain definition, `d`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import LiteralString, TypeVar, cast
from uuid import UUID

from tests.database import Database
from tests.races.hands import Admin, App, Connection, Hand, Worker
from tests.races.waiting import Later

T = TypeVar("T")
STATES = ("ready", "held", "upcoming", "leases", "endings")

_FAST = """
create or replace function jobplane.clock() returns timestamptz language sql volatile as
$$ select timestamptz '2026-01-01Z' + (clock_timestamp() - timestamptz '{start}') * {factor} $$
"""
_NOT_ONE_STATE = f"""
select j.seq, array_agg(s.state) from jobplane.jobs j
  left join ({" union all ".join(f"select seq, '{state}' as state from jobplane.{state}" for state in STATES)}) s
 using (seq)
 group by j.seq having count(s.seq) <> 1
"""
_MISCOUNTED = """
select l.limit_key, l.used, n.leases from jobplane.limits l
  full join (select k as limit_key, count(*) as leases from jobplane.leases, unnest(limit_keys) k group by 1) n
 using (limit_key)
 where coalesce(l.used, 0) <> coalesce(n.leases, 0)
"""


class Stage:
    def __init__(self, db: Database) -> None:
        self.db = db
        self.probe = Hand(db.connect("owner"))
        self.probe.conn.execute("set role jobplane_engine")
        self.admin = Admin(db.connect("admin"))
        self.alice = self.admin.tenant("alice")
        self.charlie = self.admin.tenant("charlie")
        self.admin.define("d", backoff={"base": 0, "jitter": 0})

    def app(self, tenant: UUID | None = None, *, in_transaction: bool = False) -> App:
        """alice's application, unless another tenant is named."""
        return App(self._connect("app", in_transaction), tenant or self.alice)

    def worker(self, *, in_transaction: bool = False, never_waits: bool = False) -> Worker:
        """One that never waits gets an error where it would have to wait for a lock."""
        return Worker(self._connect("worker", in_transaction, "50ms" if never_waits else "20s"))

    def _connect(self, role: str, in_transaction: bool, lock_timeout: str = "20s") -> Connection:
        conn = self.db.connect(role)
        conn.execute(cast("LiteralString", f"set lock_timeout = '{lock_timeout}'"))
        conn.autocommit = not in_transaction
        return conn

    def hasten(self, factor: int) -> None:
        """The database's clock runs that many times as fast from now on."""
        start = self.probe.run("select clock_timestamp()::text")[0][0]
        self.db.own(_FAST.format(start=start, factor=factor))

    def later(self, hand: Hand, call: Callable[[], T]) -> Later[T]:
        """Start the call on that hand's connection in a thread of its own."""
        return Later(self.probe, hand, call)

    def status(self, job_id: UUID) -> str:
        """The table that holds the job, or how it ended."""
        states = " union all ".join(
            f"select seq, {'status::text' if state == 'endings' else repr(state)} as status from jobplane.{state}"
            for state in STATES
        )
        found = self.probe.run(f"select status from jobplane.jobs join ({states}) s using (seq) where id = %s", job_id)
        assert len(found) == 1, f"{job_id} is in {found}"
        return found[0][0]

    def count(self, table: str, where: str = "true") -> int:
        return self.probe.run(f"select count(*) from jobplane.{table} where {where}")[0][0]

    def endings(self) -> Counter[str]:
        return Counter(dict(self.probe.run("select status::text, count(*)::int from jobplane.endings group by 1")))

    def assert_whole(self) -> None:
        """Each job is in one state, and each limit counts its leases."""
        assert self.probe.run(_NOT_ONE_STATE) == []
        self.assert_counted()

    def assert_counted(self) -> None:
        """At any moment: the slot and the lease come and go in one transaction."""
        assert self.probe.run(_MISCOUNTED) == []
