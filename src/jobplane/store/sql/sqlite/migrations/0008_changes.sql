-- changes: when a person last changed a job, and when its lease was last renewed: the job's updated_at

alter table jobplane_jobs add column changed_at integer;      -- by a retry, an edit, another time or another payload; null: never
alter table jobplane_leases add column renewed_at integer;    -- written with the new expiry; null: not since the claim
