import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { definitionsQuery, foundJobsQuery, queuesQuery, tenantsQuery, workersQuery } from '../api/queries';
import { schedulePageQuery } from '../api/schedules';
import { useCaller } from '../lib/caller';
import { Dialog } from './Dialog';
import classes from './GoTo.module.css';

interface Hit { kind: string; name: string; more: string; to: string; params?: object; search?: object }

/** One box for every noun: a job by a part of its id, a definition by its key, a worker by its name. */
export function GoTo({ onClose }: { onClose: () => void }) {
  const { tenant, isOperator, may } = useCaller();
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const q = query.trim().toLowerCase();
  const { data: jobs } = useQuery({ ...foundJobsQuery(tenant, q), enabled: may('listJobs') && /^[0-9a-f-]{6,36}$/.test(q) });
  const { data: definitions } = useQuery({ ...definitionsQuery(tenant), enabled: may('listDefinitions') });
  const { data: schedules } = useQuery({ ...schedulePageQuery(tenant, {}), enabled: may('listTriggers') });
  const { data: workers } = useQuery({ ...workersQuery, enabled: isOperator });
  const { data: queues } = useQuery({ ...queuesQuery, enabled: isOperator });
  const { data: tenants } = useQuery({ ...tenantsQuery, enabled: isOperator });
  const named: Hit[] = [
    ...(definitions?.items ?? []).map((d) => ({ kind: 'Definition', name: d.key, more: d.description, to: '/jobs', search: { definition: d.key } })),
    ...(schedules?.items ?? []).map((s) => ({ kind: 'Schedule', name: s.label, more: s.words, to: '/schedules/$id', params: { id: s.id } })),
    ...(workers?.items ?? []).map((w) => ({ kind: 'Worker', name: w.worker_id, more: w.queues.join(', '), to: '/workers' })),
    ...(queues?.items ?? []).map((u) => ({ kind: 'Queue', name: u.name, more: u.description, to: '/queues' })),
    ...(tenants?.items ?? []).map((t) => ({ kind: 'Tenant', name: t.name || t.slug, more: t.slug, to: '/', search: { tenant: t.slug } })),
  ];
  const rank = (h: Hit) => (h.name.toLowerCase().startsWith(q) ? 0 : h.name.toLowerCase().includes(q) ? 1 : 2);
  const hits: Hit[] = [
    ...(jobs?.items ?? []).map((j) => ({ kind: 'Job', name: j.id.slice(-8), more: `${j.definition_key} · ${j.status}`, to: '/jobs/$id', params: { id: j.id } })),
    ...named.filter((h) => `${h.kind} ${h.name} ${h.more}`.toLowerCase().includes(q)).sort((a, b) => rank(a) - rank(b)),
  ].slice(0, 9);
  const open = (hit?: Hit) => { if (hit) { onClose(); void navigate({ to: hit.to, params: hit.params, search: hit.search ?? {} } as never); } };
  return (
    <Dialog label="Find" onClose={onClose} top>
      <input className={classes.input} autoFocus value={query} placeholder={isOperator ? 'Job id, definition, schedule, worker, queue, tenant' : 'Job id, definition or schedule'} aria-label="Find" role="combobox" aria-expanded="true" aria-controls="goto-hits" aria-activedescendant={hits.length ? `goto-${at}` : undefined}
        onChange={(e) => { setQuery(e.currentTarget.value); setAt(0); }}
        onKeyDown={(e) => {
          if (e.key === 'ArrowDown') { e.preventDefault(); setAt(Math.min(at + 1, hits.length - 1)); }
          if (e.key === 'ArrowUp') { e.preventDefault(); setAt(Math.max(at - 1, 0)); }
          if (e.key === 'Enter') open(hits[at]);
        }} />
      <ul className={classes.hits} id="goto-hits" role="listbox" aria-label="Results">
        {hits.map((h, i) => (
          <li key={h.kind + h.name} id={`goto-${i}`} role="option" aria-selected={i === at} className={classes.hit} onClick={() => open(h)} onMouseMove={() => setAt(i)}>
            <span className={classes.kind}>{h.kind}</span><span className={classes.name}>{h.name}</span><span className={classes.more}>{h.more}</span>
          </li>
        ))}
      </ul>
      {!hits.length && <p className={classes.none}>Nothing has that name. Search <Link to="/jobs" search={{ q: query } as never} onClick={onClose}>jobs</Link> or <Link to="/logs" search={{ q: query } as never} onClick={onClose}>logs</Link> for it.</p>}
    </Dialog>
  );
}
