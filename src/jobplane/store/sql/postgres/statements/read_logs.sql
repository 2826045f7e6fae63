-- read_logs: the next lines of a job
-- params: v_seq bigint, v_tenant uuid, p_after_attempt int, p_after_line int, p_limit int
select l.attempt_no, l.line, l.at, l.level, l.message, l.fields
  from jobplane.logs l
 where l.seq = v_seq and (l.attempt_no, l.line) > (p_after_attempt, p_after_line) and l.tenant_id = v_tenant
 order by l.seq, l.attempt_no, l.line limit p_limit;
