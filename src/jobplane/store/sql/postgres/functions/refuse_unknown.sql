-- refuse_unknown: a document of changes names only what can be changed
create or replace function jobplane.refuse_unknown(p_changes jsonb, p_known text[]) returns void language plpgsql immutable as $$
declare
  v_unknown text;
begin
  if p_changes is null or jsonb_typeof(p_changes) <> 'object' then
    raise exception 'The document must be a JSON object.' using errcode = 'JP002';
  end if;
  select string_agg('"' || left(k, 200) || '"', ', ' order by k collate "C") into v_unknown from jsonb_object_keys(p_changes) k where k <> all (p_known);
  if v_unknown is not null then
    raise exception 'Unknown field: %. Known fields: %.', v_unknown, array_to_string(p_known, ', ') using errcode = 'JP002';
  end if;
end $$;
