import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { POLL_MS } from '../api/live';
import { overviewQuery, tenantsQuery } from '../api/queries';
import { activeDefinitionsQuery } from '../api/run';
import { Answer } from '../components/Answer';
import { SYSTEM } from '../components/ChooseTenant';
import { CopyBlock } from '../components/Copy';
import { ErrorState } from '../components/ErrorState';
import { LinkButton } from '../components/LinkButton';
import { Loading } from '../components/Loading';
import { useCaller } from '../lib/caller';
import { plural } from '../lib/time';
import classes from './Welcome.module.css';

const JOBS = `# jobs.py
from jobplane import Context, Jobplane

jp = Jobplane()


@jp.job("hello", max_attempts=3)
def hello(ctx: Context, name: str = "Ada") -> dict[str, int]:
    ctx.log.info("hello", name=name)
    return {"length": len(name)}`;
const UP = 'jobplane up --import jobs';
const WORKER = 'jobplane worker --import jobs';
const RUN = 'jobplane run hello --set name=Ada --wait';

interface Step { title: string; says: ReactNode; isDone: boolean; waits?: string; more?: ReactNode; keeps?: boolean }

function Steps({ steps }: { steps: Step[] }) {
  const next = steps.findIndex((s) => !s.isDone);
  return (
    <ol className={classes.steps}>
      {steps.map((s, n) => (
        <li key={s.title} className={classes.step} data-done={s.isDone || undefined} data-now={n === next || undefined} aria-current={n === next ? 'step' : undefined}>
          <span className={classes.no}>{s.isDone ? <><IconCheck size={16} stroke={2.2} aria-hidden="true" /><span className="sr">Done: </span></> : n}</span>
          <div className={classes.words}>
            <h2>{s.title}</h2>
            <p>{s.says}</p>
            <p className={classes.waiting} role="status">{n === next && s.waits && <><i aria-hidden="true" />{s.waits}</>}</p>
          </div>
          {s.more && (!s.isDone || s.keeps) && <div className={classes.more}>{s.more}</div>}
        </li>
      ))}
    </ol>
  );
}

/** The first visit: from nothing to a job that has run. It watches, and ticks off what is there. */
export function Welcome() {
  const { tenant, isOperator, may, me } = useCaller();
  const { data: found, error, refetch } = useQuery({ ...overviewQuery(tenant), refetchInterval: POLL_MS });
  const { data: definitions } = useQuery({ ...activeDefinitionsQuery, refetchInterval: POLL_MS });
  const { data: tenants } = useQuery({ ...tenantsQuery, enabled: isOperator });
  if (error && !found) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!found || !definitions) return <Loading what="Looking at what is there" />;

  const { summary: s, workers } = found;
  const ended = s.succeeded + s.failed + s.dead_letter;
  const isWaiting = s.queued + s.running > 0;
  const first = definitions.find((d) => d.key === 'hello') ?? definitions[0];
  const others = tenants?.items.filter((t) => t.slug !== SYSTEM) ?? [];
  const only = others.length === 1 ? others[0]!.slug : undefined;
  const store = me.store === 'sqlite' ? 'SQLite' : 'PostgreSQL';

  const steps: Step[] = [
    { title: 'jobplane is up', says: `Server ${me.version}, on ${store}.${isOperator ? '' : ` You look at ${me.tenant_name || me.tenant || 'your tenant'}.`}`, isDone: true },
    {
      title: 'Define a job', isDone: definitions.length > 0,
      says: definitions.length ? `${plural(definitions.length, 'definition')}: ${definitions.slice(0, 3).map((d) => d.key).join(', ')}${definitions.length > 3 ? ' and others' : ''}.` : 'A function with typed arguments. Its schema makes the form on the Run page. Save this as jobs.py.',
      waits: isOperator ? undefined : 'Waits for a worker that brings a definition…',
      more: <CopyBlock text={JOBS} what="jobs.py" />,
    },
  ];
  if (workers) {
    steps.push({
      title: 'Let a worker know it', isDone: workers.live > 0,
      says: workers.live ? `${plural(workers.live, 'worker')} ${workers.live === 1 ? 'is' : 'are'} alive, with ${plural(workers.slots, 'slot')}.` : 'In the folder of jobs.py: stop jobplane up with Ctrl-C and start it again with your jobs, or start a worker beside it. The definition appears here by itself.',
      waits: 'Waits for a worker…',
      more: <><CopyBlock text={UP} what="the command that starts everything" /><p className={classes.or}>or, in a second terminal where <code>JOBPLANE_DATABASE_URL</code> names the same database</p><CopyBlock text={WORKER} what="the command that starts a worker" /></>,
    });
  }
  steps.push({
    title: 'Run it', isDone: ended > 0, keeps: true,
    says: ended ? `${ended >= 10_000 ? 'More than ' : ''}${plural(ended, 'job')} ${ended === 1 ? 'has' : 'have'} run.` : 'From here, from a terminal, over HTTP or from Python, in your own transaction if you like.',
    waits: isWaiting ? 'A job waits or runs…' : first ? 'Waits for the first job…' : undefined,
    more: (
      <>
        {may('enqueueJob') && first && <p className={classes.run}><LinkButton to="/run" search={{ definition: first.key, ...(only && !tenant ? { tenant: only } : {}) }} variant={ended ? 'default' : 'filled'}>Run {first.key}</LinkButton></p>}
        {isOperator && !ended && (!first || first.key === 'hello') && <CopyBlock text={RUN} what="the command that runs a job" />}
      </>
    ),
  });

  const left = steps.filter((each) => !each.isDone).length;
  const newest = found.ended_last[0];
  if (!left) {
    return (
      <>
        <Answer title={ended === 1 ? 'Your first job has run' : 'Everything is in place'} actions={<>{newest && <LinkButton to="/jobs/$id" params={{ id: newest.id }}>See the job</LinkButton>}<LinkButton to="/" variant="filled">Go to the overview</LinkButton></>}>{isOperator ? 'Definitions, workers and jobs are there.' : 'Definitions and jobs are there.'} The overview says from now on whether anything is failing, stuck or late.</Answer>
        <Steps steps={steps} />
      </>
    );
  }
  return (
    <>
      <Answer title="Nothing has run yet">{left === 1 ? 'One step' : left === 2 ? 'Two steps' : 'Three steps'} to the first job. This page watches while you work, and ticks off what is done.</Answer>
      <Steps steps={steps} />
    </>
  );
}
