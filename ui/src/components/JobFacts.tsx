import { IconBroadcast, IconClock, IconCornerDownRight, IconDatabase, IconPlug, IconUser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Job, Schemas } from '../api/client';
import { scheduleQuery } from '../api/schedules';
import { useCaller } from '../lib/caller';
import { shortId } from '../lib/jobs';
import { knownZone, latenessOf, wall } from '../lib/schedules';
import { duration, millis, plural, VIEWER_ZONE } from '../lib/time';
import { When } from './When';
import classes from './JobFacts.module.css';

const WHO = {
  key: [IconPlug, 'API key'], session: [IconUser, 'Person'], login: [IconDatabase, 'Database login'], job: [IconCornerDownRight, 'Job'], scheduler: [IconClock, 'Schedule'], event: [IconBroadcast, 'Event'], hook: [IconBroadcast, 'Webhook'],
} as const;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const toJob = (id: string) => <Link to="/jobs/$id" params={{ id }} className="mono">{shortId(id)}</Link>;

/** The schedule that started it, when it was planned, and how late that was. */
function StartedBySchedule({ job, id }: { job: Job; id: string }) {
  const { tenant, may } = useCaller();
  const { data: schedule } = useQuery({ ...scheduleQuery(tenant, id), enabled: may('getTrigger'), refetchInterval: false, staleTime: 60_000 });
  const by = job.triggered_by;
  const isPerson = by?.type === 'session' || by?.type === 'key';
  const zone = knownZone(schedule?.effective_timezone ?? VIEWER_ZONE);
  const planned = millis(job.planned_at);
  const late = latenessOf(job.planned_at ?? job.created_at, job.created_at);
  return (
    <>
      <span className={classes.who}><IconClock size={14} stroke={1.5} aria-hidden="true" /><span>Schedule {schedule ? <Link to="/schedules/$id" params={{ id }}>{schedule.label}</Link> : schedule === null ? <span className="quiet">that is deleted</span> : <span className="mono">{shortId(id)}</span>}</span></span>
      {planned !== undefined && <span className={classes.sub}>planned for {wall(planned, zone, Math.max(planned, millis(job.created_at) ?? planned))} {zone}, {late}</span>}
      {isPerson && <span className={classes.sub}>fired by {by.name || by.id}</span>}
    </>
  );
}

/** Who or what started it, and the job that it was run again from. */
function StartedBy({ job }: { job: Job }) {
  const by = job.triggered_by;
  if (job.trigger_id) return <StartedBySchedule job={job} id={job.trigger_id} />;
  const [Icon, word] = WHO[(by?.type ?? '') as keyof typeof WHO] ?? [IconPlug, by?.type ?? 'Source'];
  const isAgain = job.source_ref !== null && UUID.test(job.source_ref);
  return (
    <>
      <span className={classes.who} title={word}><Icon size={14} stroke={1.5} aria-hidden="true" /><span className="sr">{word}: </span>{by?.type === 'job' && UUID.test(by.id) ? <span>Job {toJob(by.id)}</span> : <span>{by?.name || by?.id || job.source}</span>}</span>
      {isAgain ? <span className={classes.sub}>run again from {toJob(job.source_ref!)}</span> : job.source_ref && <span className={classes.sub}>{job.source}: {job.source_ref}</span>}
    </>
  );
}

/** `00-4bf9…-00f0…-01` is long; its trace id is what one searches for. */
const traceId = (context: string): string => /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(context)?.[1] ?? context;

const Fact = ({ name, children }: { name: string; children: ReactNode }) => <div><dt>{name}</dt><dd>{children}</dd></div>;

/** Where it came from, what it is bound to, and what may find it again. */
export function JobFacts({ job, tenant }: { job: Job; tenant: Schemas['Tenant'] | undefined }) {
  const { isOperator, may } = useCaller();
  const hasOwnTime = Math.abs(Date.parse(job.scheduled_for) - Date.parse(job.created_at)) > 1000;
  return (
    <dl className={classes.facts}>
      {isOperator && <Fact name="Tenant">{tenant ? tenant.name || tenant.slug : '…'}{tenant?.name && tenant.name !== tenant.slug && <span className={classes.sub}>{tenant.slug}</span>}</Fact>}
      <Fact name="Definition">{may('getDefinitionInFull') ? <Link to="/definitions/$key" params={{ key: job.definition_key }}>{job.definition_key}</Link> : job.definition_key}<span className={classes.sub}><Link to="/jobs" search={{ definition: job.definition_key }}>its other jobs</Link></span></Fact>
      <Fact name="Started by"><StartedBy job={job} /></Fact>
      <Fact name="Queue">{job.queue}, priority {job.priority}</Fact>
      <Fact name="Queued"><When at={job.created_at} /></Fact>
      {hasOwnTime && job.attempts === 0 && <Fact name="Scheduled"><When at={job.scheduled_for} /></Fact>}
      {job.first_started_at && <Fact name="Started"><When at={job.first_started_at} /></Fact>}
      {job.finished_at && <Fact name="Ended"><When at={job.finished_at} /></Fact>}
      {job.expires_at && <Fact name="Expires"><When at={job.expires_at} /><span className={classes.sub}>unless it has started</span></Fact>}
      <Fact name="Policy">{plural(job.max_attempts, 'attempt')}{job.timeout_seconds === null ? ', no timeout' : `, timeout ${duration(job.timeout_seconds * 1000)}`}</Fact>
      {job.worker_id && <Fact name="Worker">{job.worker_id}<span className={classes.sub}><Link to="/jobs" search={{ worker: job.worker_id }}>its other jobs</Link></span></Fact>}
      {job.correlation_id && <Fact name="Correlation"><Link to="/jobs" search={{ correlation: job.correlation_id }} className="mono">{job.correlation_id}</Link></Fact>}
      {job.dedupe_key && <Fact name="Dedupe key"><span className="mono">{job.dedupe_key}</span></Fact>}
      {job.idempotency_key && <Fact name="Idempotency"><span className="mono">{job.idempotency_key}</span></Fact>}
      {job.tags.length > 0 && <Fact name="Tags"><span className={classes.tags}>{job.tags.map((tag) => <Link key={tag} to="/jobs" search={{ tag }}>{tag}</Link>)}</span></Fact>}
      {job.artifact_ref && <Fact name="Artifact"><span className="mono">{job.artifact_ref}</span></Fact>}
      {job.trace_context && <Fact name="Trace"><span className="mono">{traceId(job.trace_context)}</span></Fact>}
      <Fact name="Id"><span className={`mono ${classes.id}`}>{job.id}</span></Fact>
    </dl>
  );
}
