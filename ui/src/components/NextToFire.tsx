import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { tenantsQuery } from '../api/queries';
import { upcomingQuery } from '../api/schedules';
import { useCaller } from '../lib/caller';
import { isLate, knownZone, soonest, wall } from '../lib/schedules';
import { millis, useNow } from '../lib/time';
import { Panel } from './Panel';
import { StatusBadge } from './StatusBadge';
import { When } from './When';
import classes from './NextToFire.module.css';

const SHOWN = 6;

/** The next fires over all schedules, each in its own zone. Without a schedule there is no panel. */
export function NextToFire() {
  const { tenant, isOperator, may } = useCaller();
  const now = useNow();
  const showTenant = isOperator && !tenant;
  const { data } = useQuery(upcomingQuery(tenant));
  const { data: tenants } = useQuery({ ...tenantsQuery, enabled: showTenant && may('listTenants') });
  const next = soonest(data?.items ?? []).slice(0, SHOWN);
  if (!next.length) return null;
  const names = new Map(tenants?.items.map((t) => [t.id, t.name || t.slug]));
  return (
    <Panel title="Next to fire" note="in each schedule's own zone" flush aside={<Link to="/schedules" className={classes.all}>All schedules</Link>}>
      <ul className={classes.rows}>
        {next.map((s) => (
          <li key={s.id}>
            <span className={classes.at}><b>{wall(millis(s.next_run_at)!, s.effective_timezone, now)}</b><span>{s.effective_timezone}</span></span>
            <span className={classes.what}><Link to="/schedules/$id" params={{ id: s.id }}>{s.label}</Link><span>{s.definition_key}{showTenant && names.get(s.tenant_id) ? ` · ${names.get(s.tenant_id)}` : ''}</span></span>
            <span className={classes.aside}>{isLate(s) ? <StatusBadge state="late" /> : <When at={s.next_run_at} zone={knownZone(s.effective_timezone)} />}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
