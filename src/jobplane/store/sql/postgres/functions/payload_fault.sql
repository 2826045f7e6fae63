-- payload_fault: why a payload cannot be taken, or null: an object, 64 KiB as text, 64 levels, 10,000 values, no number beyond 309 digits.
-- The further looks run only for a text that is long enough to break their rule. Python and REST also judge it by the definition's schema before.
create or replace function jobplane.payload_fault(p_payload jsonb) returns text language plpgsql immutable as $$
declare
  v_bytes int;
begin
  if p_payload is null or jsonb_typeof(p_payload) <> 'object' then
    return 'The payload must be a JSON object.';
  end if;
  v_bytes := octet_length(p_payload::text);
  if v_bytes < 128 then
    return null;
  end if;
  if v_bytes > 65536 then                               -- the text of jsonb has a space at each comma and colon, which do not count
    v_bytes := v_bytes - (select sum(case jsonb_typeof(n) when 'object' then greatest(2 * (select count(*) from jsonb_object_keys(n)) - 1, 0)
                                                          else greatest(jsonb_array_length(n) - 1, 0) end)
                            from jsonb_path_query(p_payload, '$.** ? (@.type() == "object" || @.type() == "array")') n);
  end if;
  if v_bytes > 65536 then
    return format('The payload must have at most 65536 bytes, not %s. Keep large data elsewhere and pass an artifact_ref.', v_bytes);
  elsif jsonb_path_exists(p_payload, '$.**{64 to last}') then
    return 'The payload must not be nested deeper than 64 levels.';
  elsif v_bytes > 309 and jsonb_path_exists(p_payload, '$.** ? (@.type() == "number" && (@ >= 1e309 || @ <= -1e309))') then
    return 'The payload must not have a number of more than 309 digits.';
  elsif v_bytes > 20000 and (select count(*) from jsonb_path_query(p_payload, '$.**')) > 10000 then
    return 'The payload must have at most 10000 values.';
  end if;
  return null;
end $$;
