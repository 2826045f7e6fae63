import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Backfill, backfillSchedule, type Schedule } from '../api/schedules';
import { useCaller } from '../lib/caller';
import { type FormErrors, formErrors } from '../lib/form-errors';
import { notify } from '../lib/notices';
import { fieldIn, instantIn, wall } from '../lib/schedules';
import { DAY, millis, plural, useNow } from '../lib/time';
import { Dialog } from './Dialog';
import { half } from './FormDialog';
import classes from './FormDialog.module.css';

const NONE: FormErrors = { top: '', fields: {} };
const SHOWN = 5;

/** Make the jobs of planned times in the past. It looks first: what would be made is shown before anything is. */
export function BackfillForm({ schedule: s, onClose }: { schedule: Schedule; onClose: () => void }) {
  const { tenant } = useCaller();
  const client = useQueryClient();
  const now = useNow();
  const zone = s.effective_timezone;
  const [start, setStart] = useState(() => fieldIn(new Date(now - DAY).toISOString(), zone).slice(0, 16));
  const [until, setUntil] = useState(() => fieldIn(new Date(now).toISOString(), zone).slice(0, 16));
  const [found, setFound] = useState<Backfill>();
  const [errors, setErrors] = useState(NONE);
  const [isBusy, setBusy] = useState(false);
  const title = `Backfill ${s.label}`;
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const window = { start: instantIn(start, zone), until: instantIn(until, zone) };
    if (!window.start || !window.until) return setErrors({ top: '', fields: { ...(window.start ? {} : { start: 'Choose a day and a time.' }), ...(window.until ? {} : { until: 'Choose a day and a time.' }) } });
    setBusy(true);
    setErrors(NONE);
    try {
      const answer = await backfillSchedule(tenant, s.id, { start: window.start, until: window.until, dry_run: found === undefined });
      if (answer.dry_run) setFound(answer);
      else {
        const refused = answer.items.filter((item) => item.outcome === 'refused');
        notify(`${plural(answer.fired, 'job')} made.${refused.length ? ` ${plural(refused.length, 'planned time')} refused: ${refused[0]!.reason ?? ''}` : ''}`, refused.length ? { tone: 'bad' } : {});
        onClose();
      }
    } catch (error) {
      setErrors(formErrors(error, new Set(['start', 'until'])));
    } finally {
      setBusy(false);
      if (found) void client.invalidateQueries();
    }
  };
  const change = (set: (text: string) => void) => (e: { currentTarget: { value: string } }) => { set(e.currentTarget.value); setFound(undefined); setErrors(NONE); };
  const made = found?.items.filter((item) => item.outcome === 'fired') ?? [];
  const there = (found?.items.length ?? 0) - made.length;
  return (
    <Dialog label={title} onClose={onClose}>
      <form className={classes.form} onSubmit={(e) => void send(e)} noValidate>
        <h2>{title}</h2>
        <div className={classes.says}>Make the jobs of planned times that made none. Each planned time makes one job at most, however often you do this. Times are in {zone}.</div>
        {errors.top && <div className={classes.error} role="alert"><span>{errors.top}</span></div>}
        <div className={classes.fields}>
          <TextInput className={half} type="datetime-local" label="From" value={start} onChange={change(setStart)} error={errors.fields.start} />
          <TextInput className={half} type="datetime-local" label="Until" value={until} onChange={change(setUntil)} error={errors.fields.until} />
        </div>
        {found && (
          <div className={classes.says} role="status">
            <b>{made.length ? `${plural(made.length, 'job')} would be made.` : 'No job would be made.'}</b>
            <span>{found.items.length ? there ? `${plural(there, 'planned time')} made one already.` : '' : 'Nothing was planned in that time.'}</span>
            {made.length > 0 && <span>{made.slice(0, SHOWN).map((item) => wall(millis(item.planned_at)!, zone, now)).join(' · ')}{made.length > SHOWN && ` and ${made.length - SHOWN} more`}</span>}
          </div>
        )}
        <div className={classes.buttons}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled" disabled={isBusy || (found !== undefined && !made.length)}>{found && made.length ? `Make ${plural(made.length, 'job')}` : 'See what it would make'}</Button>
        </div>
      </form>
    </Dialog>
  );
}
