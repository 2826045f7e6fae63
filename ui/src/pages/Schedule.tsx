import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { tenantQuery } from '../api/job';
import { useAct } from '../api/operator';
import { deleteSchedule, type Fire, firesQuery, fireSchedule, nextFiresQuery, pauseSchedule, resumeSchedule, type Schedule, scheduleQuery, warningsKey } from '../api/schedules';
import { Answer } from '../components/Answer';
import { BackfillForm } from '../components/BackfillForm';
import { Confirm } from '../components/Confirm';
import { ErrorState } from '../components/ErrorState';
import { JsonTree } from '../components/JsonTree';
import { LinkButton } from '../components/LinkButton';
import { Loading } from '../components/Loading';
import { NextFires } from '../components/NextFires';
import { Panel } from '../components/Panel';
import { PauseForm } from '../components/PauseForm';
import { MISSED, OVERLAP } from '../components/PolicyChoice';
import { StatusBadge } from '../components/StatusBadge';
import { TableScroll } from '../components/TableScroll';
import { When } from '../components/When';
import table from '../components/DataTable.module.css';
import { useCaller } from '../lib/caller';
import { shortId } from '../lib/jobs';
import { isLate, isOver, isRefused, isStopped, knownZone, latenessOf, moreOf, outcomeOf, titleOf, wall, whyOf } from '../lib/schedules';
import { age, millis, plural, useNow } from '../lib/time';
import classes from './Schedule.module.css';

type Open = 'pause' | 'delete' | 'backfill' | null;

/** What one types to confirm: a label may be too long to type, or have letters that no keyboard has. */
const nameToType = (s: Schedule): string => [s.key, s.label.trim()].find((name) => name && /^[\x20-\x7e]{1,60}$/.test(name)) ?? 'delete';

function badgeOf(s: Schedule): [state: string, word: string] {
  if (!s.is_enabled) return isOver(s) ? ['ok', s.disabled_reason === 'done' ? 'Done' : 'Ended'] : ['held', isStopped(s) ? 'Stopped' : 'Paused'];
  return isLate(s) ? ['late', 'Late'] : isRefused(s) ? ['refused', 'Refused'] : ['ok', 'On'];
}

function Facts({ schedule: s, tenant }: { schedule: Schedule; tenant: string | undefined }) {
  const { may } = useCaller();
  const says = (choices: typeof OVERLAP, value: string) => { const found = choices.find((c) => c.value === value); return found ? <>{found.label}<span className={classes.sub}>{found.says}</span></> : value; };
  const by = s.created_by as { name?: string; id?: string } | null;
  const facts: [string, ReactNode][] = [
    ...(tenant === undefined ? [] : ([['Tenant', tenant]] as [string, ReactNode][])),
    ['Starts', <>{may('getDefinitionInFull') ? <Link to="/definitions/$key" params={{ key: s.definition_key }}>{s.definition_key}</Link> : s.definition_key}<span className={classes.sub}><Link to="/jobs" search={{ definition: s.definition_key }}>its jobs</Link></span></>],
    ['Timetable', s.cron_expr ? <code>{s.cron_expr}</code> : s.interval_seconds ? `every ${age(s.interval_seconds * 1000)}` : 'once'],
    ['Time zone', <>{s.effective_timezone}{!s.timezone && <span className={classes.sub}>that of the tenant</span>}</>],
    ['Overlap', says(OVERLAP, s.overlap)],
    ['Missed', s.missed === 'all' ? `All, up to ${s.missed_limit}` : says(MISSED, s.missed)],
    ...(s.spread_seconds ? ([['Spread', `up to ${age(s.spread_seconds * 1000)}`]] as [string, ReactNode][]) : []),
    ...(s.pause_after_failures ? ([['Pauses', `after ${plural(s.pause_after_failures, 'failure')} in a row`]] as [string, ReactNode][]) : []),
    ...(s.max_attempts !== null ? ([['Attempts', s.max_attempts]] as [string, ReactNode][]) : []),
    ...(s.priority !== null ? ([['Priority', s.priority]] as [string, ReactNode][]) : []),
    ...(s.queue !== null ? ([['Queue', s.queue]] as [string, ReactNode][]) : []),
    ...(s.key ? ([['Key', <code>{s.key}</code>]] as [string, ReactNode][]) : []),
    ['Made', <><When at={s.created_at} past />{(by?.name || by?.id) && <span className={classes.sub}>by {by.name || by.id}</span>}</>],
    ['Changed', <When at={s.updated_at} past />],
    ['Id', <span className={`mono ${classes.id}`}>{s.id}</span>],
  ];
  return <dl className={classes.facts}>{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}

function FireRow({ fire, zone }: { fire: Fire; zone: string }) {
  const now = useNow();
  const planned = millis(fire.planned_at)!;
  const [state, word] = outcomeOf(fire.outcome);
  const why = whyOf(fire);
  const job = fire.job_id && <><Link to="/jobs/$id" params={{ id: fire.job_id }} className="mono">{shortId(fire.job_id)}</Link> {fire.status && <StatusBadge state={fire.status} />}</>;
  return (
    <tr data-tone={fire.outcome === 'refused' ? 'bad' : fire.outcome === 'missed' ? 'warn' : undefined}>
      <td><span className="nowrap">{wall(planned, zone, now)}</span><span className={table.sub}><When at={planned} zone={knownZone(zone)} /></span></td>
      <td><StatusBadge state={state} word={word} />{fire.outcome === 'fired' && fire.kind !== 'backfill' && <span className={table.sub}>{latenessOf(fire.planned_at, fire.fired_at)}</span>}{why && <span className={classes.onPhone}>{why}</span>}</td>
      <td className={`${table.hidePhone} ${classes.why}`}>{why}</td>
      <td>{job || <span className="quiet">none</span>}</td>
    </tr>
  );
}

function History({ schedule: s }: { schedule: Schedule }) {
  const { tenant } = useCaller();
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(firesQuery(tenant, s.id));
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Reading the fires" />;
  if (!data.length) return <p className={classes.none}>No planned time has come yet.</p>;
  return (
    <>
      <TableScroll label="Fires">
        <table className={`${table.table} ${table.tall}`}>
          <thead><tr><th>Planned</th><th>Outcome</th><th className={table.hidePhone}>Why</th><th>Job</th></tr></thead>
          <tbody>{data.map((fire) => <FireRow key={`${fire.planned_at} ${fire.kind}`} fire={fire} zone={s.effective_timezone} />)}</tbody>
        </table>
      </TableScroll>
      {hasNextPage && <div className={classes.older}><Button variant="subtle" onClick={() => void fetchNextPage()}>Show older ones</Button></div>}
    </>
  );
}

function Next({ schedule: s }: { schedule: Schedule }) {
  const { tenant } = useCaller();
  const { data, error } = useQuery(nextFiresQuery(tenant, s));
  if (error) return <p className="tone-bad">{error.message}</p>;
  if (!data) return <Loading what="Looking ahead" />;
  return data.times.length ? <NextFires times={data.times} zone={data.timezone} label="Next fires" /> : <p className="quiet">No planned time is left.</p>;
}

/** What can be done. What the role may not do is not there. */
function Actions({ schedule: s, open }: { schedule: Schedule; open: (what: Open) => void }) {
  const { mayAct, may, isOperator, tenant } = useCaller();
  const act = useAct();
  const { data: owner } = useQuery(tenantQuery(s.tenant_id, isOperator && !tenant));
  if (isOperator && !tenant) return may('changeTrigger') && owner ? <LinkButton to="." search={((old: object) => ({ ...old, tenant: owner.slug })) as never}>Act for {owner.slug}</LinkButton> : null;
  return (
    <>
      {mayAct('deleteTrigger') && <Button variant="danger" onClick={() => open('delete')}>Delete…</Button>}
      {mayAct('backfillTrigger') && <Button onClick={() => open('backfill')}>Backfill…</Button>}
      {s.is_enabled ? mayAct('disableTrigger') && <Button onClick={() => open('pause')}>Pause…</Button> : mayAct('enableTrigger') && !isOver(s) && <Button onClick={() => void act(resumeSchedule(tenant, s.id), `${s.label} fires again, from now on.`)}>Resume</Button>}
      {mayAct('changeTrigger') && <LinkButton to="/schedules/$id/edit" params={{ id: s.id }}>Change</LinkButton>}
      {mayAct('fireTrigger') && <Button variant="filled" onClick={() => void act(fireSchedule(tenant, s.id), `${s.label} has fired: its job is in the list of fires.`)}>Fire now</Button>}
    </>
  );
}

/** What the server found likely to be wrong when it was saved. */
function Warnings({ id }: { id: string }) {
  const client = useQueryClient();
  const { data } = useQuery({ queryKey: warningsKey(id), queryFn: () => [] as string[], enabled: false, staleTime: Infinity });
  if (!data?.length) return null;
  return <div className={classes.warn} role="alert"><b>It is saved, but its jobs would be refused as it stands.</b> {data.map((says) => <p key={says}>{says}</p>)}<Button variant="subtle" onClick={() => client.setQueryData(warningsKey(id), [])}>I have read it</Button></div>;
}

function Found({ schedule: s }: { schedule: Schedule }) {
  const { tenant, isOperator, whose } = useCaller();
  const navigate = useNavigate();
  const now = useNow();
  const [open, setOpen] = useState<Open>(null);
  const { data: owner } = useQuery(tenantQuery(s.tenant_id, isOperator));
  const [state, word] = badgeOf(s);
  const close = () => setOpen(null);
  const more = moreOf(s, now);
  return (
    <>
      <Answer eyebrow={<><Link to="/schedules">Schedules</Link><StatusBadge state={state} word={word} /></>} title={titleOf(s, now)} actions={<Actions schedule={s} open={setOpen} />}>
        {more && <span className={isRefused(s) ? 'tone-bad' : undefined}>{more} </span>}{s.words}. Starts {s.definition_key} for {(owner?.name || owner?.slug || whose).replace(/\.$/, '')}.
      </Answer>
      <Warnings id={s.id} />
      <div className={classes.columns}>
        <div className={classes.main}>
          <Panel title="Fires" note={`newest first, in ${s.effective_timezone}`} flush><History schedule={s} /></Panel>
          <Panel title="Payload" note="as each job gets it, filled in">{s.undecodable.includes('payload_template') ? <p className="quiet">The payload cannot be read.</p> : <JsonTree value={s.payload_template ?? {}} label="Payload" />}</Panel>
        </div>
        <div className={classes.side}>
          <Panel title="Next fires" note={s.is_enabled ? s.effective_timezone : 'once it is on again'}><Next schedule={s} /></Panel>
          <Panel title="Facts"><Facts schedule={s} tenant={isOperator ? owner?.name || owner?.slug || '…' : undefined} /></Panel>
        </div>
      </div>
      {open === 'pause' && <PauseForm name={s.label} says="It does not fire from now on. What was planned meanwhile does not fire later either. Jobs that it has started go on." onClose={close} pause={(reason) => pauseSchedule(tenant, s.id, reason)} />}
      {open === 'backfill' && <BackfillForm schedule={s} onClose={close} />}
      {open === 'delete' && <Confirm title={`Delete ${s.label}`} name={nameToType(s)} submit="Delete schedule" onClose={close} says="It never fires again, and the record of its fires goes. Its jobs stay. To stop it for a while, pause it."
        run={async () => { await deleteSchedule(tenant, s.id); void navigate({ to: '/schedules' }); return `${s.label} is deleted.`; }} />}
    </>
  );
}

function Missing() {
  const { isOperator, tenant } = useCaller();
  return (
    <Answer eyebrow={<Link to="/schedules">Schedules</Link>} title="No such schedule here" actions={isOperator && tenant ? <LinkButton to="." search={((s: object) => ({ ...s, tenant: undefined })) as never}>Look in all tenants</LinkButton> : <LinkButton to="/schedules">See schedules</LinkButton>}>
      There is no schedule with this id, or it belongs to another tenant. It may have been deleted, too.
    </Answer>
  );
}

export function SchedulePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { tenant } = useCaller();
  const { data: schedule, error, refetch } = useQuery(scheduleQuery(tenant, id));
  if (schedule === null) return <Missing />;
  if (error && !schedule) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return schedule ? <Found key={schedule.id} schedule={schedule} /> : <Loading what="Looking for the schedule" />;
}
