-- search_logs: of some jobs the lines that have every word. The tenant is written out: this is the engine's, for a pattern is no condition that row security lets an index
-- serve. When the time is over no further job is read, and of the last one nothing is compared; a part of a word is looked for before its beginning is, at a tenth of the cost
-- params: v_seqs bigint[], v_tenant uuid, v_parts text[], v_patterns text[], v_depth int, v_until timestamptz, v_left int, p_definitions text[], p_since timestamptz, p_until timestamptz, v_levels text[]
select j.id, j.definition_key, l.attempt_no, l.line, l.at, l.level, l.message, l.fields, false
  from unnest(v_seqs) s(seq),
       lateral (select j.seq, j.id, j.definition_key from jobplane.jobs j
                 where j.seq = s.seq and j.tenant_id = v_tenant and (p_definitions is null or j.definition_key = any (p_definitions)) and clock_timestamp() < v_until offset 0) j,
       lateral (select l.* from jobplane.logs l where l.seq = j.seq and l.tenant_id = v_tenant order by l.seq desc, l.attempt_no desc, l.line desc limit v_depth) l
 where clock_timestamp() < v_until and (p_since is null or l.at >= p_since) and (p_until is null or l.at < p_until) and (v_levels is null or l.level = any (v_levels))
   and lower(l.message) like all (v_parts) and lower(l.message) ~ all (v_patterns)
 order by j.seq desc, l.attempt_no, l.line limit v_left;
