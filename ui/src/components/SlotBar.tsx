import { squaresOf } from '../lib/slots';
import classes from './SlotBar.module.css';

/** One square a slot: the shape of a worker's load, readable without the number beside it. */
export function SlotBar({ slots, busy, state }: { slots: number; busy: number; state: 'ok' | 'stale' | 'draining' }) {
  const { all, on } = squaresOf(slots, busy);
  return (
    <span className={classes.bar} data-state={state} role="img" aria-label={`${busy} of ${slots} slots busy`}>
      {Array.from({ length: all }, (_, i) => <i key={i} data-on={i < on || undefined} />)}
    </span>
  );
}
