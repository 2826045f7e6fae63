-- answers: when a job was canceled and when it was queued, as columns of a whole job
-- oldest program: 1

alter type jobplane.job
  add attribute canceled_at  timestamptz,
  add attribute queued_at    timestamptz;

-- The functions of the version before stay until this migrate replaces them. The one that makes whole jobs must answer with all columns until then.
do $$
declare
  v_describe constant regprocedure := to_regprocedure('jobplane.describe(uuid, bigint[])');
begin
  if v_describe is not null then
    execute replace(pg_get_functiondef(v_describe), 'x.result, j.seq', 'x.result, j.seq, null::timestamptz, null::timestamptz');
  end if;
end $$;
