-- log_lines: write the lines whose lease is the one named; a line that is there already stays as it is
-- params: p_seqs bigint[], p_attempt_nos int[], p_tokens uuid[], p_lines int[], p_ats timestamptz[], p_levels text[], p_messages text[], p_fields jsonb[]
insert into jobplane.logs (seq, tenant_id, at, attempt_no, line, level, message, fields)
select x.seq, l.tenant_id, x.at, x.no, x.line, case when x.level in ('debug', 'warning', 'error') then x.level else 'info' end,
       case when length(x.message) > 17000 then left(x.message, 16384) || '… [cut]' else x.message end, x.fields
  from unnest(p_seqs, p_attempt_nos, p_tokens, p_lines, p_ats, p_levels, p_messages, p_fields) x(seq, no, token, line, at, level, message, fields),
       lateral (select l.tenant_id from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token offset 0) l
on conflict do nothing;
