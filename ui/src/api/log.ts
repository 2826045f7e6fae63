/** The log of a job: page by page, then followed for as long as it may grow. */
import { useEffect, useRef, useState } from 'react';
import { plain } from '../lib/ansi';
import { parseExact } from '../lib/exact';
import { millis } from '../lib/time';
import { API, api, ApiError, naming, type Schemas, unwrap } from './client';
import { readEvents } from './events';
import { RETRY_MS, SILENT_MS } from './live';

export type LogLine = Schemas['LogLine'];
/** A line with what is asked of it again and again: its time in milliseconds, and its text without colours, for the search. */
export interface Line extends LogLine { key: string; ms: number | undefined; text: string }
/** Which lines: of one attempt, or of all. */
export interface Wanted { id: string; tenant: string | undefined; attempt: number | undefined }
export interface Log { lines: Line[]; isLoading: boolean; isCut: boolean; error: Error | undefined; more: () => void; again: () => void }

const PAGE = 1000;
const FLUSH_MS = 100; // lines that arrive one by one are shown together
const MOST = 50_000;

const showField = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value) ?? '');
/** The fields of a line as text: ` order=12 path=/Clients`. */
export const fieldsOf = (line: LogLine): string => Object.entries(line.fields ?? {}).map(([name, value]) => ` ${name}=${showField(value)}`).join('');

export const toLine = (line: LogLine): Line => {
  const ms = millis(line.at);
  return { ...line, key: `${line.attempt_no}.${line.line}`, ms: ms === undefined || Number.isNaN(ms) ? undefined : ms, text: (plain(line.message ?? '') + fieldsOf(line)).toLowerCase() };
};

const readPage = async ({ id, tenant, attempt }: Wanted, cursor: string | undefined, signal: AbortSignal) =>
  parseExact(await unwrap(api.GET('/api/v1/jobs/{job_id}/logs', { params: { path: { job_id: id }, query: { attempt, cursor, limit: PAGE } }, headers: naming(tenant), signal, parseAs: 'text' }))) as Schemas['LogPage'];

const query = ({ attempt }: Wanted, more: Record<string, string>) => new URLSearchParams({ ...(attempt === undefined ? {} : { attempt: String(attempt) }), ...more });

/** Lines as they are written. Returns true when the log has ended, false when the stream was cut. */
async function* follow(wanted: Wanted, cursor: string | undefined, signal: AbortSignal): AsyncGenerator<LogLine, boolean> {
  const stop = new AbortController();
  const end = () => stop.abort();
  signal.addEventListener('abort', end);
  let silence = 0;
  const hear = () => { clearTimeout(silence); silence = window.setTimeout(end, SILENT_MS); };
  try {
    hear();
    const answer = await fetch(`${API}/jobs/${wanted.id}/logs?${query(wanted, { follow: 'true' })}`, {
      headers: { ...naming(wanted.tenant), Accept: 'text/event-stream', ...(cursor ? { 'Last-Event-ID': cursor } : {}) }, signal: stop.signal, credentials: 'same-origin',
    });
    if (!answer.ok || !answer.body) return false;
    for await (const event of readEvents(answer.body)) {
      hear();
      if (event.name === 'line') yield parseExact(event.data) as LogLine;
      else if (event.name === 'end') return true;
      else if (event.name === 'error') return false;
    }
  } catch {
    // Whatever cut it: the reader goes on where it was.
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', end);
    end();
  }
  return false;
}

/** Waits so long, then until the page is visible; less if it is stopped. */
const rest = (ms: number, signal: AbortSignal): Promise<void> => new Promise((done) => {
  const over = () => {
    if (!signal.aborted && document.hidden) return;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', over);
    done();
  };
  const timer = setTimeout(over, ms);
  document.addEventListener('visibilitychange', over);
  signal.addEventListener('abort', over);
});

/** The lines of a log, as far as they are read. `until` is a line that has to be among them. */
export function useLog(wanted: Wanted, isLive: boolean, until = 0): Log {
  const { id, tenant, attempt } = wanted;
  const whole = `${id}/${tenant ?? ''}/${attempt ?? ''}`;
  const kept = useRef({ whole: '', lines: [] as Line[], cursor: undefined as string | undefined });
  const [shown, setShown] = useState({ lines: [] as Line[], isLoading: true, isCut: false, error: undefined as Error | undefined });
  const [most, setMost] = useState(Math.max(MOST, until + PAGE));
  const [tries, setTries] = useState(0);

  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    if (kept.current.whole !== whole) kept.current = { whole, lines: [], cursor: undefined };
    const own = kept.current;
    let buffer: Line[] = [];
    let timer = 0;
    const show = (more: Partial<typeof shown> = {}) => {
      clearTimeout(timer);
      timer = 0;
      if (buffer.length) { own.lines = [...own.lines, ...buffer]; buffer = []; }
      if (!signal.aborted) setShown((old) => ({ ...old, ...more, lines: own.lines }));
    };
    const add = (line: LogLine) => { buffer.push(toLine(line)); own.cursor = `${line.attempt_no}.${line.line}`; };

    async function readPages(): Promise<boolean> {
      for (;;) {
        const page = await readPage({ id, tenant, attempt }, own.cursor, signal);
        if (signal.aborted) return false;
        page.items.forEach(add);
        show({ error: undefined });
        if (page.next_cursor === null) return true;
        if (own.lines.length >= most) return false;
      }
    }
    async function run(): Promise<void> {
      for (let again = 0; !signal.aborted; again++) {
        const isWhole = await readPages();
        show({ isLoading: false, isCut: !isWhole });
        if (!isLive || !isWhole) return;
        const stream = follow({ id, tenant, attempt }, own.cursor, signal);
        for (let next = await stream.next(); ; next = await stream.next()) {
          if (signal.aborted) return;
          if (next.done) { show(); if (next.value) return; break; }
          add(next.value);
          again = 0;
          timer ||= window.setTimeout(show, FLUSH_MS);
        }
        await rest(RETRY_MS[Math.min(again, RETRY_MS.length - 1)]!, signal);
      }
    }
    show({ isLoading: true, error: undefined });
    run().catch((error: unknown) => { if (!signal.aborted) show({ isLoading: false, error: error as Error }); });
    return () => { stop.abort(); clearTimeout(timer); if (buffer.length) own.lines = [...own.lines, ...buffer]; };
  }, [id, tenant, attempt, whole, isLive, most, tries]);

  return { ...shown, more: () => setMost((n) => n + MOST), again: () => setTries((n) => n + 1) };
}

/** The whole log as a file: text for people, NDJSON for programs. */
export async function downloadLog(wanted: Wanted, name: string, type: 'text/plain' | 'application/x-ndjson'): Promise<void> {
  const answer = await fetch(`${API}/jobs/${wanted.id}/logs?${query(wanted, {})}`, { headers: { ...naming(wanted.tenant), Accept: type }, credentials: 'same-origin' });
  if (!answer.ok) throw new ApiError(answer.status, await answer.json().catch(() => ({})) as object);
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.${type === 'text/plain' ? 'log' : 'ndjson'}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
