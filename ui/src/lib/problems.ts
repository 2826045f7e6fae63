/** Problems in the page's own words. A code that the page does not know is told in the server's. */
import type { Problem } from '../api/client';
import { errorLine } from './jobs';
import { age, count, plural } from './time';

export interface Told { subject: string; says: string; because: string; action: string; to: string; search?: object; params?: object }

const text = (value: unknown): string => (typeof value === 'string' ? value : value === null || value === undefined ? '' : String(value));
const jobs = (n: number): string => (n >= 10_000 ? `at least ${count(n)} jobs` : plural(n, 'job'));
const wait = (n: number): string => (n === 1 ? 'waits' : 'wait');
const pausedBy = (p: Problem): string => {
  const who = text(p.facts.by) ? `Paused by ${text(p.facts.by)}` : 'Paused';
  return text(p.facts.reason) ? `${who}: ${text(p.facts.reason)}` : `${who}, without a reason.`;
};
const seeJobs = (p: Problem, more: object) => ({ action: `See ${jobs(Number(p.facts.count ?? 0))}`, to: '/jobs', search: more });

const TELL: Record<string, (p: Problem, name: string, n: number) => Told> = {
  no_worker: (p, name, n) => ({
    subject: p.subject.type === 'queue' ? `Queue ${name}` : name,
    says: `starts nothing: ${jobs(n)} ${wait(n)}.`,
    because: p.subject.type === 'queue' ? 'No live worker serves this queue.' : text(p.facts.reason) === 'unbound' ? 'It has no kind yet: no worker can know it.' : text(p.facts.reason) === 'policy_mismatch' ? 'The command is another one than the policy of the workers allows.' : 'No live worker knows this definition.',
    ...(text(p.facts.reason) === 'policy_mismatch' ? { action: 'See it', to: `/definitions/${encodeURIComponent(name)}` } : { action: 'See workers', to: '/workers' }),
  }),
  queue_paused: (p, name, n) => ({ subject: `Queue ${name}`, says: `is paused: ${jobs(n)} ${wait(n)}.`, because: pausedBy(p), action: 'See queue', to: '/queues' }),
  tenant_paused: (p, name, n) => ({ subject: name, says: `is paused: ${jobs(n)} ${wait(n)}.`, because: pausedBy(p), action: 'See tenant', to: '/tenants' }),
  slow_queue: (p, name, n) => ({ subject: `Queue ${name}`, says: `is slow: ${jobs(n)} ${wait(n)} longer than usual.`, because: 'Its workers are full, or their jobs take longer than before.', ...seeJobs(p, { status: ['queued'], queue: name }) }),
  dead_letters: (p, name, n) => ({ subject: name, says: `fails: ${jobs(n)} became dead ${n === 1 ? 'letter' : 'letters'} in the last hour.`, because: errorLine(text(p.facts.error)) ? `The newest: ${errorLine(text(p.facts.error))}` : 'Their attempts ran out.', ...seeJobs(p, { status: ['dead_letter'], definition: name }) }),
  worker_silent: (_, name, n) => ({ subject: name, says: 'is silent.', because: n ? `It holds ${plural(n, 'lease')}; its jobs run again when they expire.` : 'It did not say goodbye. It may have been killed, or cut off.', action: 'See worker', to: '/workers' }),
  schedule_late: (p, name) => ({ subject: text(p.facts.label) || name, says: `did not fire: it is late by ${age(1000 * Number(p.facts.late_seconds ?? 0))}.`, because: 'No scheduler has acted on it. Check that one runs.', action: 'See schedule', to: text(p.facts.trigger_id) ? `/schedules/${encodeURIComponent(text(p.facts.trigger_id))}` : '/schedules' }),
  clock_skew: (p) => ({ subject: 'The clock', says: `of the database and of this server differ by ${Number(p.facts.seconds ?? 0).toFixed(1)} s.`, because: 'Set both by NTP.', action: 'See database', to: '/database' }),
  held_snapshot: (p) => ({ subject: 'An old transaction', says: 'keeps dead rows from being removed.', because: p.detail, action: 'See database', to: '/database' }),
  schema_behind: (p) => ({ subject: 'The database', says: 'has another schema than this server needs.', because: p.detail, action: 'See database', to: '/database' }),
};
/** Pages that only an operator has: a tenant is led to the jobs that are concerned. */
const FOR_OPERATORS = new Set(['/workers', '/queues', '/tenants', '/database']);

export function tell(problem: Problem, isOperator: boolean): Told {
  const name = text(problem.subject.name);
  const known = TELL[problem.code];
  const told = known ? known(problem, name, Number(problem.facts.count ?? 0)) : { subject: '', says: problem.detail, because: '', action: 'See jobs', to: '/jobs' };
  if (isOperator || !(FOR_OPERATORS.has(told.to) || told.to.startsWith('/definitions/'))) return told;
  const where = problem.subject.type === 'queue' ? { queue: name } : problem.subject.type === 'definition' ? { definition: name } : {};
  return { ...told, action: 'See jobs', to: '/jobs', search: { status: ['queued'], ...where } };
}

const NUMBERS = ['Nothing needs', 'One thing needs', 'Two things need', 'Three things need', 'Four things need', 'Five things need', 'Six things need', 'Seven things need', 'Eight things need', 'Nine things need'];

/** The answer of the overview, and how it divides. */
export function answer(problems: Problem[]): { title: string; kinds: string } {
  const kinds = (['failing', 'stuck', 'late'] as const).map((kind) => [problems.filter((p) => p.kind === kind).length, kind] as const);
  return {
    title: problems.length ? `${NUMBERS[problems.length] ?? `${problems.length} things need`} you` : 'Nothing is failing, stuck or late',
    kinds: kinds.filter(([n]) => n).map(([n, kind]) => `${n} ${kind}`).join(', '),
  };
}
