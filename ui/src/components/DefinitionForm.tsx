import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, type Definition, api, type Schemas, unwrap } from '../api/client';
import { definitionQuery } from '../api/operator';
import { queuesQuery } from '../api/queries';
import { changed, numberIn } from '../lib/form-errors';
import { FormDialog, half, type Values } from './FormDialog';

type Changes = Schemas['DefinitionChanges'];
const COUNTS = ['max_running', 'max_running_per_tenant', 'retention_days', 'retention_days_logs', 'retention_count'] as const;
type Settings = Pick<Definition, 'description' | 'queue' | 'priority' | 'timeout_seconds' | 'max_attempts' | 'backoff' | (typeof COUNTS)[number]>;

const settingsOf = (d: Definition): Settings => ({
  description: d.description, queue: d.queue, priority: d.priority, timeout_seconds: d.timeout_seconds, max_attempts: d.max_attempts, backoff: { base: d.backoff.base, factor: d.backoff.factor, cap: d.backoff.cap, jitter: d.backoff.jitter },
  max_running: d.max_running, max_running_per_tenant: d.max_running_per_tenant, retention_days: d.retention_days, retention_days_logs: d.retention_days_logs, retention_count: d.retention_count,
});

function settingsIn(v: Values): Settings {
  const n = (name: string) => numberIn(v[name]);
  return {
    description: v.description!.trim(), queue: v.queue!, priority: n('priority')!, timeout_seconds: n('timeout_seconds'), max_attempts: n('max_attempts')!,
    backoff: { base: n('backoff.base')!, factor: n('backoff.factor')!, cap: n('backoff.cap')!, jitter: n('backoff.jitter')! },
    max_running: n('max_running'), max_running_per_tenant: n('max_running_per_tenant'), retention_days: n('retention_days'), retention_days_logs: n('retention_days_logs'), retention_count: n('retention_count'),
  };
}

/** Change what a person may set. It says which revision it has seen, so that nobody's change is lost. */
export function DefinitionForm({ definition, onClose }: { definition: Definition; onClose: () => void }) {
  const [opened, setOpened] = useState(definition);
  const [queue, setQueue] = useState(definition.queue);
  const { refetch } = useQuery({ ...definitionQuery(definition.key), enabled: false });
  const { data: queues } = useQuery(queuesQuery);
  const reload = async () => { const { data } = await refetch(); if (data) { setOpened(data); setQueue(data.queue); } };
  const names = [...new Set([opened.queue, ...(queues?.items ?? []).map((q) => q.name)])].sort();
  const send = async (values: Values) => {
    const changes = changed(settingsOf(opened), settingsIn(values)) as Changes;
    if (!Object.keys(changes).length) return 'Nothing was changed.';
    try {
      await unwrap(api.PATCH('/api/v1/admin/jobs/definitions/{key}', { params: { path: { key: opened.key }, header: { 'If-Match': `"${opened.revision}"` } }, body: changes }));
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) throw new ApiError(412, { ...error.problem, detail: 'Somebody changed it meanwhile. Reload to see their values; yours are lost then.' });
      throw error;
    }
    return `${opened.key} is changed.`;
  };
  return (
    <FormDialog key={opened.revision} title={`Change ${opened.key}`} says={opened.origin === 'code' ? 'What you change here stays when the code is deployed again.' : undefined} submit="Save" codes={{ unknown_queue: 'queue' }} onClose={onClose} run={send} onError={(error) => error instanceof ApiError && error.status === 412 && <Button onClick={() => void reload()}>Reload</Button>}>
      {(errors) => {
        const field = (name: string, label: string, description: string, value: number | null | undefined) => <TextInput key={name} className={half} name={name} label={label} description={description} defaultValue={value ?? ''} error={errors[name]} inputMode="decimal" autoComplete="off" />;
        return (
          <>
            <Textarea name="description" label="Description" defaultValue={opened.description} error={errors.description} rows={2} autoFocus />
            <NativeSelect className={half} name="queue" label="Queue" description="For jobs that name none." data={names} value={queue} onChange={(e) => setQueue(e.currentTarget.value)} error={errors.queue} />
            {field('priority', 'Priority', '0 to 1000; lower is more urgent.', opened.priority)}
            {field('timeout_seconds', 'Timeout, seconds', 'Of one attempt. Empty: none.', opened.timeout_seconds)}
            {field('max_attempts', 'Attempts', '1 to 1000.', opened.max_attempts)}
            {field('backoff.base', 'Backoff, seconds', 'Before the second attempt.', opened.backoff.base)}
            {field('backoff.factor', 'Backoff factor', 'How much it grows each time.', opened.backoff.factor)}
            {field('backoff.cap', 'Backoff at most, seconds', 'However many attempts.', opened.backoff.cap)}
            {field('backoff.jitter', 'Backoff jitter', '0 to 1: the part that chance takes off.', opened.backoff.jitter)}
            {field('max_running', 'Running at once', 'Over all tenants. Empty: no limit.', opened.max_running)}
            {field('max_running_per_tenant', 'Running per tenant', 'Empty: no limit.', opened.max_running_per_tenant)}
            {field('retention_days', 'Keep jobs, days', 'Empty: by default 30.', opened.retention_days)}
            {field('retention_days_logs', 'Keep logs, days', 'Empty: by default a week.', opened.retention_days_logs)}
            {field('retention_count', 'Keep jobs, at most', 'Ended jobs of each tenant. Empty: by default any number.', opened.retention_count)}
          </>
        );
      }}
    </FormDialog>
  );
}
