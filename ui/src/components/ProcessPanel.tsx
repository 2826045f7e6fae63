import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect, useMemo, useRef } from 'react';
import { ApiError, type Attempt, type Job } from '../api/client';
import { outputQuery } from '../api/command';
import { ansi, plain } from '../lib/ansi';
import { useCaller } from '../lib/caller';
import { bytesSaid, cpuSaid, endSaid, overwritten, tailSaid, unturned } from '../lib/process';
import { Copy } from './Copy';
import { ErrorState } from './ErrorState';
import { Panel } from './Panel';
import classes from './ProcessPanel.module.css';

/** What was printed, as text: colours become classes, everything else that steers a terminal is dropped. */
function Printed({ text, label }: { text: string; label: string }) {
  const pieces = useMemo(() => ansi(unturned(overwritten(text))), [text]);
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => { box.current!.scrollTop = box.current!.scrollHeight; }, [text]);
  return <pre ref={box} className={classes.tail} tabIndex={0} aria-label={label} dir="ltr">{pieces.map((p, i) => (p.className ? <span key={i} className={p.className}>{p.text}</span> : p.text))}</pre>;
}

function Stream({ name, tail, bytes }: { name: string; tail: string | null; bytes: number }) {
  return (
    <section className={classes.stream}>
      <div className={classes.name}>
        <h3>{name}</h3><span className="quiet">{tailSaid(bytes)}</span>
        {tail && <span className={classes.copy}><Copy text={plain(tail)} what={`what ${name} has`} /></span>}
      </div>
      {tail === null ? <p className="quiet">It cannot be read.</p> : tail !== '' && <Printed text={tail} label={`The end of ${name}`} />}
    </section>
  );
}

const Fact = ({ name, tone, children }: { name: string; tone?: string; children: ReactNode }) => <div><dt>{name}</dt><dd className={tone}>{children}</dd></div>;

/** The process of a command: how it ended, what it used, and what it printed last. */
export function ProcessPanel({ job, attempt: a }: { job: Job; attempt: Attempt }) {
  const { tenant } = useCaller();
  const { data: output, error, refetch } = useQuery(outputQuery(tenant, job.id, a.attempt_no));
  const cpu = cpuSaid(a.user_ms, a.system_ms);
  const isBad = a.status === 'failed' || a.status === 'timeout';
  const hasNone = error instanceof ApiError && error.status === 404;
  return (
    <Panel title={`Process of attempt ${a.attempt_no}`} note={a.worker_id} flush>
      <dl className={classes.facts}>
        <Fact name="Ended with" tone={isBad ? 'tone-bad' : undefined}>{endSaid(a) ?? <span className="quiet">not told</span>}</Fact>
        {a.pid !== null && <Fact name="Process id">{a.pid}</Fact>}
        {cpu && <Fact name="CPU time">{cpu}</Fact>}
        {a.max_rss_bytes !== null && <Fact name="Most memory">{bytesSaid(a.max_rss_bytes)}</Fact>}
        {Boolean(a.bytes_dropped) && <Fact name="Not in the log" tone="tone-warn">{bytesSaid(a.bytes_dropped!)} dropped</Fact>}
      </dl>
      {output && <><Stream name="stdout" tail={output.undecodable.includes('stdout_tail') ? null : output.stdout_tail} bytes={output.stdout_bytes} /><Stream name="stderr" tail={output.undecodable.includes('stderr_tail') ? null : output.stderr_tail} bytes={output.stderr_bytes} /></>}
      {error && !hasNone && <ErrorState error={error} onRetry={() => void refetch()} />}
    </Panel>
  );
}
