import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, ApiError, unwrap } from '../api/client';
import { queuePageQuery, useAct } from '../api/operator';
import { workersQuery } from '../api/queries';
import { Answer } from '../components/Answer';
import { above, Below, rowActions } from '../components/Below';
import { Confirm } from '../components/Confirm';
import { EmptyState } from '../components/EmptyState';
import { ErrorState } from '../components/ErrorState';
import { Filters, FilterText } from '../components/Filters';
import { FormDialog } from '../components/FormDialog';
import { Loading } from '../components/Loading';
import { Pager } from '../components/Pager';
import { Panel } from '../components/Panel';
import { Paused } from '../components/Paused';
import { PauseForm } from '../components/PauseForm';
import { StatusBadge } from '../components/StatusBadge';
import { TableScroll } from '../components/TableScroll';
import table from '../components/DataTable.module.css';
import { useCaller } from '../lib/caller';
import { QUEUE_STATES, queuesAnswer, queueState } from '../lib/queues';
import { useRows } from '../lib/rows';
import { capped } from '../lib/tenants';
import { count } from '../lib/time';
import { type Queue, serving, type Worker } from '../lib/workers';
import type { ListSearch } from '../router';
import classes from './Tenants.module.css';

const FEW = 12;
const OWN = new Set(['default', 'system']); // jobplane needs them
type Open = { what: 'new' | 'edit' | 'pause' | 'delete'; queue?: Queue } | null;

/** To put a queue changes one that is there: a new one must not. */
async function isThere(name: string): Promise<boolean> {
  try {
    await unwrap(api.GET('/api/v1/queues/{name}', { params: { path: { name } } }));
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

function QueueForm({ queue, onClose }: { queue?: Queue; onClose: () => void }) {
  return (
    <FormDialog title={queue ? `Describe ${queue.name}` : 'New queue'} says={queue ? undefined : 'A queue is a lane that workers serve. Start a worker for it, or its jobs wait.'} submit={queue ? 'Save' : 'Make queue'} codes={{ already_exists: 'name' }} onClose={onClose}
      run={async (v) => {
        const name = queue?.name ?? v.name!.trim();
        if (!queue && (await isThere(name))) throw new ApiError(409, { detail: 'There is a queue with this name already.', code: 'already_exists' });
        await unwrap(api.PUT('/api/v1/queues/{name}', { params: { path: { name } }, body: { description: v.description!.trim() } }));
        return queue ? `Queue ${name} is changed.` : `Queue ${name} is there.`;
      }}>
      {(errors) => (
        <>
          {!queue && <TextInput name="name" label="Name" description="a-z, 0-9, dot, dash and underscore." error={errors.name} autoComplete="off" spellCheck={false} required autoFocus />}
          <TextInput name="description" label="Description" defaultValue={queue?.description} error={errors.description} autoComplete="off" />
        </>
      )}
    </FormDialog>
  );
}

function Row({ queue: q, workers, open }: { queue: Queue; workers: Worker[]; open: (open: Open) => void }) {
  const { may } = useCaller();
  const act = useAct();
  const state = queueState(q, workers);
  const by = serving(workers, q.name);
  const slots = by.reduce((n, w) => n + w.slots, 0);
  const isEmpty = q.ready + q.held + q.upcoming + q.running === 0;
  const actions: ReactNode = (
    <>
      {may('deleteQueue') && isEmpty && !by.length && !OWN.has(q.name) && <Button variant="subtle" onClick={() => open({ what: 'delete', queue: q })} aria-label={`Delete ${q.name}`}>Delete…</Button>}
      {may('putQueues') && <Button variant="subtle" onClick={() => open({ what: 'edit', queue: q })} aria-label={`Describe ${q.name}`}>Describe…</Button>}
      {q.paused_at
        ? may('resumeQueue') && <Button onClick={() => void act(unwrap(api.POST('/api/v1/queues/{name}/resume', { params: { path: { name: q.name } } })), `Queue ${q.name} goes on.`)} aria-label={`Resume ${q.name}`}>Resume</Button>
        : may('pauseQueue') && <Button variant="subtle" onClick={() => open({ what: 'pause', queue: q })} aria-label={`Pause ${q.name}`}>Pause…</Button>}
    </>
  );
  const badge = q.paused_at ? <Paused of={q} /> : <span className={state === 'idle' ? classes.idle : undefined}><StatusBadge state={QUEUE_STATES[state][0]} word={QUEUE_STATES[state][1]} /></span>;
  const tone = state === 'deserted' ? 'bad' : state === 'paused' ? 'warn' : undefined;
  return (
    <>
      <tr className={above} data-tone={tone}>
        <td className={classes.what}><Link to="/jobs" search={{ queue: q.name }} className={table.name} data-row>{q.name}</Link>{q.description && <span className={table.sub}>{q.description}</span>}</td>
        <td className={`${table.hidePhone} ${classes.state}`}>{badge}</td>
        <td className="num">{q.ready ? capped(q.ready) : <span className="quiet">0</span>}</td>
        <td className={`num ${q.held ? 'tone-warn strong' : 'quiet'}`}>{capped(q.held)}</td>
        <td className={`num ${table.hidePhone}`}>{q.upcoming ? capped(q.upcoming) : <span className="quiet">0</span>}</td>
        <td className="num nowrap">{q.running ? capped(q.running) : <span className="quiet">0</span>}<span className="quiet"> / {count(slots)}</span></td>
        <td className={`num ${table.hidePhone} ${state === 'deserted' ? 'tone-bad strong' : by.length ? '' : 'quiet'}`}>{by.length ? <Link to="/workers">{by.length}</Link> : 0}</td>
        <td className={table.hidePhone}><div className={rowActions}>{actions}</div></td>
      </tr>
      <Below tone={tone} says={badge}>{actions}</Below>
    </>
  );
}

export function Queues() {
  const { q, cursor } = useSearch({ strict: false }) as ListSearch;
  const { may } = useCaller();
  const { data, error, refetch } = useQuery(queuePageQuery(cursor));
  const { data: workers } = useQuery({ ...workersQuery, enabled: may('listWorkers') });
  const [open, setOpen] = useState<Open>(null);
  useRows();
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data || !workers) return <Loading what="Looking for queues" />;
  const found = q ? data.items.filter((x) => `${x.name} ${x.description}`.toLowerCase().includes(q.toLowerCase())) : data.items;
  const { title, more } = queuesAnswer(data.items, workers.items);
  const close = () => setOpen(null);
  const at = (queue: Queue) => ({ params: { path: { name: queue.name } } });
  return (
    <>
      <Answer title={title} actions={may('putQueues') && <Button variant="filled" onClick={() => setOpen({ what: 'new' })}>New queue</Button>}>{more || 'What waits is started as soon as a slot is free.'} A queue is shared by all tenants.</Answer>
      <Panel flush>
        {(data.items.length > FEW || cursor || q) && <Filters><FilterText name="q" label="Find a queue" placeholder="Name or description" value={q} isSearch /></Filters>}
        {found.length ? (
          <TableScroll label="Queues">
            <table className={`${table.table} ${table.tall}`}>
              <thead><tr><th>Queue</th><th className={table.hidePhone}>State</th><th className="num">Ready</th><th className="num">Held</th><th className={`num ${table.hidePhone}`}>Upcoming</th><th className="num">Running</th><th className={`num ${table.hidePhone}`}>Workers</th><th className={table.hidePhone}><span className="sr">Actions</span></th></tr></thead>
              <tbody>{found.map((x) => <Row key={x.name} queue={x} workers={workers.items} open={setOpen} />)}</tbody>
            </table>
          </TableScroll>
        ) : <EmptyState title="No queue has that name" says="Try a shorter word." />}
      </Panel>
      <Pager cursor={cursor} next={data.next_cursor} what="queues" />
      {(open?.what === 'new' || open?.what === 'edit') && <QueueForm queue={open.queue} onClose={close} />}
      {open?.what === 'pause' && open.queue && <PauseForm name={`queue ${open.queue.name}`} says="No job of it starts from now on, for any tenant. What runs goes on, and jobs may still be enqueued." onClose={close} pause={(reason) => unwrap(api.POST('/api/v1/queues/{name}/pause', { ...at(open.queue!), body: { reason } }))} />}
      {open?.what === 'delete' && open.queue && <Confirm title={`Delete queue ${open.queue.name}`} says="Nothing waits or runs in it. Ended jobs keep its name; to retry one of them, make the queue again." name={open.queue.name} submit="Delete queue" onClose={close} run={async () => { await unwrap(api.DELETE('/api/v1/queues/{name}', at(open.queue!))); return `Queue ${open.queue!.name} is deleted.`; }} />}
    </>
  );
}
