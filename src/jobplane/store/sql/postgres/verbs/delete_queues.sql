-- delete_queues: delete queues that nothing uses; their ended jobs still show the name, and put_queues brings a queue back
-- out: the names that were deleted; one that is not there is left out. A queue in use refuses the whole call: one with waiting or running jobs, one that a
--      definition names or a live worker serves, and default and system, which jobplane needs. Busy (55P03) while a transaction that enqueues is open
-- owner: engine
-- for: admin
create or replace function jobplane.delete_queues(p_names text[]) returns setof text
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
#variable_conflict use_column
declare
  v_done text[];
begin
  perform set_config('lock_timeout', '200ms', true);
  begin
    lock table jobplane.deleted_queues in share update exclusive mode;              -- one call at a time: two that had looked would deadlock
    perform jobplane.refuse_used(p_names);                                          -- without the lock that others wait for
    -- Whoever puts a job into a queue has read this table, and keeps its weakest lock on it until the end of the transaction. So the strongest one comes
    -- after all such transactions, at no cost to them. Those that begin now wait for this call: not for long.
    lock table jobplane.queues in access exclusive mode;
  exception when lock_not_available then
    raise exception 'Cannot delete queues while a transaction that may enqueue into them is open. Try again.' using errcode = '55P03';
  end;
  perform jobplane.refuse_used(p_names);
  with q as (delete from jobplane.queues q where q.name = any (p_names) returning q.queue_id, q.name),
  d as (insert into jobplane.deleted_queues (queue_id, name) select q.queue_id, q.name from q order by q.name returning name)
  select array_agg(name) into v_done from d;
  perform jobplane.audit('deleteQueue', null, v_done) where v_done is not null;
  return query select unnest(v_done);
end $$;
