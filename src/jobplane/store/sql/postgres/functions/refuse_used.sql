-- refuse_used: refuse to delete queues of which one is in use; one statement, so that no job moves from table to table meanwhile
-- for: engine
create or replace function jobplane.refuse_used(p_names text[]) returns void language plpgsql volatile as $$
declare
  v_queue record;
begin
  select u.* into v_queue from (
    select q.name, case when q.name in ('default', 'system') then 'jobplane'
                        when exists (select from jobplane.ready r where r.queue_id = q.queue_id and r.seq > 0)
                          or exists (select from jobplane.held h where h.queue_id = q.queue_id)
                          or exists (select from jobplane.upcoming u where u.queue_id = q.queue_id)
                          or exists (select from jobplane.leases l where l.queue_id = q.queue_id) then 'jobs'
                        when exists (select from jobplane.definitions d where d.queue_id = q.queue_id) then 'definitions'
                        when exists (select from jobplane.workers w where q.name = any (w.queues) and w.last_seen_at > jobplane.clock() - interval '60 s') then 'workers'
                   end as used_by
      from jobplane.queues q where q.name = any (p_names)) u
   where u.used_by is not null order by u.name limit 1;
  if found then
    raise exception 'Cannot delete queue "%": %', v_queue.name, case v_queue.used_by
      when 'jobplane' then 'jobplane needs it.'
      when 'jobs' then 'it has waiting or running jobs. Cancel them, or wait until they have ended.'
      when 'definitions' then 'a definition names it. Give the definition another queue first.'
      else 'a live worker serves it. Stop the worker first.' end
      using errcode = 'JP019', detail = jsonb_build_object('queue', v_queue.name, 'used_by', v_queue.used_by);
  end if;
end $$;
