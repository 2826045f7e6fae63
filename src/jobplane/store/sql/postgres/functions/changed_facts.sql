-- changed_facts: a job's facts with some of them changed, each judged as at enqueue
create or replace function jobplane.changed_facts(p_job jobplane.jobs, p_changes jsonb) returns jobplane.jobs language plpgsql volatile as $$
declare
  v_unknown text;
  v_fault   text;
begin
  select string_agg('"' || left(k, 200) || '"', ', ' order by k collate "C") into v_unknown from jsonb_object_keys(p_changes) k
   where k not in ('payload', 'priority', 'queue', 'max_attempts', 'timeout_seconds', 'expires_at', 'tags', 'metadata');
  if v_unknown is not null then
    raise exception 'Cannot edit % of a job. Name payload, priority, queue, max_attempts, timeout_seconds, expires_at, tags or metadata.', v_unknown using errcode = 'JP002';
  end if;
  if p_changes ? 'payload' then
    v_fault := jobplane.payload_fault(p_changes -> 'payload');
    if v_fault is not null then raise exception using message = v_fault, errcode = 'JP003'; end if;
    p_job.payload := p_changes -> 'payload';
  end if;
  v_fault := jobplane.facts_fault((p_changes ->> 'priority')::int, (p_changes ->> 'max_attempts')::int, (p_changes ->> 'timeout_seconds')::int, null, null,
                                  nullif(p_changes -> 'tags', 'null'), nullif(p_changes -> 'metadata', 'null'), null);
  if v_fault is not null then raise exception using message = v_fault, errcode = 'JP002'; end if;
  p_job.priority := coalesce((p_changes ->> 'priority')::smallint, p_job.priority);
  p_job.max_attempts := coalesce((p_changes ->> 'max_attempts')::smallint, p_job.max_attempts);
  if p_changes ? 'timeout_seconds' then p_job.timeout_seconds := (p_changes ->> 'timeout_seconds')::int; end if;
  if p_changes ->> 'expires_at' !~ '^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)$'
     or jobplane.due_time((p_changes ->> 'expires_at')::timestamptz, null, null) is null and p_changes ->> 'expires_at' is not null then
    raise exception 'The expires_at must be a time between the years 2000 and 9999 with a time zone, like 2026-11-15T12:00:00Z.' using errcode = 'JP002';
  end if;
  if p_changes ? 'expires_at' then p_job.expires_at := jobplane.due_time((p_changes ->> 'expires_at')::timestamptz, null, null); end if;
  if p_changes ? 'tags' then p_job.tags := array(select jsonb_array_elements_text(nullif(p_changes -> 'tags', 'null'))); end if;
  if p_changes ? 'metadata' then p_job.metadata := nullif(p_changes -> 'metadata', 'null'); end if;
  if p_changes ->> 'queue' is not null then
    select q.queue_id into p_job.queue_id from jobplane.queues q where q.name = p_changes ->> 'queue';
    if not found then raise exception 'There is no queue "%". Check the spelling, or create it first.', left(p_changes ->> 'queue', 200) using errcode = 'JP006'; end if;
  end if;
  return p_job;
exception when invalid_text_representation or invalid_datetime_format or numeric_value_out_of_range or datetime_field_overflow then
  raise exception 'A change has a value of the wrong type. The detail says which.' using errcode = 'JP002', detail = sqlerrm;
end $$;
