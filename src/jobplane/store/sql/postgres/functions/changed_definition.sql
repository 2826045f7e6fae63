-- changed_definition: a definition with what a document names changed; null takes a limit, a timeout or a retention away. A command is replaced as a whole, and makes a
-- definition of the kind command; code has none
create or replace function jobplane.changed_definition(p_old jobplane.definitions, p_doc jsonb) returns jobplane.definitions language plpgsql volatile as $$
declare
  v_new     jobplane.definitions := p_old;
  v_backoff constant jsonb := coalesce(p_doc -> 'backoff', '{}');
begin
  if p_doc ? 'kind' then v_new.kind := p_doc ->> 'kind'; end if;
  v_new.description := coalesce(p_doc ->> 'description', p_old.description);
  v_new.arg_schema := coalesce(nullif(p_doc -> 'arg_schema', 'null'), p_old.arg_schema);
  if octet_length(v_new.arg_schema::text) > 65536 then
    raise exception 'The arg_schema must have at most 65536 bytes.' using errcode = 'JP002';
  end if;
  if jsonb_path_exists(p_doc -> 'arg_schema', '$.** ? (@."$ref".type() == "string" && !(@."$ref" like_regex "^#(/|$)")
                                                    || @."$dynamicRef".type() == "string" && !(@."$dynamicRef" like_regex "^#(/|$)")
                                                    || @."$recursiveRef".type() == "string" && !(@."$recursiveRef" like_regex "^#(/|$)"))') then
    raise exception 'Definition "%" cannot have this arg_schema: it refers to something outside the schema. Use references that begin with #/.', p_old.key
      using errcode = 'JP018';
  end if;
  if p_doc ->> 'queue' is not null then
    select q.queue_id into v_new.queue_id from jobplane.queues q where q.name = p_doc ->> 'queue';
    if not found then
      raise exception 'There is no queue "%". Check the spelling, or create it first.', left(p_doc ->> 'queue', 200) using errcode = 'JP006';
    end if;
  end if;
  v_new.priority := coalesce((p_doc ->> 'priority')::smallint, p_old.priority);
  v_new.max_attempts := coalesce((p_doc ->> 'max_attempts')::smallint, p_old.max_attempts);
  if p_doc ? 'timeout_seconds' then v_new.timeout_seconds := (p_doc ->> 'timeout_seconds')::int; end if;
  v_new.backoff_base := coalesce((v_backoff ->> 'base')::real, p_old.backoff_base);
  v_new.backoff_factor := coalesce((v_backoff ->> 'factor')::real, p_old.backoff_factor);
  v_new.backoff_cap := coalesce((v_backoff ->> 'cap')::real, p_old.backoff_cap);
  v_new.backoff_jitter := coalesce((v_backoff ->> 'jitter')::real, p_old.backoff_jitter);
  if p_doc ? 'max_running' then v_new.max_running := (p_doc ->> 'max_running')::int; end if;
  if p_doc ? 'max_running_per_tenant' then v_new.max_running_per_tenant := (p_doc ->> 'max_running_per_tenant')::int; end if;
  if p_doc ? 'retention_days' then v_new.retention_days := (p_doc ->> 'retention_days')::int; end if;
  if p_doc ? 'retention_days_logs' then v_new.retention_days_logs := (p_doc ->> 'retention_days_logs')::int; end if;
  if p_doc ? 'retention_count' then v_new.retention_count := (p_doc ->> 'retention_count')::int; end if;
  v_new.active := coalesce((p_doc ->> 'active')::boolean, p_old.active);
  v_new.origin := coalesce(p_doc ->> 'origin', p_old.origin);
  if p_doc ? 'tags' then v_new.tags := array(select jsonb_array_elements_text(p_doc -> 'tags')); end if;
  v_new.system := coalesce((p_doc ->> 'system')::boolean, p_old.system);
  v_new.metadata := coalesce(nullif(p_doc -> 'metadata', 'null'), p_old.metadata);
  if p_doc ? 'default_payload' then v_new.default_payload := nullif(p_doc -> 'default_payload', 'null'); end if;
  v_new.isolation := coalesce(p_doc ->> 'isolation', p_old.isolation);
  v_new.on_lost_contact := coalesce(p_doc ->> 'on_lost_contact', p_old.on_lost_contact);
  if coalesce(p_doc -> 'command', 'null') <> 'null' then
    if octet_length(p_doc ->> 'command') > 131072 then    -- with the spaces that jsonb writes; Python counts without them
      raise exception 'The command must have at most 65536 bytes.' using errcode = 'JP002';
    elsif v_new.origin <> 'db' then
      raise exception 'Definition "%" cannot have a command: its origin is %. Use another key.', p_old.key, v_new.origin using errcode = 'JP002';
    elsif v_new.kind <> 'command' then
      raise exception 'Definition "%" cannot have a command: its kind is %. Use another key.', p_old.key, v_new.kind using errcode = 'JP002';
    end if;
    v_new.command := p_doc -> 'command';
    v_new.kind := 'command';
  elsif v_new.kind is not distinct from 'command' then
    if v_new.command is null then
      raise exception 'Definition "%" of the kind command needs a command.', p_old.key using errcode = 'JP002';
    end if;
  elsif p_old.kind = 'command' then
    raise exception 'Definition "%" is a command, and stays one. Use another key, or delete it first.', p_old.key using errcode = 'JP002';
  else
    v_new.command := null;                                -- no verb has written it
  end if;
  return v_new;
end $$;
