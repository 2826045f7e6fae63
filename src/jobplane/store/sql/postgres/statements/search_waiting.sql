-- search_waiting: the tenant's jobs that wait and have run before: few, among many that have not. Of each table the newest, up to a limit
-- params: v_tenant uuid, v_depth int
-- into: v_seqs, stopped
select array_agg(w.seq) filter (where w.attempt_no > 0), count(*) >= v_depth into v_seqs, stopped from (
  (select r.seq, r.attempt_no from jobplane.ready r where r.tenant_id = v_tenant order by r.tenant_id desc, r.seq desc limit v_depth) union all
  (select h.seq, h.attempt_no from jobplane.held h where h.tenant_id = v_tenant order by h.tenant_id desc, h.seq desc limit v_depth) union all
  (select u.seq, u.attempt_no from jobplane.upcoming u where u.tenant_id = v_tenant order by u.tenant_id desc, u.seq desc limit v_depth)) w;
