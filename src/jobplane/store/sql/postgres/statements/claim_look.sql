-- claim_look: the next rows of a lane with what every gate says of each: keys to count against, or what shuts it. The key of a job decides to which definition it
-- belongs, so it is looked up where the row's id is that of no definition, or of one that the claimer does not know. A claimer that names no definitions knows no
-- command. A command that the claimer does not know has the reason policy_mismatch, until the caller has asked the workers
-- params: v_queue int, v_priority smallint, v_from bigint, v_n int, v_passed tid[], v_knows int[], v_now timestamptz
-- into: v_batch, v_roomy
select array_agg(row(
         r.tid, r.tag,
         array_remove(array[case when t.max_in_flight is not null then 't/' || r.tenant_id end,
                            case when d.max_running is not null then 'd/' || r.definition_id end,
                            case when d.max_running_per_tenant is not null then 'dt/' || r.definition_id || '/' || r.tenant_id end], null),
         array_remove(array[t.max_in_flight, d.max_running, d.max_running_per_tenant], null),
         case when t.paused_at is not null then 't/' || r.tenant_id
              when g.key is not null then 'g/' || g.key
              when not d.active then 'd/' || r.definition_id
              when coalesce(r.definition_id <> all (v_knows), d.kind = 'command') then 'w/' || r.definition_id end,
         case when t.paused_at is not null then 'tenant_paused'
              when g.key is not null then 'definition_gone'
              when not d.active then 'definition_inactive'
              when coalesce(r.definition_id <> all (v_knows), d.kind = 'command') then
                case when d.kind is null then 'unbound' when d.kind = 'command' then 'policy_mismatch' else 'no_worker' end end,
         (r.expires_at <= v_now) is true)::jobplane.candidate order by r.tag),
       bool_and(t.paused_at is null and g.key is null and d.active and coalesce(r.definition_id = any (v_knows), d.kind is distinct from 'command') and (r.expires_at <= v_now) is not true)
  into v_batch, v_roomy
  from (select ctid as tid, seq, tag, tenant_id, definition_id, expires_at from jobplane.ready
         where queue_id = v_queue and priority = v_priority and seq > 0 and tag >= v_from and ctid <> all (v_passed)
         order by tag limit v_n for update skip locked) r
  cross join lateral (select * from jobplane.tenants where tenant_id = r.tenant_id offset 0) t
  left join lateral (select * from jobplane.definitions where definition_id = r.definition_id offset 0) d on true
  left join lateral (select left(j.definition_key, 200) as key from jobplane.jobs j
                      where j.seq = r.seq and (d.definition_id is null or r.definition_id <> all (v_knows)) and j.definition_key is distinct from d.key offset 0) g on true;
