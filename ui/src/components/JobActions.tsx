import { Button, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useJobActions } from '../api/actions';
import { ApiError, type Job } from '../api/client';
import { type Changes, useWaitingJob } from '../api/job';
import { useCaller } from '../lib/caller';
import { parseExact } from '../lib/exact';
import { isEnded, mayCancel, mayRetry } from '../lib/jobs';
import { useKeys } from '../lib/keys';
import { millis, useNow, VIEWER_ZONE } from '../lib/time';
import { hasMasked } from '../lib/tree';
import { Dialog } from './Dialog';
import { LinkButton } from './LinkButton';
import classes from '../pages/Job.module.css';

function CancelForm({ job, onClose }: { job: Job; onClose: () => void }) {
  const { cancel } = useJobActions();
  const [reason, setReason] = useState('');
  const send = (e: FormEvent) => { e.preventDefault(); void cancel([job.id], reason.trim() || undefined); onClose(); };
  return (
    <Dialog label="Cancel this job" onClose={onClose}>
      <form className={classes.form} onSubmit={send}>
        <h2>Cancel this job?</h2>
        <p>{job.status === 'running' ? 'Its worker is asked to stop it. A handler that does not look may run to its end.' : 'It waits, so it ends at once. You can take that back for a few seconds.'}</p>
        <TextInput label="Reason" description="Optional. It stays with the job and in the audit log." value={reason} maxLength={500} onChange={(e) => setReason(e.currentTarget.value)} data-autofocus autoFocus />
        <div className={classes.buttons}><Button type="button" onClick={onClose}>Keep it</Button><Button type="submit" variant="danger">Cancel job</Button></div>
      </form>
    </Dialog>
  );
}

/** `2026-11-18T16:10:00` in the viewer's zone, as the browser's own field for times wants it. */
const local = (at: number): string => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);

function ChangeForm({ job, onClose }: { job: Job; onClose: () => void }) {
  const { may } = useCaller();
  const { change } = useWaitingJob(job.id);
  const before = { time: local(millis(job.scheduled_for)!), priority: String(job.priority), payload: JSON.stringify(job.payload, null, 2) };
  const [time, setTime] = useState(before.time);
  const [priority, setPriority] = useState(before.priority);
  const [payload, setPayload] = useState(before.payload);
  const [errors, setErrors] = useState<{ priority?: string; payload?: string; all?: string }>({});
  const mayEdit = may('editJob');

  const send = async (e: FormEvent) => {
    e.preventDefault();
    const changes: Changes = {};
    if (time !== before.time && time) changes.scheduled_for = new Date(time).toISOString();
    if (priority !== before.priority) {
      if (!/^\d{1,4}$/.test(priority) || Number(priority) > 1000) return setErrors({ priority: 'A whole number from 0 to 1000.' });
      changes.priority = Number(priority);
    }
    if (payload !== before.payload) {
      try {
        changes.payload = parseExact(payload) as Record<string, unknown>;
      } catch (error) {
        return setErrors({ payload: `This is not JSON. ${(error as Error).message}` });
      }
      if (typeof changes.payload !== 'object' || Array.isArray(changes.payload) || !changes.payload) return setErrors({ payload: 'A payload is a JSON object: { … }.' });
    }
    if (!Object.keys(changes).length) return onClose();
    try {
      await change(changes);
      onClose();
    } catch (error) {
      const wrong = error instanceof ApiError ? error.problem.errors?.map((w) => `${w.pointer || 'It'}: ${w.detail}`).join(' ') : '';
      setErrors(changes.payload ? { payload: wrong || (error as Error).message } : { all: wrong || (error as Error).message });
    }
  };
  return (
    <Dialog label="Change this job" onClose={onClose}>
      <form className={classes.form} onSubmit={(e) => void send(e)} noValidate>
        <h2>Change this job while it waits</h2>
        <div className={classes.two}>
          <TextInput type="datetime-local" step={1} label="Not before" description={`in ${VIEWER_ZONE}`} value={time} onChange={(e) => setTime(e.currentTarget.value)} />
          {mayEdit && <TextInput label="Priority" description="lower is sooner" inputMode="numeric" value={priority} error={errors.priority} onChange={(e) => setPriority(e.currentTarget.value)} />}
        </div>
        {mayEdit && <Textarea label="Payload" description={hasMasked(job.payload) ? '*** stands for a hidden value. Leave it, and the value stays.' : 'JSON'} rows={Math.min(16, payload.split('\n').length + 1)} spellCheck={false} value={payload} error={errors.payload} onChange={(e) => setPayload(e.currentTarget.value)} />}
        {errors.all && <p role="alert" className="tone-bad">{errors.all}</p>}
        <div className={classes.buttons}><Button type="button" onClick={onClose}>Leave it</Button><Button type="submit" variant="filled">Change job</Button></div>
      </form>
    </Dialog>
  );
}

/** What fits the job's state and the caller's role. Across tenants: how to act. */
export function JobActions({ job, slug }: { job: Job; slug: string | undefined }) {
  const { mayAct, isOperator, tenant } = useCaller();
  const { retry } = useJobActions();
  const { startNow } = useWaitingJob(job.id);
  const navigate = useNavigate();
  const now = useNow();
  const [open, setOpen] = useState<'cancel' | 'change' | null>(null);
  const can = { cancel: mayCancel(job) && mayAct('cancelJob'), retry: mayRetry(job) && mayAct('retryJob'), move: job.status === 'queued' && mayAct('rescheduleJob') };
  useKeys({ c: () => { if (can.cancel) setOpen('cancel'); }, r: () => { if (can.retry) void retry([job.id]); } });
  if (isOperator && tenant === undefined) {
    return slug === undefined ? null : <Button onClick={() => void navigate({ to: '.', search: ((s: object) => ({ ...s, tenant: slug })) as never })}>Act for {slug}</Button>;
  }
  return (
    <>
      {can.retry && <Button variant="filled" onClick={() => void retry([job.id])}>Retry</Button>}
      {isEnded(job) && mayAct('runJobAgain') && <LinkButton to="/run" search={{ from: job.id }}>{mayAct('runJobAgainEdited') ? 'Run again with changes' : 'Run again'}</LinkButton>}
      {can.move && (millis(job.scheduled_for) ?? 0) > now && <Button onClick={() => void startNow()}>Start now</Button>}
      {can.cancel && <Button variant="danger" onClick={() => setOpen('cancel')}>Cancel</Button>}
      {can.move && <Button onClick={() => setOpen('change')}>{mayAct('editJob') ? 'Change' : 'Change time'}</Button>}
      {open === 'cancel' && <CancelForm job={job} onClose={() => setOpen(null)} />}
      {open === 'change' && <ChangeForm job={job} onClose={() => setOpen(null)} />}
    </>
  );
}
