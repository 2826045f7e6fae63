-- hold_keys: before a batch is written, take the keys of its rows: first all ids, then all idempotency keys, then all dedupe keys, each in their order, so that two
-- batches with the same keys cannot deadlock each other. A row that finds its key taken waits for that transaction and learns whose it is; a row
-- of the same batch may be that job. Faulty rows hold nothing.
-- out: for each row the id of the job that is there already, and what happened to it: existing | replaced | postponed | idempotency_mismatch |
--      duplicate_job (refused: a job of another definition holds the dedupe key, and replace or postpone would change it)
create or replace function jobplane.hold_keys(
  p_tenant uuid, p_definition_ids int[], p_seqs bigint[], p_ids uuid[], p_given boolean[], p_faults text[], p_dedupe_keys text[], p_on_duplicates text[],
  p_idempotency_keys text[], inout payloads jsonb[], inout scheduled_fors timestamptz[], out holders uuid[], out outcomes text[]) language plpgsql volatile as $$
#variable_conflict use_column
declare
  i         int;
  v_n       constant int := cardinality(p_seqs);
  v_holder  bigint;
  v_mine    int;
  v_receipt jobplane.receipts;
  v_id      uuid;
  v_key     text;
  v_print   bytea;
  v_is_new  boolean;
begin
  holders := array_fill(null::uuid, array[v_n]);
  outcomes := array_fill(null::text, array[v_n]);
  if true = any (p_given) then
    -- The second one with an id waits at the index for the first, also when that one has deleted its row, and learns with its next statement what became of it.
    insert into jobplane.new_ids (tenant_id, id)
    select p_tenant, u.id from unnest(p_ids, p_given) with ordinality u(id, given, ord) where u.given and p_faults[u.ord] is null group by u.id order by u.id
    on conflict do nothing;
    delete from jobplane.new_ids i where i.tenant_id = p_tenant and i.id = any (p_ids);
  end if;
  for i, v_mine in
    select u.ord, min(u.ord) over (partition by u.id) from unnest(p_ids, p_given) with ordinality u(id, given, ord)
     where u.given and p_faults[u.ord] is null order by u.id, u.ord
  loop
    if v_mine < i or exists (select from jobplane.jobs j where j.tenant_id = p_tenant and j.id = p_ids[i]) then
      holders[i] := p_ids[i];
      outcomes[i] := 'existing';
    end if;
  end loop;
  for i in
    select u.ord from unnest(p_idempotency_keys, p_definition_ids) with ordinality u(key, definition_id, ord)
     where u.key is not null and p_faults[u.ord] is null and outcomes[u.ord] is null order by u.definition_id, u.key, u.ord
  loop
    v_print := sha256(convert_to(payloads[i]::text, 'UTF8'));
    for v_round in 1..20 loop
      insert into jobplane.receipts values (p_tenant, p_definition_ids[i], p_idempotency_keys[i], p_seqs[i], v_print) on conflict do nothing;
      v_is_new := found;
      exit when v_is_new;
      select * into v_receipt from jobplane.receipts r
       where r.tenant_id = p_tenant and r.definition_id = p_definition_ids[i] and r.idempotency_key = p_idempotency_keys[i];
      continue when not found;                           -- it has just gone with its job
      v_mine := array_position(p_seqs, v_receipt.seq);
      holders[i] := case when v_mine is null then (select j.id from jobplane.jobs j where j.seq = v_receipt.seq) else p_ids[v_mine] end;
      exit when holders[i] is not null;
      delete from jobplane.receipts r                    -- its job is gone: the key is free
       where r.tenant_id = p_tenant and r.definition_id = p_definition_ids[i] and r.idempotency_key = p_idempotency_keys[i] and r.seq = v_receipt.seq;
    end loop;
    continue when v_is_new;
    if holders[i] is null then
      raise exception 'Too many calls use the idempotency key "%" at once. Try again.', left(p_idempotency_keys[i], 200) using errcode = '40001';
    end if;
    outcomes[i] := case when v_receipt.fingerprint = v_print then 'existing' else 'idempotency_mismatch' end;
  end loop;
  for i in
    select u.ord from unnest(p_dedupe_keys) with ordinality u(key, ord)
     where u.key is not null and p_faults[u.ord] is null and outcomes[u.ord] is null order by u.key, u.ord
  loop
    for v_round in 1..20 loop
      v_holder := jobplane.hold_dedupe(p_tenant, p_dedupe_keys[i], p_seqs[i]);
      exit when v_holder is null;
      v_mine := array_position(p_seqs, v_holder);
      if v_mine is null then
        select j.id, j.definition_key into v_id, v_key from jobplane.jobs j where j.seq = v_holder;
        if not found then                                -- it has ended meanwhile, and is gone
          delete from jobplane.dedupe d where d.tenant_id = p_tenant and d.dedupe_key = p_dedupe_keys[i] and d.seq = v_holder;
          continue;
        end if;
        holders[i] := v_id;
        if p_on_duplicates[i] in ('replace', 'postpone') and v_key is distinct from (select d.key from jobplane.definitions d where d.definition_id = p_definition_ids[i]) then
          outcomes[i] := 'duplicate_job';
        else
          outcomes[i] := jobplane.meet_duplicate(p_tenant, v_holder, coalesce(p_on_duplicates[i], 'return'), payloads[i], scheduled_fors[i]);
        end if;
      elsif p_on_duplicates[i] in ('replace', 'postpone') and p_definition_ids[v_mine] <> p_definition_ids[i] then
        holders[i] := p_ids[v_mine];
        outcomes[i] := 'duplicate_job';
      else
        holders[i] := p_ids[v_mine];
        outcomes[i] := case coalesce(p_on_duplicates[i], 'return') when 'replace' then 'replaced' when 'postpone' then 'postponed' else 'existing' end;
        if p_on_duplicates[i] = 'replace' then payloads[v_mine] := payloads[i]; end if;
        if p_on_duplicates[i] = 'postpone' then scheduled_fors[v_mine] := scheduled_fors[i]; end if;
      end if;
      exit when outcomes[i] is not null;                -- else it has ended meanwhile
      holders[i] := null;
    end loop;
    if outcomes[i] = 'duplicate_job' then                -- refused, and with it each row that would have been answered with it
      perform jobplane.let_go(p_tenant, p_seqs[i], null, p_definition_ids[i], p_idempotency_keys[i]);
      outcomes := array(select case when u.holder = p_ids[i] then 'duplicate_job' else u.outcome end
                          from unnest(holders, outcomes) with ordinality u(holder, outcome, ord) order by u.ord);
    end if;
    if v_holder is not null then holders := array_replace(holders, p_ids[i], holders[i]); end if;      -- who was answered with this row gets the job it met
    if v_holder is not null and p_idempotency_keys[i] is not null and outcomes[i] <> 'duplicate_job' then        -- the receipt speaks of the job that is there
      update jobplane.receipts r set seq = v_holder
       where r.tenant_id = p_tenant and r.definition_id = p_definition_ids[i] and r.idempotency_key = p_idempotency_keys[i];
    end if;
  end loop;
  for i, v_mine in                                      -- a row with the id of an earlier one gets the answer of that one
    select u.ord, u.first
      from (select u.ord, min(u.ord) over (partition by u.id) as first from unnest(p_ids, p_given) with ordinality u(id, given, ord)
             where u.given and p_faults[u.ord] is null) u
     where u.first < u.ord and outcomes[u.first] is not null order by u.ord
  loop
    holders[i] := holders[v_mine];
    if outcomes[v_mine] in ('idempotency_mismatch', 'duplicate_job') then outcomes[i] := outcomes[v_mine]; end if;
  end loop;
end $$;
