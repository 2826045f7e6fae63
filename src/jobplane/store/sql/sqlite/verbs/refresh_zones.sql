-- refresh_zones: make the scheduler compute again what came from other rules of time zones
-- in:  the version of the rules that the caller has; limit 1 to 1000
-- out: how many schedules; ask again while it is the limit

-- statement: refresh
update jobplane_triggers set due_at = ? where trigger_id in (
  select trigger_id from jobplane_triggers where is_enabled and cron_expr is not null and zone_version <> ? and due_at > ? limit ?) returning 1
