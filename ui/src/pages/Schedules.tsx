import { Button, Select, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { definitionsQuery, tenantsQuery } from '../api/queries';
import { lateSchedulesQuery, type Schedule, schedulePageQuery, useScheduleSwitch } from '../api/schedules';
import { Answer } from '../components/Answer';
import { EmptyState } from '../components/EmptyState';
import { ErrorState } from '../components/ErrorState';
import { useFilters } from '../components/Filters';
import { LinkButton } from '../components/LinkButton';
import { Loading } from '../components/Loading';
import { Pager } from '../components/Pager';
import { Panel } from '../components/Panel';
import { StatusBadge } from '../components/StatusBadge';
import { StatusGlyph } from '../components/StatusGlyph';
import { TableScroll } from '../components/TableScroll';
import { When } from '../components/When';
import table from '../components/DataTable.module.css';
import { useCaller } from '../lib/caller';
import { useRows } from '../lib/rows';
import { isLate, isOver, isRefused, isStopped, knownZone, lateFirst, offSaid, outcomeOf, schedulesAnswer, sentenceOf, wall } from '../lib/schedules';
import { age, millis, SECOND, useNow } from '../lib/time';
import type { SchedulesSearch } from '../router';
import classes from './Schedules.module.css';

/** When it fires next, in its own zone; or how late it is, or why it is off. */
function Next({ schedule: s }: { schedule: Schedule }) {
  const now = useNow();
  const next = millis(s.next_run_at);
  if (isStopped(s)) return <><StatusBadge state="held" word="Stopped" /><span className={table.sub}>{offSaid(s.disabled_reason)}</span></>;
  if (!s.is_enabled) return <span className="quiet">{offSaid(s.disabled_reason)}</span>;
  if (isLate(s)) return <><StatusBadge state="late" word={`Late by ${age((s.late_seconds ?? 0) * SECOND)}`} /><span className={table.sub}>{next !== undefined && <>planned for {wall(next, s.effective_timezone, now)} {s.effective_timezone}</>}</span></>;
  if (next === undefined) return <span className="quiet">no planned time</span>;
  return <><span className="nowrap"><When at={next} zone={knownZone(s.effective_timezone)} /></span><span className={table.sub}>{wall(next, s.effective_timezone, now)} {s.effective_timezone}</span></>;
}

/** What became of the last planned time. */
function Last({ schedule: s }: { schedule: Schedule }) {
  if (!s.last_outcome) return <span className="quiet">not yet</span>;
  const [state, word] = outcomeOf(s.last_outcome);
  return (
    <>
      {s.last_job_id && s.last_outcome === 'fired' ? <Link to="/jobs/$id" params={{ id: s.last_job_id }} className={table.name}><StatusBadge state={state} word={word} /></Link> : <StatusBadge state={state} word={word} />}
      {s.last_run_at && <span className={table.sub}>{s.last_outcome !== 'fired' && 'last job '}<When at={s.last_run_at} zone={knownZone(s.effective_timezone)} past /></span>}
      {s.last_outcome === 'refused' && s.last_reason && <span className={classes.why} title={s.last_reason}>{sentenceOf(s.last_reason)}</span>}
    </>
  );
}

function Row({ schedule: s, tenant }: { schedule: Schedule; tenant: string | undefined }) {
  const { mayAct } = useCaller();
  const turn = useScheduleSwitch();
  const tone = isRefused(s) ? 'bad' : isLate(s) || isStopped(s) ? 'warn' : undefined;
  const maySwitch = mayAct(s.is_enabled ? 'disableTrigger' : 'enableTrigger');
  return (
    <tr data-tone={tone} data-off={!s.is_enabled || undefined}>
      <td className={classes.what}>
        <span className={classes.name}><Link to="/schedules/$id" params={{ id: s.id }} className={table.name} data-row>{s.label}</Link>{s.key && <code className={classes.key}>{s.key}</code>}</span>
        <span className={classes.words}>{s.words}</span>
        <span className={classes.onPhone}>{s.definition_key}{tenant && ` · ${tenant}`}</span>
      </td>
      <td className={`${table.hidePhone} ${classes.tenant}`}>{s.definition_key}</td>
      {tenant !== undefined && <td className={`${table.hidePhone} soft ${classes.tenant}`}>{tenant}</td>}
      <td className={table.hidePhone}><Last schedule={s} /></td>
      <td className={classes.next}><Next schedule={s} /></td>
      <td className="num">{maySwitch && !isOver(s) ? <Switch className={classes.switch} aria-label={`${s.label} enabled`} checked={s.is_enabled} onChange={() => turn(s, !s.is_enabled)} /> : <span className="quiet">{s.is_enabled ? 'on' : 'off'}</span>}</td>
    </tr>
  );
}

const CHOICES: { name: string; change: Pick<SchedulesSearch, 'enabled' | 'late'>; glyph?: string }[] = [
  { name: 'All', change: { enabled: undefined, late: undefined } },
  { name: 'Late', change: { enabled: undefined, late: true }, glyph: 'late' },
  { name: 'On', change: { enabled: 'on', late: undefined } },
  { name: 'Off', change: { enabled: 'off', late: undefined } },
];

function Choices({ search, late }: { search: SchedulesSearch; late: number }) {
  const set = useFilters();
  const { tenant, may } = useCaller();
  const { data: definitions } = useQuery({ ...definitionsQuery(tenant), enabled: may('listDefinitions') });
  const keys = [...new Set([...(search.definition ? [search.definition] : []), ...(definitions?.items.map((d) => d.key) ?? [])])].sort();
  return (
    <div className={classes.statuses} role="group" aria-label="Filters">
      {CHOICES.map(({ name, change, glyph }) => (
        <button key={name} type="button" className={classes.status} aria-pressed={search.enabled === change.enabled && search.late === change.late} onClick={() => set(change)}>
          {glyph && <span className={`${late ? 'tone-warn' : 'quiet'} ${classes.glyph}`}><StatusGlyph state={glyph} size={13} /></span>}{name}{glyph && <span className={classes.n}>{late}</span>}
        </button>
      ))}
      {keys.length > 0 && <Select className={classes.select} aria-label="Definition" placeholder="Definition" clearable clearButtonProps={{ 'aria-label': 'Any definition' }} searchable={keys.length > 8} nothingFoundMessage="None of that name" data={keys} value={search.definition ?? null} onChange={(v) => set({ definition: v ?? undefined })} />}
    </div>
  );
}

/** What there is to do where no schedule is. */
function First() {
  const { mayAct, may, isOperator, tenant } = useCaller();
  return (
    <EmptyState title="There is no schedule yet" says={<>A schedule starts jobs of a definition at planned times: by a cron expression, at an interval, or once.{isOperator && !tenant ? ' Choose a tenant to make its first one.' : may('createTrigger') ? '' : ' An admin of your tenant can make one.'}</>}>
      {(mayAct('createTrigger') || (isOperator && may('createTrigger'))) && <p><LinkButton variant="filled" to="/schedules/new">Make the first schedule</LinkButton></p>}
    </EmptyState>
  );
}

/** Every schedule, the late ones first. */
export function Schedules() {
  const search = useSearch({ strict: false }) as SchedulesSearch;
  const { enabled, late, definition, cursor } = search;
  const { tenant, isOperator, may, mayAct } = useCaller();
  const set = useFilters();
  const { data, error, refetch } = useQuery(schedulePageQuery(tenant, { definition, cursor, late, enabled: enabled && enabled === 'on' }));
  const { data: overdue } = useQuery(lateSchedulesQuery(tenant, definition));
  const showTenant = isOperator && !tenant;
  const { data: tenants } = useQuery({ ...tenantsQuery, enabled: showTenant && may('listTenants') });
  useRows();
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data || !overdue) return <Loading what="Looking for schedules" />;
  const isFirst = cursor === undefined;
  const isFiltered = Boolean(enabled || late || definition);
  const rows = lateFirst(data.items, isFirst && enabled !== 'off' ? overdue.items : []);
  const names = new Map(tenants?.items.map((t) => [t.id, t.name || t.slug]));
  const { title, more } = schedulesAnswer(rows, isFirst && !isFiltered && !data.next_cursor);
  const isEmpty = !rows.length && !isFiltered && isFirst;
  return (
    <>
      <Answer title={isEmpty ? 'Nothing is planned' : isFiltered && !rows.length ? 'No schedule fits' : title} actions={mayAct('createTrigger') && !isEmpty && <LinkButton variant="filled" to="/schedules/new">New schedule</LinkButton>}>
        {isEmpty ? '' : more} {rows.length > 0 && 'Times are in the zone of each schedule.'}
      </Answer>
      <Panel flush>
        {!isEmpty && <Choices search={search} late={overdue.items.length} />}
        {rows.length ? (
          <TableScroll label="Schedules">
            <table className={`${table.table} ${table.tall}`}>
              <thead><tr><th>Schedule</th><th className={table.hidePhone}>Runs</th>{showTenant && <th className={table.hidePhone}>Tenant</th>}<th className={table.hidePhone}>Last</th><th>Next</th><th><span className="sr">Enabled</span></th></tr></thead>
              <tbody>{rows.map((s) => <Row key={s.id} schedule={s} tenant={showTenant ? names.get(s.tenant_id) ?? '' : undefined} />)}</tbody>
            </table>
          </TableScroll>
        ) : isEmpty ? <First /> : <EmptyState title={late ? 'No schedule is late' : 'No schedule fits'} says={late ? 'Each one that is on has fired on time.' : 'Take a filter away to see others.'}><p><Button onClick={() => set({ enabled: undefined, late: undefined, definition: undefined })}>Clear filters</Button></p></EmptyState>}
      </Panel>
      <Pager cursor={cursor} next={data.next_cursor} what="schedules" />
    </>
  );
}
