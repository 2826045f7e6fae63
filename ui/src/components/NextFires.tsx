import { IconArrowBackUp, IconArrowForwardUp, IconClock } from '@tabler/icons-react';
import type { PlannedTime } from '../api/schedules';
import { noteSaid, partsOf } from '../lib/schedules';
import { millis, relative, useNow } from '../lib/time';
import classes from './NextFires.module.css';

const TURNS = { back: IconArrowBackUp, forward: IconArrowForwardUp, change: IconClock };

/** The next planned times with their offset from UTC. A day on which the clock changes says what will happen. */
export function NextFires({ times, zone, label }: { times: PlannedTime[]; zone: string; label?: string }) {
  const now = useNow();
  const hasSeconds = times.some((planned) => partsOf(planned).time.length > 5);
  return (
    <ol className={classes.list} aria-label={label}>
      {times.map((planned, i) => {
        const { day, time, offset } = partsOf(planned);
        const before = i > 0 ? partsOf(times[i - 1]!).offset : offset;
        const note = noteSaid(planned, zone);
        const Turn = note && TURNS[note.turn];
        return (
          <li key={planned.at} className={classes.fire} data-dst={note ? planned.note : undefined}>
            <span className={classes.day}>{day}</span>
            <b className={classes.at}>{hasSeconds && time.length === 5 ? `${time}:00` : time}</b>
            <span className={classes.offset} data-changed={offset !== before || undefined}>{offset}</span>
            <span className={classes.in}>{relative(millis(planned.at)!, now)}</span>
            {note && Turn && <span className={classes.note}><Turn size={14} aria-hidden="true" /><span><b>{note.title}</b> {note.says}</span></span>}
          </li>
        );
      })}
    </ol>
  );
}
