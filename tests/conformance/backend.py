"""What the suite knows of the backend under test: which features it has, and how to look behind the verbs."""

from __future__ import annotations

from typing import Final, Protocol

from tests.database import Database

FEATURES: Final = frozenset({"rls", "notify", "roles"})

_STATES: Final = ("ready", "held", "upcoming", "leases", "endings")
_EACH_STATE: Final = " union all ".join(f"select seq, '{state}' as state from jobplane.{state}" for state in _STATES)
_FAULTS: Final = f"""
select concat('job ', coalesce(j.seq, s.seq), ' is in ', coalesce(string_agg(s.state, ' and '), 'no state'))
  from jobplane.jobs j full join ({_EACH_STATE}) s using (seq)
 group by j.seq, s.seq having count(s.seq) <> 1 or count(j.seq) <> 1
union all
select concat('limit ', limit_key, ' has used ', l.used, ' for ', n.leases, ' leases') from jobplane.limits l
  full join (select k as limit_key, count(*) as leases from jobplane.leases, unnest(limit_keys) k group by 1) n
  using (limit_key)
 where coalesce(l.used, 0) <> coalesce(n.leases, 0)
union all
select concat('the dedupe key ', d.dedupe_key, ' belongs to job ', d.seq, ', which has ended or never was')
  from jobplane.dedupe d
 where not exists (select from jobplane.jobs j join ({_EACH_STATE}) s using (seq)
                    where s.state <> 'endings' and j.seq = d.seq and j.tenant_id = d.tenant_id
                      and j.dedupe_key = d.dedupe_key)
union all
select concat('job ', j.seq, ' is active and does not hold its dedupe key')
  from jobplane.jobs j join ({_EACH_STATE}) s using (seq)
 where s.state <> 'endings' and j.dedupe_key is not null
   and not exists (select from jobplane.dedupe d where d.tenant_id = j.tenant_id and d.seq = j.seq)
union all
select concat('the idempotency key ', r.idempotency_key, ' belongs to no job') from jobplane.receipts r
 where not exists (select from jobplane.jobs j where j.seq = r.seq)
"""


class Audit(Protocol):
    """A look behind the verbs."""

    def faults(self) -> list[str]:
        """What breaks the rules that hold after every call; `one_state` is the first of them."""
        ...


class PostgresAudit:
    def __init__(self, database: Database) -> None:
        self._database = database

    def faults(self) -> list[str]:
        return [row[0] for row in self._database.peek(_FAULTS)]
