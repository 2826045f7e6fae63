import { useSyncExternalStore } from 'react';

export const VIEWER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** An instant as the API writes it, or in milliseconds. */
export type Instant = string | number | null | undefined;

export const millis = (at: Instant): number | undefined => (at === null || at === undefined ? undefined : typeof at === 'number' ? at : Date.parse(at));

let skew = 0;
let now = Date.now();
const listeners = new Set<() => void>();
const tick = () => {
  if (document.hidden) return;
  now = Date.now() + skew;
  for (const tell of listeners) tell();
};
if (typeof document !== 'undefined') { // there is none where the words are tested
  setInterval(tick, SECOND);
  document.addEventListener('visibilitychange', tick);
}

/** Follow the server's clock: a laptop that is minutes off would show jobs that end before they begin. */
export function setServerTime(at: Instant): void {
  const server = millis(at);
  if (server !== undefined && Math.abs(server - Date.now()) > 2 * SECOND) skew = server - Date.now();
  else skew = 0;
  tick();
}

const onTick = (tell: () => void) => { listeners.add(tell); return () => listeners.delete(tell); };

/** One ticking clock for all relative times; it rests while the tab is hidden. */
export const useNow = (): number => useSyncExternalStore(onTick, () => now);

/** What the clock makes of something, drawn again only when that changes: a hundred times that are hours old cost nothing. */
export const useClocked = <T extends string | number | undefined>(make: (now: number) => T): T => useSyncExternalStore(onTick, () => make(now));

export function duration(ms: number): string {
  if (ms < 0) ms = -ms;
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) {
    const s = Math.floor((ms % MINUTE) / SECOND);
    return `${Math.floor(ms / MINUTE)} min${s && ms < 10 * MINUTE ? ` ${s} s` : ''}`;
  }
  if (ms < DAY) {
    const m = Math.floor((ms % HOUR) / MINUTE);
    return `${Math.floor(ms / HOUR)} h${m ? ` ${m} min` : ''}`;
  }
  const h = Math.floor((ms % DAY) / HOUR);
  return `${Math.floor(ms / DAY)} d${h && ms < 7 * DAY ? ` ${h} h` : ''}`;
}

/** How long something has been going on: whole seconds, never milliseconds. */
export const age = (ms: number) => (ms < MINUTE ? `${Math.max(0, Math.floor(ms / SECOND))} s` : duration(ms));

export function relative(at: number, from: number): string {
  const gap = at - from;
  if (Math.abs(gap) < SECOND) return 'now';
  const span = Math.abs(gap) < MINUTE ? `${Math.floor(Math.abs(gap) / SECOND)} s` : Math.abs(gap) < HOUR ? `${Math.floor(Math.abs(gap) / MINUTE)} min` : duration(gap);
  return gap > 0 ? `in ${span}` : `${span} ago`;
}

const cache = new Map<string, Intl.DateTimeFormat>();
function formatter(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options);
  let found = cache.get(key);
  if (!found) cache.set(key, (found = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options })));
  return found;
}

export const clock = (at: number, zone = VIEWER_ZONE) => formatter(zone, { hour: '2-digit', minute: '2-digit' }).format(at);
export const clockSeconds = (at: number, zone = VIEWER_ZONE) => formatter(zone, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(at);
export const clockMillis = (at: number, zone = VIEWER_ZONE) => formatter(zone, { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 }).format(at);
export const day = (at: number, zone = VIEWER_ZONE) => formatter(zone, { weekday: 'short', day: 'numeric', month: 'short' }).format(at);
export const absolute = (at: number, zone = VIEWER_ZONE) =>
  `${formatter(zone, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(at)} ${zone}`;

export const count = (n: number) => n.toLocaleString('en-US');
export const plural = (n: number, one: string, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
