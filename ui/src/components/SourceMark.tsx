import { IconBroadcast, IconClock, IconCornerDownRight, IconDatabase, IconPlug, IconUser, IconWebhook } from '@tabler/icons-react';
import type { Job } from '../api/client';
import { shortId } from '../lib/jobs';
import classes from './SourceMark.module.css';

/** Who can start a job, by the type of `triggered_by`. */
const WHO = {
  key: [IconPlug, 'API key'],
  session: [IconUser, 'Person'],
  login: [IconDatabase, 'Database login'],
  job: [IconCornerDownRight, 'Another job'],
  scheduler: [IconClock, 'Schedule'],
  event: [IconBroadcast, 'Event'],
  hook: [IconWebhook, 'Webhook'],
} as const;

/** Those that a person can filter by; schedules, events and webhooks start no job yet. */
export const STARTED_BY = (['key', 'session', 'login', 'job'] as const).map((value) => ({ value, label: WHO[value][1] as string }));

export function SourceMark({ job }: { job: Pick<Job, 'triggered_by' | 'source'> }) {
  const by = job.triggered_by;
  const [Icon, word] = WHO[(by?.type ?? '') as keyof typeof WHO] ?? [IconPlug, by?.type ?? job.source];
  const name = by?.type === 'job' ? `job ${shortId(by.id)}` : by?.name || by?.id || job.source;
  return (
    <span className={classes.mark} title={`${word}: ${name}`}>
      <Icon size={14} stroke={1.5} aria-hidden="true" /><span className="sr">{word}: </span><span className={classes.name}>{name}</span>
    </span>
  );
}
