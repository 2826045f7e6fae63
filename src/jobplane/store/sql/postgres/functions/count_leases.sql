-- count_leases: leases that began before a limit was set count against it too. Called by who holds the claims off, so that none is made meanwhile. A renewal that
-- has one locked is waited for, 250 ms at most; a cancel in an application's open transaction is not: all claims would stand behind it, so that
-- lease is not counted.
create or replace function jobplane.count_leases(p_keys text[], p_seqs bigint[]) returns void language plpgsql volatile as $$
declare
  v_until constant timestamptz := clock_timestamp() + interval '250 ms';
begin
  loop
    with c as materialized (
      select l.ctid as tid, x.key from unnest(p_seqs, p_keys) x(seq, key), lateral (select l.ctid, l.limit_keys from jobplane.leases l where l.seq = x.seq for update skip locked) l
       where l.limit_keys is null or x.key <> all (l.limit_keys)),
    u as (update jobplane.leases l set limit_keys = l.limit_keys || c.key from c where l.ctid = c.tid returning c.key)
    insert into jobplane.limits (limit_key, used) select key, count(*) from u group by key order by key collate "C"
    on conflict (limit_key) do update set used = limits.used + excluded.used;
    exit when clock_timestamp() > v_until or not exists (
      select from unnest(p_seqs, p_keys) x(seq, key) join jobplane.leases l on l.seq = x.seq where l.limit_keys is null or x.key <> all (l.limit_keys));
    perform pg_sleep(0.01);
  end loop;
end $$;
