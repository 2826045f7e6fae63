-- sync_definitions: bring the definitions of an app's code. What a person has set stays; what is no longer in the app's code is switched off
-- in:  app and version ('': has none); order: the version as a text that sorts, null where it sorts as it is; documents as put_definitions takes them, and the
--      digest of each; force: set also what people have set, and take definitions of other apps; whole: the documents are all that the app has; dry_run: write
--      nothing
-- out: key, outcome (created | changed | unchanged | kept | deleted_from_code | restored), changes {field: {from, to}}, and the fields that were left because a
--      person has set them. A version older than the app's changes nothing (kept). A definition of another app refuses the whole call; an app without a name
--      leaves it as it is (kept), and never switches anything off. A key of a command refuses the whole call. Queues that a document names and that are not there are made.
-- owner: engine
-- for: worker, scheduler, admin
create or replace function jobplane.sync_definitions(p_app text, p_version text, p_order text, p_definitions jsonb[], p_digests text[], p_force boolean default false,
                                                     p_whole boolean default true, p_dry_run boolean default false)
returns table (key text, outcome text, changes jsonb, left_alone text[])
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_doc    jsonb;
  v_digest text;
  v_found  boolean;
  v_older  boolean := false;
  v_before text;
  v_synced text[] := '{}';
  v_old    jobplane.definitions;
  v_new    jobplane.definitions;
  v_said   jsonb;
begin
  if length(p_app) > 200 or length(p_version) > 200 or p_app is null or p_version is null then
    raise exception 'The name and the version of an app are texts of up to 200 characters.' using errcode = 'JP002';
  end if;
  perform jobplane.lock_gates();
  if p_app <> '' then                                                  -- by the primary key: all of them
    select coalesce(bool_or(jobplane.is_older(p_version, p_order, d.app_version, d.app_version_order)), false), nullif(max(d.app_version), '') into v_older, v_before
      from jobplane.definitions d where d.definition_id > 0 and d.app = p_app;
  end if;
  for v_doc, v_digest in select s.doc, s.digest from unnest(p_definitions, p_digests) s(doc, digest) order by s.doc ->> 'key' loop
    perform jobplane.check_definition(v_doc);
    select * into v_old from jobplane.definitions d where d.key = v_doc ->> 'key' for update;
    v_found := found;
    key := v_doc ->> 'key';
    changes := '{}';
    left_alone := '{}';
    if v_older or v_found and v_old.app = p_app and jobplane.is_older(p_version, p_order, v_old.app_version, v_old.app_version_order)
       or v_found and v_old.app <> '' and p_app = '' and not p_force then
      outcome := 'kept';
      return next;
      continue;
    end if;
    if v_found and v_old.app <> '' and v_old.app <> p_app and not p_force then
      raise exception 'Definition "%" belongs to app "%". Use another key, or sync with force to take it.', key, v_old.app
        using errcode = 'JP032', detail = jsonb_build_object('key', key, 'app', v_old.app);
    end if;
    perform jobplane.refuse_command(v_old);
    if v_doc ->> 'queue' is not null and not exists (select from jobplane.queues q where q.name = v_doc ->> 'queue') then
      perform jobplane.put_queues(array[v_doc ->> 'queue']);
    end if;
    if not v_found then
      v_old := jobplane.insert_definition(v_doc);
    end if;
    v_new := jobplane.synced_definition(v_old, v_doc, p_force);
    v_new.app := p_app;
    v_new.definition_hash := v_digest;
    if v_new is distinct from v_old then
      perform jobplane.write_definition(v_new, not v_found);
    end if;
    if v_found then
      changes := jobplane.definition_changes(v_old, v_new);
      v_said := jobplane.definition_document(jobplane.changed_definition(jobplane.without_command(v_old), v_doc));
      left_alone := array(select f from unnest(v_new.overridden) f where v_doc ? f and v_said -> f <> jobplane.definition_document(v_new) -> f order by f);
    end if;
    outcome := case when not v_found then 'created' when v_old.deleted_from_code or v_old.deleted_at is not null then 'restored'
                    when changes <> '{}' then 'changed' else 'unchanged' end;
    v_synced := v_synced || key;
    return next;
  end loop;
  if not v_older then
    if p_app <> '' and p_whole then
      for v_old in select d.* from jobplane.definitions d where d.definition_id > 0 and d.app = p_app and d.origin = 'code' and not d.deleted_from_code
                      and d.key <> all (v_synced) order by d.key for update loop
        v_new := v_old;
        v_new.deleted_from_code := true;
        v_new.active := false;
        perform jobplane.write_definition(v_new, false);
        key := v_old.key;
        outcome := 'deleted_from_code';
        changes := jobplane.definition_changes(v_old, v_new);
        left_alone := '{}';
        return next;
      end loop;
    end if;
    if p_version <> '' then
      update jobplane.definitions d set app_version = p_version, app_version_order = p_order
       where d.definition_id > 0 and d.app = p_app and (p_app <> '' or d.key = any (v_synced)) and d.app_version <> p_version;
      if p_app <> '' and v_before is distinct from p_version then
        perform jobplane.audit('syncDefinitions', null, v_synced, null, null, jsonb_build_object('app', p_app, 'from', v_before, 'to', p_version));
      end if;
    end if;
  end if;
  if p_dry_run then raise exception 'Nothing is written.' using errcode = 'DRY01'; end if;
exception
  when sqlstate 'DRY01' then
    return;
  when check_violation or not_null_violation or invalid_text_representation or numeric_value_out_of_range or datatype_mismatch then
    raise exception 'Definition % has an invalid value. The detail says which.', coalesce('"' || left(v_doc ->> 'key', 200) || '"', 'without a key') using errcode = 'JP002', detail = sqlerrm;
end $$;
