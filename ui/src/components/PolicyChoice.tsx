import { useId } from 'react';
import classes from './PolicyChoice.module.css';

interface Bar { from: number; to: number; row?: number; isCut?: boolean }
export interface Choice { value: string; label: string; says: string; plan: number[]; bars: Bar[]; down?: [number, number] }

const OVERLAPPING = [6, 46, 86], MISSING = [6, 32, 52, 72, 98];
export const OVERLAP: Choice[] = [
  { value: 'allow', label: 'Allow', says: 'Both run at once.', plan: OVERLAPPING, bars: [{ from: 6, to: 58 }, { from: 46, to: 80, row: 1 }, { from: 86, to: 112 }] },
  { value: 'skip', label: 'Skip', says: 'The new one is left out.', plan: OVERLAPPING, bars: [{ from: 6, to: 58 }, { from: 86, to: 112 }] },
  { value: 'queue_one', label: 'Queue one', says: 'One waits until the first ends.', plan: OVERLAPPING, bars: [{ from: 6, to: 58 }, { from: 60, to: 94 }, { from: 96, to: 118 }] },
  { value: 'cancel_previous', label: 'Cancel previous', says: 'The old one is stopped.', plan: OVERLAPPING, bars: [{ from: 6, to: 45, isCut: true }, { from: 46, to: 80 }, { from: 86, to: 112 }] },
];
export const MISSED: Choice[] = [
  { value: 'latest', label: 'Latest', says: 'The newest fires once, when the scheduler is back.', plan: MISSING, down: [24, 80], bars: [{ from: 6, to: 18 }, { from: 81, to: 93 }, { from: 99, to: 111 }] },
  { value: 'skip', label: 'Skip', says: 'What was missed is gone.', plan: MISSING, down: [24, 80], bars: [{ from: 6, to: 18 }, { from: 99, to: 111 }] },
  { value: 'all', label: 'All', says: 'Each of the newest fires, in order.', plan: MISSING, down: [24, 80], bars: [{ from: 6, to: 18 }, { from: 81, to: 88 }, { from: 89, to: 96 }, { from: 98, to: 105 }, { from: 107, to: 116 }] },
];

/** A policy is easier to see than to read: planned times above, what runs below, downtime grey. */
export function PolicyChoice({ legend, choices, value, onChange }: { legend: string; choices: Choice[]; value: string; onChange: (value: string) => void }) {
  const name = useId();
  return (
    <fieldset className={classes.set}>
      <legend>{legend}</legend>
      <div className={classes.choices} data-count={choices.length}>
        {choices.map((c) => (
          <label key={c.value} className={classes.choice} data-on={value === c.value || undefined}>
            <input type="radio" name={name} className="sr" checked={value === c.value} onChange={() => onChange(c.value)} />
            <svg viewBox="0 0 124 40" className={classes.drawing} aria-hidden="true">
              {c.down && <rect x={c.down[0]} y="2" width={c.down[1] - c.down[0]} height="36" fill="var(--idle-soft)" />}
              {c.plan.map((x) => <path key={x} d={`M${x} 3v6`} stroke="var(--ink-3)" strokeWidth="1.4" />)}
              <path d="M2 9.5h120" stroke="var(--line-strong)" />
              {c.bars.map(({ from, to, row = 0, isCut }) => <rect key={from} x={from} y={17 + 10 * row} width={to - from} height="7" rx="1.5" fill={isCut ? 'none' : 'var(--ink-2)'} stroke={isCut ? 'var(--ink-2)' : 'none'} strokeDasharray={isCut ? '3 2' : undefined} />)}
            </svg>
            <b>{c.label}</b><span>{c.says}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
