-- documents: what a put was given, in the order of the keys, the last document of each key; refuses what no document may name
create or replace function jobplane.documents(p_documents jsonb, p_key text, p_known text[]) returns setof jsonb language plpgsql immutable as $$
begin
  if jsonb_typeof(p_documents) is distinct from 'array' then
    raise exception 'The documents must be a JSON array.' using errcode = 'JP002';
  end if;
  perform jobplane.refuse_unknown(d, p_known) from jsonb_array_elements(p_documents) d;
  return query select distinct on (d ->> p_key) d from jsonb_array_elements(p_documents) with ordinality e(d, ord) order by d ->> p_key, ord desc;
end $$;
