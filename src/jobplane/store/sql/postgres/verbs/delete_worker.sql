-- delete_worker: forget a worker that has not been seen for a minute; its leases, if it left any, are the reaper's
-- out: nothing. A worker that is not there is refused, and so is one that gives signs of life: it would register again
-- owner: engine
-- for: admin
create or replace function jobplane.delete_worker(p_worker_id text) returns void
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
declare
  v_worker record;
begin
  select w.hostname, w.last_seen_at into v_worker from jobplane.workers w where w.worker_id = p_worker_id for update;
  if not found then
    raise exception 'There is no worker "%".', p_worker_id using errcode = 'JP021';
  elsif v_worker.last_seen_at > jobplane.clock() - interval '60 s' then
    raise exception 'Cannot delete worker "%": it was seen within the last minute. Stop it first.', p_worker_id using errcode = 'JP022';
  end if;
  perform jobplane.deregister_worker(p_worker_id);
  perform jobplane.audit('deleteWorker', null, array[p_worker_id], p_facts => jsonb_build_object('hostname', v_worker.hostname));
end $$;
