-- remove_lines: remove the log lines of these jobs, one job after the other in their order, p_most lines at most
-- out: the seq of each job that had its turn, and how many of its lines went; at the last one the limit may have been reached
create or replace function jobplane.remove_lines(p_seqs bigint[], p_most int) returns table (seq bigint, lines int) language plpgsql volatile as $$
#variable_conflict use_column
declare
  v_left int := p_most;
begin
  foreach seq in array p_seqs loop
    delete from jobplane.logs l using (select x.attempt_no, x.line from jobplane.logs x where x.seq = remove_lines.seq order by x.attempt_no, x.line limit v_left) x
     where l.seq = remove_lines.seq and l.attempt_no = x.attempt_no and l.line = x.line;
    get diagnostics lines = row_count;
    v_left := v_left - lines;
    return next;
    exit when v_left = 0;
  end loop;
end $$;
