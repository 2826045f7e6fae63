"""What every limit counted at every moment: each change of `used` is written down under the lock that guards it."""

from __future__ import annotations

from tests.races.stage import Stage

_OPEN = """
create schema ledger;
create table ledger.entries (limit_key text not null, used int not null);
grant usage on schema ledger to public;
grant select, insert on ledger.entries to public;
create function ledger.enter() returns trigger language plpgsql as
'begin insert into ledger.entries values (new.limit_key, new.used); return null; end';
do $$
begin
  execute format('set local role %I',
    (select tableowner from pg_tables where schemaname = 'jobplane' and tablename = 'limits'));
  create trigger ledger after insert or update on jobplane.limits for each row execute function ledger.enter();
end $$;
"""
_OVERLAP = """
select coalesce(max(n), 0) from (
  select sum(step) over (order by at, step rows unbounded preceding) as n from (
    select a.started_at as at, 1 as step from jobplane.attempts a join jobplane.jobs j using (seq) where {where}
    union all
    select a.finished_at, -1 from jobplane.attempts a join jobplane.jobs j using (seq) where {where}) events) x
"""


class Ledger:
    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        stage.db.own(_OPEN)

    def peaks(self) -> dict[str, int]:
        """The most that each limit ever counted, those that rolled back left out."""
        return dict(self._stage.probe.run("select limit_key, max(used) from ledger.entries group by 1"))

    def at_the_same_time(self, where: str) -> int:
        """The most attempts that ran at once, by what is on record of them; `j` is the job, `a` the attempt."""
        return int(self._stage.probe.run(_OVERLAP.format(where=where))[0][0])
