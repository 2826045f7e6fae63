import { Button } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useJobActions } from '../api/actions';
import { filtersOf, jobsQuery, leftQuery, type Listed, type Page, PAGE, type Status, STATUSES } from '../api/jobs';
import { summaryQuery } from '../api/queries';
import { Answer } from '../components/Answer';
import { BulkBar } from '../components/BulkBar';
import { EmptyState } from '../components/EmptyState';
import { ErrorState } from '../components/ErrorState';
import { JobFilters, NO_FILTER } from '../components/JobFilters';
import { type Act, JobsTable } from '../components/JobsTable';
import { LinkButton } from '../components/LinkButton';
import { Loading } from '../components/Loading';
import { useCaller } from '../lib/caller';
import { type Alike, alike, badSaid, CAP, failuresSaid, matches, pageMatches, total, waitingSaid } from '../lib/job-words';
import { mayCancel, mayRetry } from '../lib/jobs';
import { useKeys } from '../lib/keys';
import { merge } from '../lib/live-rows';
import { notify } from '../lib/notices';
import { between, MOST, pick } from '../lib/selection';
import { count, plural } from '../lib/time';
import type { JobsSearch } from '../router';
import classes from './Jobs.module.css';

type Selection = ReadonlyMap<string, Listed>;
const NOBODY: Selection = new Map();
const SCROLLED_PX = 40;

const useScrolled = (): boolean => useSyncExternalStore(
  (tell) => { window.addEventListener('scroll', tell, { passive: true }); return () => window.removeEventListener('scroll', tell); },
  () => window.scrollY > SCROLLED_PX,
);

/** The page of the list. While somebody is busy with its rows they stay in place, and new ones wait. */
function useRows(tenant: string | undefined, search: JobsSearch, isBusy: boolean) {
  const key = JSON.stringify([tenant, search]);
  const { data, error, isPlaceholderData, refetch } = useQuery(jobsQuery(tenant, search));
  const [held, setHeld] = useState<{ key: string; page: Page; anchor?: string } | null>(null);
  const mine = isBusy && held?.key === key ? held : null;
  const { data: below } = useQuery({ ...jobsQuery(tenant, { ...search, cursor: mine?.anchor }), enabled: Boolean(mine?.anchor), placeholderData: undefined });
  const merged = mine && data ? merge(mine.page.items, data, mine.anchor ? below : undefined) : null;
  const gone = useQueries({ queries: [...(merged?.left ?? [])].map((id) => leftQuery(tenant, id)) });
  const left = new Map(gone.flatMap(({ data: job }) => (job ? [[job.id, job]] : [])));
  const anchor = mine?.anchor ?? merged?.anchor;
  useEffect(() => {
    if (!isBusy) setHeld(null);
    else if (data && !isPlaceholderData) setHeld((h) => (h?.key !== key ? { key, page: data } : h.anchor === anchor ? h : { ...h, anchor }));
  }, [isBusy, key, data, isPlaceholderData, anchor]);
  return {
    page: mine?.page ?? data, error, refetch,
    rows: merged?.rows.map((job) => left.get(job.id) ?? job) ?? data?.items ?? [],
    newer: merged?.newer ?? 0,
    isMore: merged?.isMore ?? false,
    showNewer: () => { if (data) setHeld({ key, page: data }); },
  };
}

/** Whether the failures on the page are alike: what a person asks first of a list of them. */
function AlikeSaid({ found: { failures, kinds, error, times } }: { found: Alike }) {
  const what = `The ${count(failures)} failures on this page are`;
  return <>{kinds === 1 ? `${what} alike: ` : `${what} of ${count(kinds)} kinds${times > 1 ? `; ${count(times)} are like this: ` : ', for example: '}`}<span className={`tone-bad ${classes.error}`}>{error.slice(0, 160)}</span> </>;
}

export function Jobs() {
  const search = useSearch({ strict: false }) as JobsSearch;
  const navigate = useNavigate();
  const { tenant, isOperator, may, mayAct } = useCaller();
  const { retry, cancel } = useJobActions();
  const { data: counts } = useQuery(summaryQuery(tenant));
  const filters = filtersOf(search);
  const list = JSON.stringify([tenant, filters]);
  const [selection, setSelection] = useState<{ list: string; jobs: Selection }>({ list, jobs: NOBODY });
  const selected = selection.list === list ? selection.jobs : NOBODY;
  const [isIn, setIn] = useState({ pointer: false, focus: false });
  const isScrolled = useScrolled();
  const isBusy = isIn.pointer || isIn.focus || isScrolled || selected.size > 0;
  const { page, rows, newer, isMore, showNewer, error, refetch } = useRows(tenant, search, isBusy);
  const lastPicked = useRef<string>(undefined);

  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const isByStatus = Object.entries(filters).every(([name, value]) => name === 'status' || value === undefined);
  const isFirst = search.cursor === undefined;
  const all = counts && total(counts, STATUSES);
  const found = counts && isByStatus ? total(counts, (search.status as Status[] | undefined) ?? STATUSES) : undefined;
  const similar = alike(rows);
  const isWaiting = isByStatus && search.status?.join() === 'queued';
  const said = !counts || rows.length === 0 ? '' : !isFiltered ? badSaid(counts) : isWaiting ? waitingSaid(counts) : similar ? '' : failuresSaid(rows);
  const canAct = mayAct('retryJobs') && mayAct('cancelJobs');
  const showTenant = isOperator && !tenant;

  const set = useCallback((change: JobsSearch, isTyping = false) => void navigate({ to: '.', search: ((s: JobsSearch) => ({ ...s, cursor: undefined, ...change })) as never, replace: isTyping, resetScroll: false }), [navigate]);
  const choose = (jobs: Selection) => setSelection({ list, jobs });
  const picked = (jobs: Listed[], isOn: boolean) => {
    const next = pick(selected, jobs, isOn);
    if (isOn && jobs.some((job) => !next.has(job.id))) notify(`At most ${MOST} jobs can be selected.`);
    choose(next);
  };
  const act: Act = (action, jobs) => {
    const fits = jobs.map((job) => rows.find((row) => row.id === job.id) ?? job).filter(action === 'retry' ? mayRetry : mayCancel);
    if (fits.length === 0) return notify(action === 'retry' ? 'Only a job that failed, is a dead letter or was canceled can be retried.' : 'Only a job that waits or runs can be canceled.');
    if (jobs.length > 1 || selected.has(jobs[0]!.id)) choose(NOBODY);
    void (action === 'retry' ? retry : cancel)(fits.map((job) => job.id));
  };
  const onPick = (job: Listed, isOn: boolean, isRange: boolean) => {
    picked(isRange ? between(rows, lastPicked.current, job.id) : [job], isOn);
    lastPicked.current = job.id;
  };
  // Rows are drawn again only if they change: what they call stays the same.
  const latest = useRef({ act, onPick });
  latest.current = { act, onPick };
  const [doAct] = useState(() => ((...args) => latest.current.act(...args)) as Act);
  const [doPick] = useState(() => (...args: Parameters<typeof onPick>) => latest.current.onPick(...args));
  useKeys({ Escape: () => { if (selected.size) choose(NOBODY); else (document.activeElement as HTMLElement | null)?.blur(); } });

  const older = page?.next_cursor ? { ...search, cursor: page.next_cursor } : undefined;
  const stopped = page && !page.scanned_all && older && rows.length < PAGE;
  const bulk = [...selected.values()].map((job) => rows.find((row) => row.id === job.id) ?? job);
  const here = rows.filter((row) => selected.has(row.id)).length;

  return (
    <>
      <Answer
        title={all && !isFiltered ? (all.n ? `${count(all.n)}${all.isMore ? '+' : ''} ${all.n === 1 ? 'job' : 'jobs'}` : 'No job yet') : found ? matches(found) : page ? pageMatches(page, isFirst) : 'Jobs'}
        actions={may('enqueueJob') && <LinkButton to="/run" variant={mayAct('enqueueJob') ? 'filled' : 'default'}>Run a job</LinkButton>}
      >
        {said && `${said} `}{similar && <AlikeSaid found={similar} />}{found?.isMore && `The server counts up to ${count(CAP)} in each status.`}
      </Answer>

      <div className={classes.frame}>
        <JobFilters search={search} set={set} isFiltered={isFiltered} />
        <div
          onPointerEnter={(e) => { if (e.pointerType === 'mouse') setIn((s) => ({ ...s, pointer: true })); }}
          onPointerLeave={() => setIn((s) => ({ ...s, pointer: false }))}
          onFocus={() => setIn((s) => ({ ...s, focus: true }))}
          onBlur={(e) => { if (!e.currentTarget.contains(e.relatedTarget)) setIn((s) => ({ ...s, focus: false })); }}
        >
          {newer > 0 && <div className={classes.newer}><button type="button" onClick={() => { showNewer(); window.scrollTo({ top: 0 }); }}>{count(newer)}{isMore && '+'} {isFirst ? 'newer' : 'more match'}</button></div>}
          {rows.length > 0 ? (
            <JobsTable jobs={rows} selected={selected} onPick={doPick} onAll={(isOn) => picked(rows, isOn)} act={doAct} showTenant={showTenant} mayAct={canAct} />
          ) : error && !page ? <ErrorState error={error} onRetry={() => void refetch()} />
            : !page ? <EmptyWait />
            : stopped ? null
            : !isFirst ? <EmptyState title="No older job" says="The list ends here." />
            : isFiltered ? <EmptyState title="Try fewer filters" says={search.since ? 'Widen the time, or clear a filter.' : 'Clear one, or look for something else.'}><p><Button onClick={() => set(NO_FILTER)}>Clear filters</Button></p></EmptyState>
            : <EmptyState title={may('enqueueJob') ? 'Run your first job' : 'Nothing has been enqueued'} says={may('enqueueJob') ? 'By hand, or from your application.' : 'Jobs appear here as soon as one is enqueued.'}>{may('enqueueJob') && <p><LinkButton to="/run" variant="filled">Run a job</LinkButton></p>}</EmptyState>}
          {stopped && <div className={classes.further}><span>{rows.length ? 'The search stopped before it had seen all jobs.' : 'None found so far: the search stopped before it had seen all jobs.'}</span><LinkButton to="/jobs" search={older as never}>Search further</LinkButton></div>}
        </div>
      </div>

      <div className={classes.pager}>
        <span className="quiet">{rows.length > 0 && (isFirst ? `Newest first${older && found ? `, ${count(rows.length)} of ${count(found.n)}${found.isMore ? '+' : ''}` : ''}.` : `${plural(rows.length, 'older job')}, newest first.`)}</span>
        {showTenant && <span className="quiet">You read across all tenants. To retry or cancel, choose one tenant.</span>}
        <span className={classes.grow} />
        {!isFirst && <LinkButton to="/jobs" search={{ ...search, cursor: undefined } as never}>Newest</LinkButton>}
        {older && !stopped && <LinkButton to="/jobs" search={older as never}>Older</LinkButton>}
      </div>
      {canAct && selected.size > 0 && <BulkBar jobs={bulk} elsewhere={selected.size - here} rest={rows.length - here} onRest={() => picked(rows, true)} onClear={() => choose(NOBODY)} act={doAct} />}
    </>
  );
}

const EmptyWait = () => <div style={{ padding: '24px 16px' }}><Loading what="Looking for jobs" /></div>;
