/** What the policies of workers say of commands, in words: which they may run, and why not the others. */
import type { Worker } from './workers';

export interface Verdict { key: string; state: string; word: string; says: string }

/** A short word for each state, and a sentence for where a worker tells none. */
const STATES = new Map<string, [word: string, says: string]>([
  ['ready', ['Ready', '']],
  ['content_changed', ['Changed', 'The command or its executable has changed since the policy was written.']],
  ['definition_changed', ['Changed', 'The command has changed since the policy was written.']],
  ['definition_invalid', ['Unreadable', 'The stored command cannot be read.']],
  ['definition_missing', ['No definition', 'The policy names it, and there is no such command.']],
  ['executable_changed', ['Other executable', 'The executable has changed since the policy was written.']],
  ['executable_missing', ['No executable', 'The machine has no such executable.']],
  ['executable_unsafe', ['Unsafe executable', "Others than root and the worker's user can change the executable."]],
  ['executable_relative', ['Relative path', 'The path of the executable is not absolute.']],
  ['work_dir_unsafe', ['Unsafe directory', 'Others can change the directory for working directories.']],
  ['elsewhere', ['Other queue', '']],
  ['unnamed', ['Not named', 'Its policy does not name the command.']],
  ['no_policy', ['No policy', 'It has no policy, so it runs no commands.']],
]);
const OTHER: [word: string, says: string] = ['Differs', 'Its policy does not allow the command as it is.'];

const told = (key: string, state: string, says?: string): Verdict => {
  const [word, otherwise] = STATES.get(state) ?? OTHER;
  return { key, state, word, says: says || otherwise };
};

/** Where writing the policy again is enough. Else something has to be put right first. */
const BY_WRITING = new Set(['content_changed', 'definition_changed', 'executable_changed', 'policy_mismatch', 'unnamed']);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What a worker writes of its policy. Its metadata are its own: they may have any shape. */
const policyOf = (worker: Pick<Worker, 'metadata'>): Record<string, unknown> | undefined => {
  const policy = isObject(worker.metadata) ? worker.metadata.policy : undefined;
  return isObject(policy) ? policy : undefined;
};

type Telling = Pick<Worker, 'metadata' | 'definitions' | 'mismatched'>;
const has = (worker: Telling, key: string): boolean => worker.definitions?.includes(key) ?? false;

/** Of a command that a policy names: whether this worker runs it, and why not. */
export function verdict(worker: Telling, key: string): Verdict {
  if (has(worker, key)) return told(key, 'ready');
  const policy = policyOf(worker) ?? {};
  const entry = Object.hasOwn(policy, key) && isObject(policy[key]) ? (policy[key] as Record<string, unknown>) : {};
  const state = text(entry.state);
  return state && state !== 'ready' ? told(key, state, text(entry.detail)) : told(key, 'policy_mismatch');
}

export interface Commands { atOnce: number; verdicts: Verdict[] }

/** The commands that the policy of a worker names, in order. Undefined: it has no policy. */
export function commandsOf(worker: Telling): Commands | undefined {
  const policy = policyOf(worker);
  if (!policy && !worker.mismatched.length) return undefined;
  const named = [...new Set([...worker.mismatched, ...Object.keys(policy ?? {})])].sort();
  const atOnce = isObject(worker.metadata) ? worker.metadata.commands : 0;
  return { atOnce: typeof atOnce === 'number' ? atOnce : 0, verdicts: named.map((key) => verdict(worker, key)) };
}

/** A worker, and how it stands to one command. */
export interface Standing extends Verdict { worker: string }

function standing(worker: Worker, key: string, queue: string): Standing {
  const policy = policyOf(worker);
  const isNamed = worker.mismatched.includes(key) || (policy !== undefined && Object.hasOwn(policy, key));
  const found = has(worker, key) && !worker.queues.includes(queue) ? told(key, 'elsewhere', `It does not serve queue ${queue}.`)
    : has(worker, key) || isNamed ? verdict(worker, key)
    : told(key, policy ? 'unnamed' : 'no_policy');
  return { ...found, worker: worker.worker_id };
}

const PLACE = (state: string): number => ({ ready: 0, elsewhere: 2, unnamed: 3, no_policy: 4 })[state] ?? 1;

/** How each live worker stands to a command, but for schedulers, which run upkeep alone: those that run it first, then those that nearly do. */
export const standings = (workers: Worker[], key: string, queue: string): Standing[] =>
  workers.filter((w) => !w.stale && !w.draining && w.metadata?.kind !== 'scheduler').map((w) => standing(w, key, queue)).sort((a, b) => PLACE(a.state) - PLACE(b.state) || a.worker.localeCompare(b.worker));

export interface Step { says: string; lines: string[] }

const START = 'jobplane worker --policy policy.toml';

/** What to do next where no worker runs a command; undefined where one does. `jobplane policy` speaks of the machine it is run on. */
export function nextStep(found: Standing[], key: string, queue: string): Step | undefined {
  const [first] = found;
  if (!first) return { says: 'No worker is alive. On a machine that has the program, write a policy, and start a worker with it:', lines: [`jobplane policy write ${key} --file policy.toml`, START] };
  if (first.state === 'ready') return undefined;
  if (first.state === 'elsewhere') return { says: `${first.worker} may run it, but does not serve queue ${queue}. Move the command to a queue that it serves, or start the worker for this one.`, lines: [] };
  if (first.state === 'no_policy') return { says: 'No live worker has a policy. On a machine that has the program, write one, and start the worker with it:', lines: [`jobplane policy write ${key} --file policy.toml`, START] };
  if (BY_WRITING.has(first.state)) return { says: `Look at the command. If it is what you mean, allow it on the machine of ${first.worker}, as the user of the worker. The worker sees it within seconds:`, lines: [`jobplane policy write ${key}`] };
  return { says: `Put right what ${first.worker} says, then look again on its machine:`, lines: ['jobplane policy check'] };
}
