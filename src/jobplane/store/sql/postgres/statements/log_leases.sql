-- log_leases: the lines' jobs whose lease is not the one named
-- params: p_seqs bigint[], p_attempt_nos int[], p_tokens uuid[]
-- into: v_refused
select array_agg(distinct x.seq) into v_refused
  from (select distinct x.seq, x.no, x.token from unnest(p_seqs, p_attempt_nos, p_tokens) x(seq, no, token)) x
  left join lateral (select l.seq from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token offset 0) l on true
 where l.seq is null;
