import type { ReactNode } from 'react';

const SHAPES: Record<string, [string, ReactNode]> = {
  debug: ['idle', <circle cx="7" cy="7" r="1.6" fill="currentColor" stroke="none" />],
  info: ['idle', <><circle cx="7" cy="7" r="5" /><path d="M7 6.4v3M7 4.4v.1" /></>],
  warning: ['warn', <><path d="M7 1.8 12.8 12H1.2Z" /><path d="M7 5.4v3M7 10.2v.1" /></>],
  error: ['bad', <><circle cx="7" cy="7" r="6" fill="currentColor" stroke="none" /><path d="m5 5 4 4M9 5 5 9" stroke="var(--surface)" /></>],
};

/** The level of a log line: shape, word and colour. */
export function LevelMark({ level }: { level: string }) {
  const [tone, shape] = SHAPES[level] ?? ['idle', null];
  return (
    <span className={`tone-${tone} nowrap`}>
      <svg width="12" height="12" viewBox="0 0 14 14" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">{shape}</svg> {level}
    </span>
  );
}
