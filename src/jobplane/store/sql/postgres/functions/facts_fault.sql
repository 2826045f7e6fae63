-- facts_fault: why what stands beside a payload cannot be taken, or null
create or replace function jobplane.facts_fault(p_priority int, p_max_attempts int, p_timeout_seconds int, p_source text, p_on_duplicate text, p_tags jsonb, p_metadata jsonb,
                                                p_texts text[]) returns text language plpgsql immutable as $$
begin
  if p_priority not between 0 and 1000 then
    return format('The priority must be between 0 and 1000, not %s.', p_priority);
  elsif p_max_attempts not between 1 and 1000 then
    return format('The max_attempts must be between 1 and 1000, not %s.', p_max_attempts);
  elsif p_timeout_seconds not between 1 and 2592000 then
    return format('The timeout_seconds must be between 1 and 2592000, not %s.', p_timeout_seconds);
  elsif p_source not in ('manual', 'event', 'schedule', 'system') then
    return 'The source must be manual, event, schedule or system.';
  elsif p_on_duplicate not in ('return', 'replace', 'postpone') then
    return 'The on_duplicate must be return, replace or postpone.';
  elsif exists (select from unnest(p_texts) t where length(t) > 500 or t = '') then
    return 'Keys, references and ids must have 1 to 500 characters.';
  end if;
  if p_tags is not null then
    if jsonb_typeof(p_tags) <> 'array' then
      return 'The tags must be a list of strings.';
    elsif jsonb_array_length(p_tags) > 50 or exists (select from jsonb_array_elements(p_tags) t where jsonb_typeof(t) <> 'string' or length(t #>> '{}') not between 1 and 200) then
      return 'The tags must be at most 50 strings of 1 to 200 characters.';
    end if;
  end if;
  if p_metadata is not null then
    if jsonb_typeof(p_metadata) <> 'object' then
      return 'The metadata must be a JSON object.';
    elsif (select count(*) > 50 or max(length(m.key)) > 100 or max(length(m.value #>> '{}')) > 500 from jsonb_each(p_metadata) m) then
      return 'The metadata must have at most 50 keys of up to 100 characters, with values of up to 500 characters.';
    end if;
  end if;
  return null;
end $$;
