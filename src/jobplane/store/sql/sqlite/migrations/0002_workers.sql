-- workers: which leases have begun, whose log somebody reads, and how a definition's handlers are kept apart

-- Whose handler has started: only that attempt pays when its lease is reaped. A lease from before, or one that does not say, has.
alter table jobplane_leases add column begun integer not null default 1;
alter table jobplane_leases add column followed_until integer;

alter table jobplane_definitions add column isolation text not null default 'shared' check (isolation in ('shared', 'process'));
alter table jobplane_definitions add column on_lost_contact text not null default 'stop' check (on_lost_contact in ('stop', 'continue'));
