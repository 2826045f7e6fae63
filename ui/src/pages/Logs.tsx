import { Button, Select, TextInput, Tooltip } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/client';
import { type FoundLine, foundLinesQuery, MOST_LINES } from '../api/logs';
import { definitionsQuery } from '../api/queries';
import { Answer } from '../components/Answer';
import { ChooseTenant } from '../components/ChooseTenant';
import { EmptyState } from '../components/EmptyState';
import { ErrorState } from '../components/ErrorState';
import { LevelMark } from '../components/LevelMark';
import { Loading } from '../components/Loading';
import { Panel } from '../components/Panel';
import { plain } from '../lib/ansi';
import { useCaller } from '../lib/caller';
import { argsOf, shortId } from '../lib/jobs';
import { useKeys } from '../lib/keys';
import { absolute, clockMillis, clockSeconds, day, plural, relative, useNow, VIEWER_ZONE } from '../lib/time';
import { marked, wordsOf } from '../lib/words';
import type { LogsSearch } from '../router';
import classes from './Logs.module.css';

const LEVELS = [['any', 'All levels'], ['info', 'Info and above'], ['warning', 'Warnings and errors'], ['error', 'Errors']] as const;
const TIMES = [['15m', 'Last 15 minutes'], ['1h', 'Last hour'], ['24h', 'Last 24 hours'], ['7d', 'Last 7 days'], ['any', 'Any time']] as const;
const DEFAULT_TIME = '24h';
const TYPING_MS = 300;
const options = (pairs: readonly (readonly [string, string])[]) => pairs.map(([value, label]) => ({ value, label }));

interface Found { items: FoundLine[]; isWhole: boolean; isFull: boolean }

const jobsOf = (items: FoundLine[]): number => new Set(items.map((line) => line.job_id)).size;
const timeOf = (at: string, now: number): string => (day(Date.parse(at)) === day(now) ? clockSeconds(Date.parse(at)) : `${clockSeconds(Date.parse(at))} on ${day(Date.parse(at))}`);

function titleOf(q: string, found: Found | undefined): string {
  if (!q) return 'Search the logs';
  if (!found) return `Searching for “${q}”`;
  if (!found.items.length) return found.isWhole ? `“${q}” is in no line` : `“${q}” is in no line that was searched`;
  return `“${q}” is in ${found.isFull || !found.isWhole ? 'at least ' : ''}${plural(found.items.length, 'line')} of ${plural(jobsOf(found.items), 'job')}`;
}

/** Since when, and how far it can be trusted: only what was found is counted. */
function Facts({ found, since, now }: { found: Found; since: string; now: number }) {
  const { items, isWhole, isFull } = found;
  const oldest = items.at(-1);
  const newest = items[0];
  const span = since === 'any' ? 'that are kept' : TIMES.find(([value]) => value === since)![1].replace('Last', 'of the last').toLowerCase();
  return (
    <>
      {oldest && newest && (isWhole && !isFull
        ? <>{items.length > 1 ? 'First at' : 'At'} {timeOf(oldest.at, now)} in {oldest.definition_key}, {items.length > 1 ? 'last ' : ''}{relative(Date.parse(newest.at), now)}. All lines {span} were searched. </>
        : <>The oldest shown is from {timeOf(oldest.at, now)} in {oldest.definition_key}, the newest from {relative(Date.parse(newest.at), now)}. </>)}
      {!items.length && isWhole && <>All lines {span} were searched. </>}
      {isFull && <span className="tone-warn">Only {MOST_LINES} lines are shown, those of the newest jobs. Narrow the search to see others. </span>}
      {!isWhole && <span className="tone-warn">The search stopped before it had seen everything. Choose a definition or a shorter time. </span>}
    </>
  );
}

function download(q: string, items: FoundLine[]): void {
  const text = items.map((l) => [l.at, l.level, l.definition_key, l.job_id, `${l.attempt_no}.${l.line}`, plain(l.message), argsOf(l.fields, Infinity)].filter(Boolean).join(' ')).join('\n');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }));
  link.download = `logs-${wordsOf(q).join('-').slice(0, 40) || 'all'}.txt`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function Lines({ items, q, showTenant }: { items: FoundLine[]; q: string; showTenant: boolean }) {
  const list = useRef<HTMLOListElement>(null);
  const move = (by: number) => {
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>('a') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  const days = new Set(items.map((line) => day(Date.parse(line.at))));
  return (
    <ol className={classes.lines} ref={list} aria-label="Found lines">
      {items.map((line, n) => {
        const at = Date.parse(line.at);
        const isNewDay = days.size > 1 && (n === 0 || day(at) !== day(Date.parse(items[n - 1]!.at)));
        return (
          <Fragment key={`${line.job_id} ${line.attempt_no} ${line.line}`}>
            {isNewDay && <li className={classes.day}>{day(at)}</li>}
            <li data-level={line.level}>
              <Tooltip label={absolute(at)}><time dateTime={line.at}>{clockMillis(at)}</time></Tooltip>
              <span className={classes.level}><LevelMark level={line.level} /></span>
              <span className={classes.from}>
                <Link to="/jobs/$id" params={{ id: line.job_id }} search={{ attempt: line.attempt_no, line: line.line } as never} aria-label={`Job ${shortId(line.job_id)}, attempt ${line.attempt_no}, line ${line.line}`}>{shortId(line.job_id)}</Link>
                <span>{line.definition_key}{showTenant && line.tenant ? ` · ${line.tenant}` : ''}</span>
              </span>
              <span className={classes.text}>
                {marked(plain(line.message), q).map((piece, i) => (piece.isFound ? <mark key={i}>{piece.text}</mark> : <Fragment key={i}>{piece.text}</Fragment>))}
                {line.fields && <span className={classes.fields}> {argsOf(line.fields, 500)}</span>}
              </span>
            </li>
          </Fragment>
        );
      })}
    </ol>
  );
}

export function Logs() {
  const { tenant, isOperator, may, whose } = useCaller();
  const navigate = useNavigate();
  const now = useNow();
  const search = useSearch({ strict: false }) as LogsSearch;
  const q = search.q ?? '';
  const since = TIMES.some(([value]) => value === search.since) ? search.since! : DEFAULT_TIME;
  const level = LEVELS.some(([value]) => value === search.level) ? search.level! : 'any';
  const [typed, setTyped] = useState(q);
  const sent = useRef(q);
  useEffect(() => { if (q !== sent.current) { sent.current = q; setTyped(q); } }, [q]); // not while one types: the URL is behind
  useEffect(() => {
    if (typed === q) return undefined;
    const timer = setTimeout(() => {
      sent.current = typed;
      void navigate({ to: '.', search: ((s: LogsSearch) => ({ ...s, q: typed || undefined })) as never, replace: true });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, q, navigate]);
  const choose = (change: LogsSearch) => void navigate({ to: '.', search: ((s: LogsSearch) => ({ ...s, ...change })) as never });

  const isAsked = wordsOf(q).length > 0;
  const { data: definitions } = useQuery({ ...definitionsQuery(tenant), enabled: may('listDefinitions') });
  const { data, error, refetch } = useQuery({ ...foundLinesQuery(tenant, { q: q.trim(), level: level === 'any' ? undefined : level, definition: search.definition, since }), enabled: isAsked });
  const found = isAsked ? data : undefined;
  if (isOperator && !tenant && error instanceof ApiError && error.code === 'tenant_required') return <ChooseTenant>A search looks at the logs of one tenant. Choose it here, or in the switcher.</ChooseTenant>;
  const keys = (definitions?.items ?? []).map((d) => d.key);

  return (
    <>
      <Answer title={titleOf(q.trim(), found)} actions={found && <><Button onClick={() => void refetch()}>Search again</Button>{found.items.length > 0 && <Button onClick={() => download(q, found.items)}>Download</Button>}</>}>
        {found ? <Facts found={found} since={since} now={now} /> : `Over the lines of all jobs of ${isOperator && !tenant ? 'all tenants' : whose}. Times are in ${VIEWER_ZONE}.`}
      </Answer>
      <Panel flush>
        <div className={classes.filters} role="search">
          <TextInput data-page-search className={classes.query} aria-label="Words in log lines" placeholder="Words that a line must have" value={typed} maxLength={500} onChange={(e) => setTyped(e.currentTarget.value)} leftSection={<IconSearch size={15} stroke={1.6} />} />
          <Select className={classes.select} aria-label="Least level" data={options(LEVELS)} value={level} allowDeselect={false} onChange={(value) => choose({ level: value === 'any' ? undefined : value ?? undefined })} />
          <Select className={classes.select} aria-label="Definition" placeholder="Any definition" data={search.definition && !keys.includes(search.definition) ? [search.definition, ...keys] : keys} value={search.definition ?? null} clearable searchable onChange={(value) => choose({ definition: value ?? undefined })} />
          <Select className={classes.select} aria-label="Time" data={options(TIMES)} value={since} allowDeselect={false} onChange={(value) => choose({ since: value === DEFAULT_TIME ? undefined : value ?? undefined })} />
        </div>
        {!isAsked ? <EmptyState title={q ? 'Write at least one letter or digit' : 'What are you looking for?'} says="A line is found that has all words. A word stands for all that begin with it, in upper or lower case: “conn err” finds “Connection error”." />
          : error && !found ? <ErrorState error={error} onRetry={() => void refetch()} />
          : !found ? <div className={classes.wait}><Loading what="Searching" /></div>
          : !found.items.length ? <EmptyState title="No line has all these words" says="Write fewer or shorter words, or choose a longer time or a lower level." />
          : <Lines items={found.items} q={q} showTenant={isOperator && !tenant} />}
      </Panel>
    </>
  );
}
