-- let_go: give up the keys that a refused row has taken
create or replace function jobplane.let_go(p_tenant uuid, p_seq bigint, p_dedupe_key text, p_definition_id int, p_idempotency_key text) returns void language sql volatile as $$
  delete from jobplane.dedupe d where d.tenant_id = p_tenant and d.dedupe_key = p_dedupe_key and d.seq = p_seq;
  delete from jobplane.receipts r where r.tenant_id = p_tenant and r.definition_id = p_definition_id and r.idempotency_key = p_idempotency_key and r.seq = p_seq;
$$;
