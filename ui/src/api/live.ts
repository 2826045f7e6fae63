/** Changes as they happen: one stream for the page, polling where there is none, rest while the tab is hidden. */
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { API, naming } from './client';
import { readEvents } from './events';

export type LiveState = 'live' | 'polling' | 'lost' | 'resting';
interface Live { state: LiveState; since: number }

export const RETRY_MS = [1000, 2000, 5000, 10_000];
export const SILENT_MS = 12_000; // the server sends a sign of life every four seconds
export const POLL_MS = 2000;
const REFRESH_MS = 15_000;

let live: Live = { state: 'polling', since: Date.now() };
const listeners = new Set<() => void>();

function become(state: LiveState): void {
  if (live.state === state) return;
  live = { state, since: Date.now() };
  for (const tell of listeners) tell();
}

export const useLive = (): Live => useSyncExternalStore((tell) => { listeners.add(tell); return () => listeners.delete(tell); }, () => live);

/** How often a query looks by itself: seldom while the stream tells of changes. */
export const lookInterval = (): number => (live.state === 'live' ? REFRESH_MS : POLL_MS);

/** A request has failed or succeeded: the page is honest about how old it is. */
export function noteContact(isReached: boolean): void {
  if (!isReached) become('lost');
  else if (live.state === 'lost') become('polling');
}

/** The queries that a topic of the stream makes old, by the first part of their key. */
const TOPICS: Record<string, string[]> = {
  jobs: ['jobs', 'job', 'overview', 'summary', 'attempts', 'explain', 'tenants', 'queues', 'schedules'],
  queues: ['queues', 'problems', 'overview'],
  workers: ['workers', 'problems', 'overview'],
  problems: ['problems'],
};

/** Keep a stream open until the returned function is called. */
export function follow(client: QueryClient, tenant: string | undefined): () => void {
  let stop = new AbortController();
  let isOver = false;
  const refresh = (names?: string[]) => void client.invalidateQueries(names ? { predicate: (q) => names.includes(String(q.queryKey[0])) } : {});

  async function run(): Promise<void> {
    for (let tries = 0; !isOver; tries++) {
      if (document.hidden) return become('resting');
      stop = new AbortController();
      let silence = 0;
      const hear = () => { clearTimeout(silence); silence = window.setTimeout(() => stop.abort(), SILENT_MS); };
      try {
        hear();
        const answer = await fetch(`${API}/stream?topics=jobs,queues,workers,problems`, { headers: naming(tenant), signal: stop.signal, credentials: 'same-origin' });
        if (!answer.ok || !answer.body) throw new Error(String(answer.status));
        for await (const { name } of readEvents(answer.body)) {
          hear();
          tries = 0;
          if (name === 'reset') { become('live'); refresh(); }
          else if (name in TOPICS) refresh(TOPICS[name]);
        }
      } catch {
        // The stream is a comfort: without it the page polls, and says so if that fails too.
      } finally {
        clearTimeout(silence);
      }
      if (isOver || document.hidden) continue;
      if (live.state !== 'lost') become('polling');
      refresh();
      await new Promise((done) => setTimeout(done, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]));
    }
  }

  const onVisible = () => { if (document.hidden) stop.abort(); else { refresh(); void run(); } };
  document.addEventListener('visibilitychange', onVisible);
  void run();
  return () => { isOver = true; stop.abort(); document.removeEventListener('visibilitychange', onVisible); };
}
