-- log_lines: keep lines that handlers wrote, each with the proof of the lease that it was written under
-- in:  seqs, attempt_nos, tokens; numbers of the lines within their attempt; when; level (debug | info | warning | error); message, cut after 16,384 characters;
--      fields: an object, or null
-- out: the seqs whose lease is not the one named: of their lines nothing was kept
-- A line that is there already stays as it is, so the same call again changes nothing.
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.log_lines(p_seqs bigint[], p_attempt_nos int[], p_tokens uuid[], p_lines int[], p_ats timestamptz[], p_levels text[],
                                              p_messages text[], p_fields jsonb[] default null)
returns table (seq bigint)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_refused bigint[];
begin
  /*statement:log_leases*/;
  if exists (select from (select distinct s / 1000000 as block from unnest(p_seqs) s) b where to_regclass('jobplane.logs_' || b.block) is null) then
    perform jobplane.make_log_blocks(array(select s from unnest(p_seqs) s where s <> all (coalesce(v_refused, '{}'))));
  end if;
  /*statement:log_lines*/;
  return query select * from unnest(v_refused);
end $$;
