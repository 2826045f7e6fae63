-- meet_duplicate: what an enqueue does to the active job that holds its dedupe key: leave it, give it the new payload, or put it off. Only a waiting job changes.
-- out: existing | replaced | postponed; null: it has ended or is gone, the key is free again
create or replace function jobplane.meet_duplicate(p_tenant uuid, p_seq bigint, p_on_duplicate text, p_payload jsonb, p_scheduled_for timestamptz) returns text
language plpgsql volatile as $$
declare
  v_row jobplane.upcoming;
begin
  if p_on_duplicate = 'return' then return 'existing'; end if;
  for v_round in 1..100 loop
    select * into v_row from jobplane.take_waiting(p_tenant, p_seq);
    if found then
      if p_on_duplicate = 'replace' then
        update jobplane.jobs set payload = p_payload, changed_at = jobplane.clock() where seq = p_seq;
      else
        v_row.scheduled_for := p_scheduled_for;
        update jobplane.jobs set changed_at = jobplane.clock() where seq = p_seq;
      end if;
      insert into jobplane.upcoming select v_row.*;
      return case p_on_duplicate when 'replace' then 'replaced' else 'postponed' end;
    end if;
    perform from jobplane.leases where seq = p_seq;
    if found then return 'existing'; end if;
    if jobplane.ending_of(p_tenant, p_seq) is not null or not exists (select from jobplane.jobs where seq = p_seq) then return null; end if;
  end loop;
  raise exception 'The job changed state too often during the call. Try again.' using errcode = '40001';
end $$;
