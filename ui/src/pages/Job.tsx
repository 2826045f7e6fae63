import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback, useRef, useState } from 'react';
import type { Attempt, Job } from '../api/client';
import { attemptsQuery, explainQuery, jobQuery, tenantQuery } from '../api/job';
import { Answer } from '../components/Answer';
import { AttemptTimeline } from '../components/AttemptTimeline';
import { ErrorState } from '../components/ErrorState';
import { ExplainPanel } from '../components/ExplainPanel';
import { JobActions } from '../components/JobActions';
import { JobFacts } from '../components/JobFacts';
import { JsonTree } from '../components/JsonTree';
import { LinkButton } from '../components/LinkButton';
import { Loading } from '../components/Loading';
import { LogViewer } from '../components/LogViewer';
import { Panel } from '../components/Panel';
import { ProcessPanel } from '../components/ProcessPanel';
import { StatusGlyph, toneOf } from '../components/StatusGlyph';
import { useCaller } from '../lib/caller';
import { isEnded, shortId, stateOf } from '../lib/jobs';
import { ranCommand } from '../lib/process';
import { type Level, toLevel } from '../lib/search';
import { details, headline } from '../lib/sentence';
import { duration, millis, useNow } from '../lib/time';
import type { JobSearch } from '../router';
import classes from './Job.module.css';

/** How far it is, in its own words, and how long it may still take if it goes on like this. */
function Progress({ job }: { job: Job }) {
  const now = useNow();
  const part = job.progress ?? 0;
  const ran = now - (millis(job.started_at) ?? now);
  const left = part > 0.02 && ran > 3000 ? (ran / part) * (1 - part) : undefined;
  return (
    <div className={classes.progress}>
      <div className={classes.track} role="progressbar" aria-label="Progress" aria-valuenow={Math.round(part * 100)} aria-valuemin={0} aria-valuemax={100}><i style={{ width: `${part * 100}%` }} /></div>
      <span><b>{Math.round(part * 100)} %</b> {job.progress_message}</span>
      {left !== undefined && left > 1000 && <span className="quiet">about {duration(left)} left</span>}
    </div>
  );
}

function LogPanel({ job, attempts }: { job: Job; attempts: Attempt[] }) {
  const { tenant } = useCaller();
  const search = useSearch({ strict: false }) as JobSearch;
  const navigate = useNavigate();
  const router = useRouter();
  const newest = job.attempt_no;
  const following = useRef(true);
  const [held, setHeld] = useState(newest);
  // A new attempt takes the log over only from somebody who follows: nobody loses the line they read.
  if (held !== newest && (following.current || search.attempt !== undefined)) setHeld(newest);
  const no = search.attempt ?? held;
  const chosen = attempts.find((a) => a.attempt_no === no);
  const isAll = search.all === true;
  const go = useCallback((change: Partial<JobSearch>, replace = true) => void navigate({ to: '.', search: ((s: JobSearch) => ({ ...s, ...change })) as never, replace, resetScroll: false }), [navigate]);
  const onFollowing = useCallback((is: boolean) => { following.current = is; }, []);
  const linkTo = (attempt: number, line: number) => new URL(router.buildLocation({ to: '/jobs/$id', params: { id: job.id }, search: { tenant, attempt, line } }).href, location.href).href;
  const isLive = isAll ? !isEnded(job) : job.status === 'running' && no === newest;
  return (
    <Panel flush title={isAll ? 'Log of all attempts' : `Log of attempt ${no}`} note={isAll ? undefined : chosen?.worker_id} aside={newest > 1 && (
      <LinkButton variant="subtle" to="." search={((s: JobSearch) => ({ ...s, all: isAll ? undefined : true, line: undefined })) as never} resetScroll={false}>{isAll ? `Attempt ${no} alone` : 'All attempts'}</LinkButton>
    )}>
      {search.attempt === undefined && held !== newest && <p className={classes.newer}><LinkButton variant="subtle" to="." search={((s: JobSearch) => ({ ...s, attempt: newest, line: undefined })) as never} resetScroll={false}>Attempt {newest} has started. Show its log</LinkButton></p>}
      <LogViewer key={`${job.id}/${isAll ? 'all' : no}`} wanted={{ id: job.id, tenant, attempt: isAll ? undefined : no }} isLive={isLive} name={`${job.definition_key}-${shortId(job.id)}${isAll ? '' : `-attempt-${no}`}`}
        line={search.line === undefined ? undefined : `${no}.${search.line}`} level={toLevel(search.level)} find={search.find ?? ''}
        onLine={(attempt, line) => go({ attempt, line })} onLevel={(level: Level) => go({ level: level === 'debug' ? undefined : level }, false)} onFind={useCallback((find: string) => go({ find: find || undefined }), [go])} linkTo={linkTo} onFollowing={onFollowing} />
    </Panel>
  );
}

function Found({ job }: { job: Job }) {
  const { tenant, isOperator } = useCaller();
  const search = useSearch({ strict: false }) as JobSearch;
  const navigate = useNavigate();
  const now = useNow();
  const attempts = useInfiniteQuery(attemptsQuery(tenant, job));
  const { data: explanation } = useQuery(explainQuery(tenant, job));
  const { data: owner } = useQuery(tenantQuery(job.tenant_id, isOperator));
  const told = job.status === 'queued' ? explanation : undefined;
  const state = told?.gates.some((gate) => !gate.is_open && gate.name !== 'not_due') ? 'held' : stateOf(job);
  const whose = owner && (owner.name || owner.slug);
  const isBegun = job.attempt_no > 0;
  const shown = attempts.data?.find((a) => a.attempt_no === (search.attempt ?? job.attempt_no));
  const payload = <Panel title="Payload">{job.undecodable.includes('payload') ? <p className="quiet">The payload cannot be read.</p> : <JsonTree value={job.payload} label="Payload" />}</Panel>;
  return (
    <>
      <Answer
        eyebrow={<><Link to="/jobs">Jobs</Link><span aria-hidden="true">/</span><span className={classes.eyebrow}>{job.definition_key}</span><span aria-hidden="true">/</span><span className="mono">{shortId(job.id)}</span></>}
        title={<span className={classes.title}><span className={`tone-${toneOf(state)}`}><StatusGlyph state={state} size={20} /></span><span>{headline(job, told, now, whose)}</span></span>}
        actions={<JobActions job={job} slug={owner?.slug} />}>
        {details(job, told, now)}
        {(job.status === 'dead_letter' || job.status === 'failed') && <> <Link to="/jobs" search={{ status: [job.status], definition: job.definition_key }}>See others that ended so</Link></>}
      </Answer>
      {job.undecodable.length > 0 && <p className={classes.unreadable}>Another program stored this job so that a part of it cannot be read: {job.undecodable.join(', ')}.</p>}
      {job.status === 'running' && job.progress !== null && <Progress job={job} />}
      {told && <div className={classes.block}><ExplainPanel job={job} explanation={told} whose={whose} /></div>}
      <div className={classes.columns}>
        <div className={classes.main}>
          {isBegun && (
            <Panel title="Attempts" note={<>{job.attempts} of {job.max_attempts} counted · hatched: waiting, solid: running, dotted: backoff</>} flush>
              {attempts.data ? <AttemptTimeline job={job} attempts={attempts.data} selected={search.attempt ?? job.attempt_no} older={attempts.hasNextPage ? () => void attempts.fetchNextPage() : undefined} onSelect={(attempt) => void navigate({ to: '.', search: ((s: JobSearch) => ({ ...s, attempt, line: undefined, all: undefined })) as never, resetScroll: false })} /> : attempts.error ? <ErrorState error={attempts.error} onRetry={() => void attempts.refetch()} /> : <Loading what="Reading the attempts" />}
            </Panel>
          )}
          {ranCommand(shown) && <ProcessPanel key={`${job.id}/${shown.attempt_no}`} job={job} attempt={shown} />}
          {isBegun ? <LogPanel key={job.id} job={job} attempts={attempts.data ?? []} /> : <>{payload}<Panel title="Log"><p className="quiet">{isEnded(job) ? 'No attempt has begun.' : 'Nothing yet. Lines appear here as soon as an attempt starts.'}</p></Panel></>}
        </div>
        <aside className={classes.aside} aria-label="Facts">
          <JobFacts job={job} tenant={owner} />
          {isBegun && payload}
          {job.status === 'succeeded' && <Panel title="Result">{job.undecodable.includes('result') ? <p className="quiet">The result cannot be read.</p> : job.result === null ? <p className="quiet">{ranCommand(shown) ? 'The command gave no result.' : 'The handler returned nothing.'}</p> : <JsonTree value={job.result} label="Result" />}</Panel>}
          {job.metadata && Object.keys(job.metadata).length > 0 && <Panel title="Metadata"><JsonTree value={job.metadata} label="Metadata" /></Panel>}
        </aside>
      </div>
    </>
  );
}

function Missing() {
  const { isOperator, tenant } = useCaller();
  return (
    <Answer eyebrow={<Link to="/jobs">Jobs</Link>} title="No such job here" actions={isOperator && tenant ? <LinkButton to="." search={((s: JobSearch) => ({ ...s, tenant: undefined })) as never}>Look in all tenants</LinkButton> : <LinkButton to="/jobs">See jobs</LinkButton>}>
      There is no job with this id, or it belongs to another tenant. A job that ended long ago may have been removed, too.
    </Answer>
  );
}

export function JobPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { tenant } = useCaller();
  const { data: job, error, refetch } = useQuery(jobQuery(tenant, id));
  if (job === null) return <Missing />;
  if (error && !job) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return job ? <Found job={job} /> : <Loading what="Looking for the job" />;
}
