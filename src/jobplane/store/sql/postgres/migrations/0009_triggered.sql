-- jobplane:no-transaction
-- triggered: the jobs of one trigger, for its history and the overlap rule
-- oldest program: 1

create index concurrently if not exists jobs_trigger on jobplane.jobs (tenant_id, trigger_id, seq) where trigger_id is not null;
