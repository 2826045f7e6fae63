import { TextInput } from '@mantine/core';
import type { Runnable } from '../api/run';
import type { Json, Members } from '../lib/json';
import { typedNumber } from '../lib/schema';
import { relative, useNow, VIEWER_ZONE } from '../lib/time';
import classes from '../pages/Run.module.css';

/** What a person may set beside the payload, as it was typed; empty: the definition's own. */
export interface Options { at: string; priority: string; dedupeKey: string; queue: string; tags: string; maxAttempts: string }
export const NO_OPTIONS: Options = { at: '', priority: '', dedupeKey: '', queue: '', tags: '', maxAttempts: '' };

/** The instant of a time in the viewer's zone. */
const instantOf = (at: string): number | undefined => { const found = Date.parse(at); return Number.isNaN(found) ? undefined : found; };

/** The body of the request that enqueues. */
export function bodyOf(key: string, payload: Members, options: Options): Members {
  const instant = instantOf(options.at);
  const tags = options.tags.split(',').map((tag) => tag.trim()).filter(Boolean);
  const given: [string, Json | undefined][] = [
    ['scheduled_for', instant === undefined ? undefined : new Date(instant).toISOString()],
    ['priority', typedNumber(options.priority)],
    ['queue', options.queue.trim() || undefined],
    ['dedupe_key', options.dedupeKey || undefined],
    ['tags', tags.length ? tags : undefined],
    ['max_attempts', typedNumber(options.maxAttempts)],
  ];
  return new Map<string, Json>([['definition_key', key], ['payload', payload], ...given.filter((each): each is [string, Json] => each[1] !== undefined)]);
}

export function RunOptions({ options, definition, faults, onChange, onLeave }: { options: Options; definition: Runnable; faults: ReadonlyMap<string, string>; onChange: (options: Options) => void; onLeave: () => void }) {
  const now = useNow();
  const instant = instantOf(options.at);
  const field = (name: keyof Options, wire: string) => ({ value: options[name], error: faults.get(wire), onBlur: onLeave, onChange: (e: { currentTarget: { value: string } }) => onChange({ ...options, [name]: e.currentTarget.value }) });
  const when = instant === undefined ? `Time in ${VIEWER_ZONE}. Empty: now.` : instant <= now ? `Time in ${VIEWER_ZONE}. This is over: it starts at once.` : `Time in ${VIEWER_ZONE}: ${relative(instant, now)}.`;
  return (
    <div className={classes.options}>
      <TextInput label="Not before" description={when} type="datetime-local" {...field('at', 'scheduled_for')} />
      <TextInput label="Dedupe key" description="One waiting or running job has it." placeholder="none" spellCheck={false} {...field('dedupeKey', 'dedupe_key')} />
      <TextInput label="Priority" description="0 to 1000. Lower comes first." inputMode="numeric" placeholder={definition.priority} {...field('priority', 'priority')} />
      <TextInput label="Attempts" description="How often it may start." inputMode="numeric" placeholder={definition.maxAttempts} {...field('maxAttempts', 'max_attempts')} />
      <TextInput label="Queue" placeholder={definition.queue} spellCheck={false} {...field('queue', 'queue')} />
      <TextInput label="Tags" placeholder="none; a comma between two" spellCheck={false} {...field('tags', 'tags')} />
    </div>
  );
}
