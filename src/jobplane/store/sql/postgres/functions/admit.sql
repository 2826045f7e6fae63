-- admit: rows into ready, each with a new tag. An old one means nothing after an hour in held or upcoming. Wakes whoever waits for them.
-- Hash joins, also where the caller forbids them: a batch may have a thousand rows of as many lanes.
create or replace function jobplane.admit(p_rows jobplane.ready[]) returns int language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = on set enable_mergejoin = on as $$
#variable_conflict use_column
begin
  with r as materialized (
    select *, row_number() over (partition by queue_id, priority, tenant_id order by tag, seq) as place from unnest(p_rows)),
  lane as materialized (
    select l.*, jobplane.find_tail(l.queue_id, l.priority, l.tenant_id, coalesce(c.v, 0), 1000000 / t.weight, l.n) as base, 1000000 / t.weight as step
      from (select queue_id, priority, tenant_id, count(*) as n from r group by 1, 2, 3) l
      join jobplane.tenants t using (tenant_id)
      left join jobplane.clocks c using (queue_id, priority)),
  n as (select r.*, lane.base + lane.step * r.place as new_tag from r join lane using (queue_id, priority, tenant_id))
  /*statement:insert_ready*/;
  perform jobplane.wake(queue_id) from jobplane.queues
    where queue_id = any (array(select distinct queue_id from unnest(p_rows))) and wanted_until > jobplane.clock();
  return coalesce(cardinality(p_rows), 0);
end $$;
