-- list_audit: what callers did, the newest first, of one tenant or of all
-- in:  a tenant, or null for all; limit (1 to 1000); the id before which to begin; an action; an actor by id, or as type:id; a target; since and until: times
-- out: the row, digests in hex, and its cursor. A look ends after 10,000 rows: a last row without an id has the cursor where it goes on
-- owner: engine
-- for: admin
create or replace function jobplane.list_audit(p_tenant_id uuid default null, p_limit int default 100, p_before bigint default null, p_action text default null,
                                               p_actor text default null, p_target text default null, p_since timestamptz default null, p_until timestamptz default null)
returns table (audit_id bigint, tenant_id uuid, at timestamptz, actor jsonb, login text, address text, request_id text, action text, targets text[], target_count int,
               before_digest text, after_digest text, facts jsonb, cursor bigint)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_most   constant int := least(greatest(p_limit, 1), 1000);
  v_before constant bigint := coalesce(p_before, 9223372036854775807);
  v_ids    bigint[];
  v_hits   bigint[];
begin
  if p_tenant_id is null then
    v_ids := array(select a.audit_id from jobplane.audit_log a where a.audit_id < v_before order by a.audit_id desc limit 10000);
  else
    v_ids := array(select a.audit_id from jobplane.audit_log a where a.tenant_id = p_tenant_id and a.audit_id < v_before order by a.audit_id desc limit 10000);
  end if;
  v_hits := array(
    select a.audit_id from unnest(v_ids) i, lateral (select * from jobplane.audit_log a where a.audit_id = i offset 0) a
     where (p_action is null or a.action = p_action) and (p_since is null or a.at >= p_since) and (p_until is null or a.at < p_until)
       and (p_target is null or p_target = any (a.targets))
       and (p_actor is null or p_actor in (a.actor ->> 'id', concat(a.actor ->> 'type', ':', a.actor ->> 'id')))
     limit v_most);
  return query
  select a.audit_id, a.tenant_id, a.at, a.actor, a.login, a.address, a.request_id, a.action, a.targets, a.target_count, encode(a.before_digest, 'hex'),
         encode(a.after_digest, 'hex'), a.facts, a.audit_id
    from unnest(v_hits) i, lateral (select * from jobplane.audit_log a where a.audit_id = i offset 0) a;
  -- Rows are as old as their ids say, but for transactions at the same time: nothing that is an hour older than `since` has a newer row behind it.
  if cardinality(v_hits) < v_most and cardinality(v_ids) = 10000
     and (p_since is null or exists (select from jobplane.audit_log a where a.audit_id = v_ids[10000] and a.at > p_since - interval '1 h')) then
    cursor := v_ids[10000];
    return next;
  end if;
end $$;
