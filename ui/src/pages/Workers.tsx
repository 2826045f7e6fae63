import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, unwrap } from '../api/client';
import { useAct } from '../api/operator';
import { queuesQuery, workersQuery } from '../api/queries';
import { Answer } from '../components/Answer';
import { CodeInText } from '../components/CodeInText';
import { shapeOf } from '../components/CommandWorkers';
import { EmptyState } from '../components/EmptyState';
import { ErrorState } from '../components/ErrorState';
import { Loading } from '../components/Loading';
import { Panel } from '../components/Panel';
import { SlotBar } from '../components/SlotBar';
import { StatusBadge } from '../components/StatusBadge';
import { TableScroll } from '../components/TableScroll';
import { When } from '../components/When';
import table from '../components/DataTable.module.css';
import { useCaller } from '../lib/caller';
import { commandsOf } from '../lib/policy';
import { age, clockSeconds, DAY, day, duration, millis, plural, useNow } from '../lib/time';
import { deserted, inOrder, type Queue, stateOfWorker, storyOf, versionsOf, type Worker, workersAnswer } from '../lib/workers';
import classes from './Workers.module.css';

const STORIES = 3; // silent workers that are told of at length

function Forget({ worker, isSubtle = false }: { worker: Worker; isSubtle?: boolean }) {
  const { may } = useCaller();
  const act = useAct();
  if (!may('deleteWorker')) return null;
  return <Button variant={isSubtle ? 'subtle' : 'default'} onClick={() => void act(unwrap(api.DELETE('/api/v1/workers/{worker_id}', { params: { path: { worker_id: worker.worker_id } } })), `${worker.worker_id} is forgotten. If it comes back, it says hello again.`)} aria-label={`Forget ${worker.worker_id}`}>{isSubtle ? 'Forget' : `Forget ${worker.worker_id}`}</Button>;
}

/** The silent worker's story: what is known, with times, and what to do. */
function Silent({ worker: w, workers, queues }: { worker: Worker; workers: Worker[]; queues: Queue[] }) {
  const now = useNow();
  const alone = deserted(w, workers);
  const serve = (alone.length ? alone : w.queues).map((q) => ` --queue ${q}`).join('');
  const at = (ms: number) => (now - ms > DAY ? `${day(ms)} ` : '') + clockSeconds(ms);
  return (
    <section className={classes.stale} aria-label={`${w.worker_id} is silent`}>
      <div className={classes.who}><StatusBadge state="stale" word="Silent" /><b>{w.worker_id}</b><span className="quiet">{w.hostname}{w.pid ? `, process ${w.pid}` : ''}</span></div>
      <ol className={classes.story}>{storyOf(w, workers, queues).map((e) => <li key={e.says}><time>{e.at === null ? 'now' : at(e.at)}</time> <span>{e.says}</span></li>)}</ol>
      <div className={classes.todo}>
        <p>{alone.length ? `If the host is gone, start another worker for ${alone.length === 1 ? 'the queue' : 'the queues'}:` : 'Other workers serve its queues. If it should be there, start it again:'}</p>
        <code>jobplane worker{serve} --import YOUR_MODULE</code>
        <Forget worker={w} />
      </div>
    </section>
  );
}

function Knows({ definitions }: { definitions: string[] | null }) {
  if (!definitions) return <span className={table.sub}>any definition</span>;
  return <details className={classes.knows}><summary>{plural(definitions.length, 'definition')}</summary><ul>{definitions.map((d) => <li key={d}><Link to="/definitions/$key" params={{ key: d }}>{d}</Link></li>)}</ul></details>;
}

/** The commands that the policies of live workers name, each with whether the worker runs it. */
function CommandsPanel({ workers }: { workers: Worker[] }) {
  const found = workers.filter((w) => !w.stale).map((w) => ({ worker: w, commands: commandsOf(w) })).filter((each) => each.commands !== undefined);
  if (!found.length) return null;
  const refused = found.flatMap((each) => each.commands!.verdicts).filter((v) => v.state !== 'ready').length;
  return (
    <Panel title="Commands" note={refused ? `${refused} of those that a policy names ${refused === 1 ? 'does' : 'do'} not run` : 'what their policies allow'} flush>
      <TableScroll label="Commands">
        <table className={`${table.table} ${classes.commands}`}>
          <thead><tr><th>Worker</th><th>Command</th><th>State</th><th className={table.hidePhone}>Why</th></tr></thead>
          <tbody>
            {found.map(({ worker: w, commands }) => (commands!.verdicts.length ? commands!.verdicts.map((v, i) => (
              <tr key={`${w.worker_id} ${v.key}`} data-tone={v.state === 'ready' ? undefined : 'warn'} data-joined={i > 0 || undefined}>
                <td className={classes.id}>{i === 0 ? <><b className={table.name}>{w.worker_id}</b>{commands!.atOnce > 0 && <span className={table.sub}>{plural(commands!.atOnce, 'command')} at once</span>}</> : <span className="sr">{w.worker_id}</span>}</td>
                <td className={classes.id}><Link to="/definitions/$key" params={{ key: v.key }}>{v.key}</Link><span className={classes.onPhone}><CodeInText text={v.says} /></span></td>
                <td><StatusBadge state={shapeOf(v.state)} word={v.word} /></td>
                <td className={`${table.hidePhone} ${classes.why}`}><CodeInText text={v.says} /></td>
              </tr>
            )) : (
              <tr key={w.worker_id}><td className={classes.id}><b className={table.name}>{w.worker_id}</b></td><td colSpan={3} className={classes.why}>Its policy names no command. Allow one there with <code>jobplane policy write KEY</code>.</td></tr>
            )))}
          </tbody>
        </table>
      </TableScroll>
    </Panel>
  );
}

function Row({ worker: w }: { worker: Worker }) {
  const now = useNow();
  const state = stateOfWorker(w);
  const since = millis(w.oldest_lease_at);
  return (
    <tr data-tone={state === 'stale' ? 'bad' : undefined}>
      <td className={classes.id}><b className={table.name}>{w.worker_id}</b><span className={`${table.sub} mono ${classes.host}`}>{w.hostname}</span></td>
      <td><SlotBar slots={w.slots} busy={w.running_count} state={state} /></td>
      <td className="num">{state === 'stale' ? <StatusBadge state="stale" word="Silent" /> : state === 'draining' ? <span className={classes.drain}><StatusBadge state="draining" />{w.running_count} left</span> : <>{w.running_count}<span className="quiet"> / {w.slots}</span></>}</td>
      <td className={table.hidePhone}>{w.queues.join(', ') || <span className="quiet">none</span>}<Knows definitions={w.definitions} /></td>
      <td className={table.hidePhone}>{since === undefined ? <span className="quiet">idle</span> : <Link to="/jobs" search={{ worker: w.worker_id, status: ['running'] }}>{age(now - since)}<span className="sr"> on {w.worker_id}: see its jobs</span></Link>}</td>
      <td className={table.hidePhone}>{w.version}{w.is_behind && <span className={classes.skew}>older than the server</span>}</td>
      <td className={`${table.hideNarrow} soft nowrap`}>{duration(now - millis(w.started_at)!)}</td>
      <td className={`num nowrap ${state === 'stale' ? 'tone-bad strong' : ''}`}><When at={w.last_seen_at} /></td>
      <td className={`num ${table.hidePhone}`}>{state === 'stale' && <Forget worker={w} isSubtle />}</td>
    </tr>
  );
}

function more(workers: Worker[], queues: Queue[]): string {
  const alive = workers.filter((w) => !w.stale);
  const [busy, slots] = [alive.reduce((n, w) => n + w.running_count, 0), alive.reduce((n, w) => n + w.slots, 0)];
  const draining = alive.filter((w) => w.draining).map((w) => w.worker_id);
  const behind = alive.filter((w) => w.is_behind);
  const alone = [...new Set(workers.filter((w) => w.stale).flatMap((w) => deserted(w, workers)))].filter((name) => queues.some((q) => q.name === name && q.ready + q.held > 0));
  return [
    slots ? `${busy} of ${plural(slots, 'slot')} ${busy === 1 ? 'is' : 'are'} busy.` : 'No slot is left.',
    alone.length ? `Nobody serves ${alone.join(', ')}, where jobs wait.` : '',
    draining.length ? `${draining.join(', ')} ${draining.length === 1 ? 'drains: it finishes what it runs' : 'drain: they finish what they run'}.` : '',
    behind.length ? `${plural(behind.length, 'worker')} ${behind.length === 1 ? 'is' : 'are'} older than the server.` : '',
  ].filter(Boolean).join(' ');
}

export function Workers() {
  const { may } = useCaller();
  const { data, error, refetch } = useQuery(workersQuery);
  const { data: queues } = useQuery({ ...queuesQuery, enabled: may('listQueues') });
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Looking for workers" />;
  const workers = inOrder(data.items);
  const silent = workers.filter((w) => w.stale);
  if (!workers.length) {
    return (
      <>
        <Answer title={workersAnswer(workers)}>Jobs wait until one does.</Answer>
        <Panel><EmptyState title="Start a worker" says={<>Where your code is: <code>jobplane worker --import YOUR_MODULE</code></>} /></Panel>
      </>
    );
  }
  return (
    <>
      <Answer title={workersAnswer(workers)}>{more(workers, queues?.items ?? [])}</Answer>
      {silent.slice(0, STORIES).map((w) => <Silent key={w.worker_id} worker={w} workers={workers} queues={queues?.items ?? []} />)}
      <Panel title="Fleet" note={versionsOf(workers)} flush>
        <TableScroll label="Workers">
          <table className={table.table}>
            <thead><tr><th>Worker</th><th>Slots</th><th className="num">Busy</th><th className={table.hidePhone}>Queues</th><th className={table.hidePhone}>Longest running</th><th className={table.hidePhone}>Version</th><th className={table.hideNarrow}>Up</th><th className="num">Heard from</th><th className={table.hidePhone}><span className="sr">Actions</span></th></tr></thead>
            <tbody>{workers.map((w) => <Row key={w.worker_id} worker={w} />)}</tbody>
          </table>
        </TableScroll>
      </Panel>
      <div className={classes.below}><CommandsPanel workers={workers} /></div>
    </>
  );
}
