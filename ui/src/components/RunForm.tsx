import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError, ROOT } from '../api/client';
import { problemsQuery, workersQuery } from '../api/queries';
import { dryRunQuery, enqueue, type Former, newKey, refusalOf, runAgain, type Runnable } from '../api/run';
import { useCaller } from '../lib/caller';
import type { Asked } from '../lib/commands';
import { isBroken, isMembers, isSame, type Json, type Members, plainJson, write } from '../lib/json';
import { shortId } from '../lib/jobs';
import { notify } from '../lib/notices';
import { describe, firstPayload, isPlainCall, owner, PAYLOAD_CODES, type Placed, place, type Refusal } from '../lib/schema';
import type { RunSearch } from '../router';
import { Answer } from './Answer';
import { CommandPreview } from './CommandPreview';
import { Commands } from './Commands';
import { CopyBlock } from './Copy';
import { Panel } from './Panel';
import { RawJson } from './RawJson';
import { bodyOf, NO_OPTIONS, type Options, RunOptions } from './RunOptions';
import { SchemaForm } from './SchemaForm';
import classes from '../pages/Run.module.css';

const DEBOUNCE_MS = 500;
const MASK = '***';
const ENDS: Record<string, string> = { succeeded: 'succeeded', failed: 'failed', dead_letter: 'became a dead letter', canceled: 'was canceled' };
const NOTHING_WRONG: Placed = { payload: [], options: [], top: [] };

/** Why the job would wait, as far as this caller can see. */
function useObstacle(key: string, queue: string, isCommand: boolean): string | undefined {
  const { tenant, isOperator, may } = useCaller();
  const { data: problems } = useQuery({ ...problemsQuery(tenant), enabled: may('listProblems') });
  const { data: workers } = useQuery({ ...workersQuery, enabled: isOperator });
  const has = (code: string, type: string, name: string) => problems?.some((p) => p.code === code && p.subject.type === type && p.subject.name === name);
  if (problems?.some((p) => p.code === 'tenant_paused' && (!isOperator || p.subject.name === tenant))) return 'The tenant is paused: the job would wait.';
  if (has('queue_paused', 'queue', queue)) return `Queue ${queue} is paused: the job would wait.`;
  if (has('no_worker', 'queue', queue)) return `No live worker serves ${queue} now: the job would wait.`;
  if (has('no_worker', 'definition', key)) return `No live worker ${isCommand ? 'may run' : 'knows'} ${key} now: the job would wait.`;
  if (!queue || !workers || workers.next_cursor) return undefined;
  const serving = workers.items.filter((w) => w.live && !w.draining && w.queues.includes(queue));
  if (!serving.length) return `No live worker serves ${queue} now: the job would wait.`;
  return serving.some((w) => (w.definitions === null && !isCommand) || w.definitions?.includes(key)) ? undefined : `No live worker ${isCommand ? 'may run' : 'knows'} ${key} now: the job would wait.`;
}

/** The server's judgement, half a second after the last key or when a field is left. */
function useJudgement(text: string | undefined, isAsked: boolean) {
  const { tenant } = useCaller();
  const [judged, setJudged] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setJudged(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, error, isPlaceholderData, isFetching } = useQuery({ ...dryRunQuery(tenant, judged ?? ''), enabled: isAsked && judged !== undefined });
  return { refusal: data, error, isOld: judged !== text || isPlaceholderData || (isFetching && data === undefined), judgeNow: () => setJudged(text) };
}

const hasMask = (value: Json): boolean => (typeof value === 'string' ? value.includes(MASK) : Array.isArray(value) ? value.some(hasMask) : isMembers(value) && [...value.values()].some(hasMask));

/** What is wrong, at the field of the page that shows it. A field that nobody has filled in yet is not blamed. */
function faultsOf(placed: Placed, schema: Json, payload: Json, isSeen: (pointer: string) => boolean): Map<string, string> {
  const found = new Map<string, string>();
  for (const fault of placed.payload) {
    const at = owner(schema, schema, payload, fault.pointer);
    if (fault.code === 'required' && at === fault.pointer && !isSeen(at)) continue;
    const says = at === fault.pointer ? fault.detail : `${fault.pointer.slice(at.length)}: ${fault.detail}`;
    found.set(at, [found.get(at), says].filter(Boolean).join(' '));
  }
  return found;
}

/** Nothing is wrong but what nobody has filled in yet. */
const isMissing = ({ payload, options, top }: Placed): boolean => payload.length > 0 && !options.length && !top.length && payload.every((f) => f.code === 'required');

function Verdict({ isWhole, refusal, isOld, error, isAsked }: { isWhole: boolean; refusal: Refusal | null | undefined; isOld: boolean; error: unknown; isAsked: boolean }) {
  const [tone, says] = !isWhole ? ['bad', 'It is not JSON yet.']
    : !isAsked ? ['quiet', 'The server judges it when you run it.']
    : refusal && isMissing(place(refusal)) ? ['quiet', `Still missing: ${place(refusal).payload.map((f) => f.pointer).join(', ')}`]
    : refusal && PAYLOAD_CODES.has(refusal.code) ? ['bad', `Does not fit the schema: ${[...new Set(place(refusal).payload.map((f) => f.pointer || 'the whole'))].join(', ')}`]
    : refusal ? ['bad', 'The server would refuse it.']
    : error ? ['warn', `The server could not judge it: ${(error as Error).message}`]
    : isOld || refusal === undefined ? ['quiet', 'Checking…'] : ['good', 'Fits the schema.'];
  return <p className={tone === 'quiet' ? 'quiet' : `tone-${tone}`} role="status">{says}</p>;
}

/** The form of a definition, or of a job that runs again. */
export function RunForm({ definition, former, choose }: { definition: Runnable; former?: Former; choose?: ReactNode }) {
  const { tenant, may, whose, me, isOperator } = useCaller();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { as } = useSearch({ strict: false }) as RunSearch;
  const [first] = useState(() => former?.payload ?? firstPayload(definition.schema, definition.defaults));
  const [payload, setPayload] = useState<Json>(first);
  const [options, setOptions] = useState<Options>(NO_OPTIONS);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [hasTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<{ text: string; refusal: Refusal }>();
  const sent = useRef<{ text: string; key: string }>(undefined);
  const acts = useRef(false);
  const form = useRef<HTMLFormElement>(null);

  const root = describe(definition.schema, definition.schema);
  const hasForm = root.kind === 'object';
  const mayEdit = !former || may('runJobAgainEdited');
  const isJson = !hasForm || as === 'json' || !isMembers(payload);
  const isWhole = isMembers(payload) && !isBroken(payload);
  const isChanged = !former || !isSame(payload, former.payload);
  const body = bodyOf(definition.key, isMembers(payload) ? payload : new Map(), former ? NO_OPTIONS : options);
  const text = isWhole ? write(body) : undefined;
  const isAsked = mayEdit && may('enqueueJob');
  const { refusal: judgement, error, isOld, judgeNow } = useJudgement(text, isAsked);
  const refusal = refused && refused.text === text ? refused.refusal : text === undefined ? undefined : judgement;
  const payloadText = isMembers(payload) && isWhole ? write(payload) : undefined;
  const plainSchema = useMemo(() => plainJson(definition.schema), [definition.schema]);
  const placed = refusal ? place(refusal) : NOTHING_WRONG;
  const faults = faultsOf(placed, definition.schema, payload, (pointer) => hasTried || left.has(pointer));
  const optionFaults = new Map(placed.options.map((f) => [f.pointer.split('/')[1]!, f.detail]));
  const top = [...placed.top, ...(faults.has('') && !isJson ? [faults.get('')!] : [])];
  const wrong = new Set([...placed.payload, ...placed.options].map((f) => f.pointer)).size;
  const obstacle = useObstacle(definition.key, options.queue || definition.queue, definition.kind === 'command');

  const leave = (pointer: string) => { setLeft((old) => (old.has(pointer) ? old : new Set(old).add(pointer))); judgeNow(); };
  const showWrong = () => {
    setTried(true);
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-error="true"] input')?.focus());
  };

  const run = async () => {
    if (acts.current || text === undefined) return;
    acts.current = true;
    setBusy(true);
    const again = former && (isChanged ? write(new Map([['payload', payload]])) : '');
    const named = again ?? text;
    // One key for one filled form: the same again, after a double click or a lost answer, is the same job.
    if (sent.current?.text !== named) sent.current = { text: named, key: newKey() };
    try {
      const made = former ? await runAgain(tenant, former.id, again || undefined, sent.current.key) : await enqueue(tenant, text, sent.current.key);
      if (!made.created) notify('A job with this dedupe key is there already. Nothing was enqueued; this is that job.');
      void client.invalidateQueries({ predicate: (q) => ['jobs', 'overview', 'summary', 'problems'].includes(String(q.queryKey[0])) });
      await navigate({ to: '/jobs/$id', params: { id: made.id }, search: {} });
    } catch (caught) {
      if (caught instanceof ApiError && caught.status < 500 && caught.status !== 401) { setRefused({ text, refusal: refusalOf(caught) }); showWrong(); }
      else notify(`${(caught as Error).message} Press the button again: it makes no second job.`, { tone: 'bad' });
    } finally {
      acts.current = false;
      setBusy(false);
    }
  };
  // An older judgement does not hold back what was typed since: the server judges it when it comes.
  const submit = (event: FormEvent) => { event.preventDefault(); if (!isWhole || (refusal && !isOld)) showWrong(); else void run(); };
  const onKey = (event: KeyboardEvent) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.current?.requestSubmit(); } };

  const asked: Asked = {
    server: window.location.origin + ROOT, tenant: isOperator ? tenant : undefined,
    body: former ? (isChanged && isMembers(payload) ? new Map<string, Json>([['payload', payload]]) : new Map()) : body,
    isPlain: isMembers(payload) && isPlainCall(definition.schema, payload),
    again: former && { id: former.id, tenant: me.tenant ?? former.tenantId },
  };
  const view = (next: 'json' | undefined) => ({ to: '.', search: ((s: RunSearch) => ({ ...s, as: next })) as never, resetScroll: false }) as const;
  const edit = (next: Json | undefined) => setPayload(next ?? new Map());
  const listed = isJson ? placed.payload.filter((f) => f.code !== 'required' || hasTried || left.has('')).map((f) => `${f.pointer || 'The payload'}: ${f.detail}`).join(' ') : undefined;
  const notObject = !isMembers(payload) && !isBroken(payload) ? 'The payload is an object: it begins with { and ends with }.' : undefined;

  return (
    <>
      <Answer title={former ? `Run ${definition.key} again` : `Run ${definition.key} once`} actions={choose}>
        {definition.description && `${definition.description.replace(/\.?$/, '.')} `}
        {former && <>It begins with the payload of <Link to="/jobs/$id" params={{ id: former.id }}>{shortId(former.id)}</Link>, which {ENDS[former.status] ?? 'has ended'}. </>}
        {definition.queue && !former && `On queue ${options.queue || definition.queue}, for ${whose.replace(/\.$/, '')}. `}
        {obstacle && <span className="tone-warn">{obstacle}</span>}
      </Answer>
      <form ref={form} className={classes.two} onSubmit={submit} onKeyDown={onKey} noValidate>
        <Panel title="Arguments" aside={mayEdit && hasForm && (
          <div className={classes.views} role="group" aria-label="How to write the payload">
            <button type="button" aria-pressed={!isJson} disabled={!isMembers(payload)} title={isMembers(payload) ? undefined : 'The JSON has to be an object first'} onClick={() => void navigate(view(undefined))}>Form</button>
            <button type="button" aria-pressed={isJson} onClick={() => void navigate(view('json'))}>JSON</button>
          </div>
        )}>
          {top.length > 0 && <div className={classes.top} role="alert">{top.map((says) => <p key={says}>{says}</p>)}</div>}
          {former && hasMask(former.payload ?? null) && <p className={classes.note}>{MASK} is a hidden value. The new job gets the value itself, unless you write another.</p>}
          {!mayEdit ? <CopyBlock text={write(first, 2)} what="the payload" sunken />
            : isJson || !isMembers(payload) ? <RawJson label="Payload" description={hasForm ? undefined : 'The definition has no schema that makes a form. Write the payload as JSON.'} value={payload} onChange={edit} onBlur={() => leave('')} error={notObject ?? listed} rows={8} />
            : root.schema.get('properties') && (root.schema.get('properties') as Members).size + payload.size > 0 ? <SchemaForm schema={definition.schema} value={payload} faults={faults} onChange={setPayload} onLeave={leave} />
            : <p className="quiet">It takes no arguments.</p>}
          <div className={classes.go}>
            <Button type="submit" variant="filled" aria-busy={isBusy}>{isBusy ? 'Enqueuing…' : former ? 'Run again' : 'Run'}</Button>
            <span className="quiet" role="status">{!isWhole ? 'A part of it is not JSON yet.' : wrong ? isMissing(placed) ? `${wrong === 1 ? 'One field is' : `${wrong} fields are`} still empty.` : `${wrong === 1 ? 'One field does' : `${wrong} fields do`} not fit yet.` : former && isChanged ? 'The payload differs from that of the old job.' : !mayEdit ? 'Your role runs it as it was.' : ''}</span>
          </div>
        </Panel>
        <div className={classes.side}>
          {definition.command && mayEdit && may('previewCommand') && <CommandPreview name={definition.key} command={definition.command} schema={plainSchema} text={payloadText} isFit={refusal === undefined ? undefined : refusal === null} isOld={isOld} />}
          {mayEdit && (
            <Panel title={isJson ? 'Does it fit?' : 'What will be enqueued'}>
              {!isJson && <pre className={classes.payload} tabIndex={0} aria-label="Payload">{write(payload, 2)}</pre>}
              <Verdict isWhole={isWhole} refusal={refusal} isOld={isOld} error={error} isAsked={isAsked} />
            </Panel>
          )}
          {former
            ? <Panel title="When and how"><p className="soft">At once, with the queue, priority, attempts and tags of the old job. The new job names the old one as its source.</p></Panel>
            : <Panel title="When and how"><RunOptions options={options} definition={definition} faults={optionFaults} onChange={setOptions} onLeave={judgeNow} /></Panel>}
          {isWhole && <Commands asked={asked} />}
        </div>
      </form>
    </>
  );
}
