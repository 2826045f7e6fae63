import { Select, TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { STATUSES } from '../api/jobs';
import { definitionsQuery, queuesQuery, summaryQuery } from '../api/queries';
import { useCaller } from '../lib/caller';
import { capped } from '../lib/job-words';
import type { JobsSearch } from '../router';
import { STARTED_BY } from './SourceMark';
import { StatusGlyph, toneOf, wordOf } from './StatusGlyph';
import classes from './JobFilters.module.css';

const WAIT_MS = 300;
const SPANS = [{ value: 'hour', label: 'Last hour' }, { value: 'day', label: 'Last 24 hours' }, { value: 'week', label: 'Last 7 days' }];
/** Filters that a link sets and a person takes away. */
const CHIPS = [['worker', 'Worker'], ['tag', 'Tag'], ['correlation', 'Correlation']] as const;
export const NO_FILTER: JobsSearch = { status: undefined, definition: undefined, queue: undefined, by: undefined, worker: undefined, tag: undefined, correlation: undefined, q: undefined, since: undefined };

type Set = (change: JobsSearch, isTyping?: boolean) => void;

function SearchBox({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => { if (value !== sent.current) { sent.current = value; setText(value); } }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => { sent.current = text; onChange(text); }, WAIT_MS);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return <TextInput data-page-search type="search" maxLength={200} className={classes.text} aria-label="Search arguments, results, errors, tags and ids" placeholder="Arguments, error or id" leftSection={<IconSearch size={15} stroke={1.6} />} rightSection={<kbd className={classes.kbd}>/</kbd>} value={text} onChange={(e) => setText(e.currentTarget.value)} />;
}

function Choice({ label, data, value, onChange }: { label: string; data: { value: string; label: string }[]; value: string | undefined; onChange: (value: string | undefined) => void }) {
  const options = !value || data.some((o) => o.value === value) ? data : [{ value, label: value }, ...data];
  return <Select className={classes.select} aria-label={label} placeholder={label} clearable clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}` }} searchable={data.length > 8} nothingFoundMessage="None of that name" data={options} value={value ?? null} onChange={(v) => onChange(v ?? undefined)} />;
}

const named = (names: Iterable<string>) => [...new Set(names)].sort().map((name) => ({ value: name, label: name }));

/** Every filter is in the URL: a choice makes an entry in the history, typing does not. */
export function JobFilters({ search, set, isFiltered }: { search: JobsSearch; set: Set; isFiltered: boolean }) {
  const { tenant, may } = useCaller();
  const { data: counts } = useQuery(summaryQuery(tenant));
  const { data: definitions } = useQuery({ ...definitionsQuery(tenant), enabled: may('listDefinitions') });
  const { data: queues } = useQuery({ ...queuesQuery, enabled: may('listQueues') });
  const onText = useRef((q: string) => set({ q: q || undefined }, true));
  onText.current = (q) => set({ q: q || undefined }, true);
  const onType = useRef((q: string) => onText.current(q)).current;
  return (
    <>
      <div className={classes.statuses} role="group" aria-label="Status">
        <button type="button" className={classes.status} aria-pressed={!search.status} onClick={() => set({ status: undefined })}>All</button>
        {STATUSES.map((s) => {
          const rest = search.status?.filter((x) => x !== s);
          const isOn = search.status?.includes(s) ?? false;
          return (
            <button key={s} type="button" className={classes.status} aria-pressed={isOn} onClick={() => set({ status: isOn ? (rest!.length ? rest : undefined) : [...(search.status ?? []), s] })}>
              <span className={`tone-${toneOf(s)} ${classes.glyph}`}><StatusGlyph state={s} size={13} /></span>{s === 'queued' ? 'Waiting' : wordOf(s)}{counts && <span className={classes.n}>{capped(counts[s])}</span>}
            </button>
          );
        })}
      </div>
      <div className={classes.filters}>
        <SearchBox value={search.q ?? ''} onChange={onType} />
        <Choice label="Definition" data={named(definitions?.items.map((d) => d.key) ?? [])} value={search.definition} onChange={(definition) => set({ definition })} />
        <Choice label="Queue" data={named([...(definitions?.items.map((d) => d.queue) ?? []), ...(queues?.items.map((q) => q.name) ?? [])])} value={search.queue} onChange={(queue) => set({ queue })} />
        <Choice label="Started by" data={STARTED_BY} value={search.by} onChange={(by) => set({ by })} />
        <Choice label="Created" data={SPANS} value={search.since} onChange={(since) => set({ since })} />
        {CHIPS.map(([name, word]) => search[name] && (
          <button key={name} type="button" className={classes.chip} onClick={() => set({ [name]: undefined })}>
            <span className="sr">Take away: </span><span className={classes.n}>{word}</span> <span className={classes.value}>{search[name]}</span><IconX size={13} aria-hidden="true" />
          </button>
        ))}
        {isFiltered && <button type="button" className={classes.clear} onClick={() => set(NO_FILTER)}><IconX size={13} aria-hidden="true" />Clear filters</button>}
      </div>
    </>
  );
}
