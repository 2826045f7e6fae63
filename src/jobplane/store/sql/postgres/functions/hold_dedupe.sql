-- hold_dedupe: take a dedupe key for a job, or find who has it. First insert, then look: a new statement sees who was first; if that one ended meanwhile the
-- key is free, and we try again.
-- out: null: the key is ours; else the seq of the job that holds it
create or replace function jobplane.hold_dedupe(p_tenant uuid, p_dedupe_key text, p_seq bigint) returns bigint language plpgsql volatile as $$
declare
  v_holder bigint;
begin
  for v_round in 1..20 loop
    insert into jobplane.dedupe (tenant_id, dedupe_key, seq) values (p_tenant, p_dedupe_key, p_seq) on conflict do nothing;
    if found then return null; end if;
    select d.seq into v_holder from jobplane.dedupe d where d.tenant_id = p_tenant and d.dedupe_key = p_dedupe_key;
    if found then return v_holder; end if;
  end loop;
  raise exception 'Too many calls use the dedupe key "%" at once. Try again.', left(p_dedupe_key, 200) using errcode = '40001';
end $$;
