-- release_held: up to p_n rows that each gate holds go back to ready. The claim looks again, so one too many does no harm.
-- A row that waited for a slot keeps its tag, because few come at a time; after a pause each row gets a new tag.
create or replace function jobplane.release_held(p_gates text[], p_n int[], p_retag boolean) returns int language plpgsql volatile as $$
#variable_conflict use_column
declare
  v_rows jobplane.ready[];
begin
  with c as materialized (
    select h.tid from unnest(p_gates, p_n) g(gate, n)
     cross join lateral (select ctid as tid from jobplane.held where gate = g.gate order by priority, tag limit g.n for update skip locked) h),
  d as (delete from jobplane.held h using c where h.ctid = c.tid returning h.*)
  select array_agg(row(d.seq, case when p_retag then d.tag else greatest(d.tag, coalesce(k.v, 0)) end, d.tenant_id, d.scheduled_for, d.expires_at, d.queue_id,
                       d.definition_id, d.attempt_no, d.priority, d.attempts_left, d.interruptions, d.deduped, d.alone)::jobplane.ready)
    into v_rows from d left join jobplane.clocks k on k.queue_id = d.queue_id and k.priority = d.priority;
  if v_rows is null then return 0; end if;
  if p_retag then
    return jobplane.admit(v_rows);
  end if;
  with n as (select *, tag as new_tag from unnest(v_rows)) /*statement:insert_ready*/;
  perform jobplane.wake(queue_id) from jobplane.queues
    where queue_id = any (array(select distinct queue_id from unnest(v_rows))) and wanted_until > jobplane.clock();
  return cardinality(v_rows);
end $$;
