import { Button, NativeSelect, Select, Switch, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError } from '../api/client';
import { activeDefinitionsQuery, runnableQuery } from '../api/run';
import { type Editable, editableQuery, saveSchedule, type Schedule, simulationQuery, tenantZoneQuery, timetableQuery, warningsKey } from '../api/schedules';
import { Answer } from '../components/Answer';
import { ChooseTenant } from '../components/ChooseTenant';
import { ErrorState } from '../components/ErrorState';
import { LinkButton } from '../components/LinkButton';
import { Loading } from '../components/Loading';
import { NextFires } from '../components/NextFires';
import { Panel } from '../components/Panel';
import { MISSED, OVERLAP, PolicyChoice } from '../components/PolicyChoice';
import { RawJson } from '../components/RawJson';
import { useCaller } from '../lib/caller';
import type { FormErrors } from '../lib/form-errors';
import { isBroken, isMembers, type Json } from '../lib/json';
import { isUnsayable } from '../lib/merge';
import { notify } from '../lib/notices';
import { changeText, type Draft, draftErrors, draftOf, type Mode, NAMES, NEW, newText, PRESETS, timetableOf, type Unit, UNITS } from '../lib/schedule-draft';
import { describe, firstPayload, namesOf } from '../lib/schema';
import classes from './ScheduleEdit.module.css';

const DEBOUNCE_MS = 300;
const PARTS = ['minute', 'hour', 'day', 'month', 'weekday'];
const MODES: [Mode, string][] = [['cron', 'By cron'], ['interval', 'At an interval'], ['once', 'Once']];
const NOTHING: FormErrors = { top: '', fields: {} };
type Change = (change: Partial<Draft>) => void;
type Errors = Record<string, string | undefined>;

/** What the server makes of the times, a moment after the last key. */
function usePreview(draft: Draft, zone: string) {
  const { tenant } = useCaller();
  const timetable = useMemo(() => timetableOf(draft, zone), [draft.mode, draft.cron_expr, draft.every, draft.unit, draft.timezone, draft.starts, draft.ends, zone]);
  const [asked] = useDebouncedValue(timetable, DEBOUNCE_MS);
  const found = useQuery({ ...timetableQuery(tenant, asked ?? {}), enabled: asked !== undefined });
  const last = useRef(found.data);
  if (found.data) last.current = found.data;
  const isOld = asked !== timetable || (found.isFetching && !found.data);
  const { data: past } = useQuery({ ...simulationQuery(tenant, asked ?? {}), enabled: found.isSuccess && asked !== undefined && !asked.once });
  return { preview: found.error || timetable === undefined ? undefined : found.data ?? last.current, isOld, past: asked?.once ? undefined : past, errors: found.error && !isOld ? draftErrors(found.error) : NOTHING };
}

const zones = (): string[] => { try { return Intl.supportedValuesOf('timeZone'); } catch { return []; } };

function Zone({ draft, set, own, error }: { draft: Draft; set: Change; own: string | undefined; error?: ReactNode }) {
  const data = useMemo(() => [{ value: '', label: `${own ?? 'UTC'}, the tenant's` }, ...[...new Set(['UTC', ...(draft.timezone ? [draft.timezone] : []), ...zones()])].map((zone) => ({ value: zone, label: zone }))], [own, draft.timezone]);
  return <Select label="Time zone" data={data} value={draft.timezone} onChange={(v) => set({ timezone: v ?? '' })} searchable allowDeselect={false} nothingFoundMessage="No zone has that name." maxDropdownHeight={320} limit={120} error={error} classNames={{ input: classes.big }} />;
}

function When({ draft, set, zone, own, errors }: { draft: Draft; set: Change; zone: string; own: string | undefined; errors: Errors }) {
  const { preview, isOld, past, errors: refused } = usePreview(draft, zone);
  const wrong: Errors = { ...refused.fields, ...errors };
  const parts = draft.cron_expr.trim().split(/\s+/);
  return (
    <div className={classes.editor}>
      <div className={classes.left}>
        <div className={classes.modes} role="group" aria-label="Kind of timetable">{MODES.map(([mode, name]) => <button key={mode} type="button" aria-pressed={draft.mode === mode} onClick={() => set({ mode })}>{name}</button>)}</div>
        <div className={classes.inputs}>
          {draft.mode === 'cron' && <TextInput name="cron_expr" label="Cron expression" value={draft.cron_expr} onChange={(e) => set({ cron_expr: e.currentTarget.value })} error={wrong.cron_expr} spellCheck={false} autoComplete="off" maxLength={200} classNames={{ input: classes.cron }} aria-describedby="schedule-words" />}
          {draft.mode === 'interval' && (
            <div className={classes.every}>
              <TextInput name="interval_seconds" label="Every" value={draft.every} onChange={(e) => set({ every: e.currentTarget.value })} error={wrong.interval_seconds} inputMode="numeric" autoComplete="off" classNames={{ input: classes.big }} />
              <NativeSelect label="Unit" data={Object.keys(UNITS)} value={draft.unit} onChange={(e) => set({ unit: e.currentTarget.value as Unit })} classNames={{ input: classes.big }} />
            </div>
          )}
          {draft.mode === 'once' && <TextInput name="starts_at" type="datetime-local" step={1} label="At" value={draft.starts} onChange={(e) => set({ starts: e.currentTarget.value })} error={wrong.starts_at} classNames={{ input: classes.big }} />}
          <Zone draft={draft} set={set} own={own} error={wrong.timezone} />
        </div>
        {draft.mode === 'cron' && (
          <>
            {/* A name such as @daily has no fields. */}
            {!draft.cron_expr.trim().startsWith('@') && <ol className={classes.parts} aria-hidden="true">{PARTS.map((part, i) => <li key={part}><code>{parts[i] || '·'}</code><span>{part}</span></li>)}</ol>}
            <div className={classes.presets} role="group" aria-label="Examples">{PRESETS.map(([name, cron]) => <button key={cron} type="button" aria-pressed={cron === draft.cron_expr.trim()} onClick={() => set({ cron_expr: cron })}>{name}</button>)}</div>
          </>
        )}
        <p className={classes.words} id="schedule-words" role="status" data-old={isOld || undefined}>{preview?.words ?? ''}</p>
        {refused.top && <p className="tone-bad" role="alert">{refused.top}</p>}
        {draft.mode !== 'once' && (
          <div className={classes.pair}>
            <TextInput name="starts_at" type="datetime-local" step={1} label="From" description={`In ${zone}. Empty: at once.`} value={draft.starts} onChange={(e) => set({ starts: e.currentTarget.value })} error={wrong.starts_at} />
            <TextInput name="ends_at" type="datetime-local" step={1} label="Until" description="Empty: no end." value={draft.ends} onChange={(e) => set({ ends: e.currentTarget.value })} error={wrong.ends_at} />
          </div>
        )}
      </div>
      <div className={classes.right}>
        <h3>Next fires</h3>
        {preview?.times.length ? <NextFires times={preview.times} zone={preview.timezone} label="Next fires" /> : <div className={classes.none}>{preview ? 'No planned time is left. Choose a later one.' : draft.mode === 'once' && !draft.starts ? 'Without a time it fires as soon as it is saved.' : 'Write a valid timetable to see when it fires.'}</div>}
        {past && preview && <p className={classes.past}><b>Over the past year:</b> {past.detail.replace(/^Would/, 'would')}</p>}
      </div>
    </div>
  );
}

/** What the definition takes, so that one need not look it up. */
function takes(schema: Json | undefined): string {
  if (schema === undefined) return '';
  const field = describe(schema, schema);
  const names = field.kind === 'object' ? namesOf(field, new Map()) : [];
  return names.length ? `Takes ${names.map((n) => (n.isRequired ? n.name : `${n.name} (optional)`)).join(', ')}.` : '';
}

function What({ draft, set, errors, isNew }: { draft: Draft; set: Change; errors: Errors; isNew: boolean }) {
  const { data: active } = useQuery(activeDefinitionsQuery);
  const { data: definition } = useQuery({ ...runnableQuery(draft.definition_key), enabled: draft.definition_key !== '' });
  const filled = useRef(!isNew);
  // A definition that is chosen first brings its arguments along, as long as nobody has written any.
  useEffect(() => {
    if (filled.current || !definition) return;
    if (isMembers(draft.payload) && draft.payload.size === 0) set({ payload: firstPayload(definition.schema, definition.defaults) });
  }, [definition]);
  const keys = [...new Set([...(draft.definition_key ? [draft.definition_key] : []), ...(active ?? []).map((d) => d.key)])].sort();
  const isObject = isMembers(draft.payload) || isBroken(draft.payload);
  return (
    <div className={classes.fields}>
      <TextInput name="label" label="Label" withAsterisk placeholder="Nightly report" value={draft.label} onChange={(e) => set({ label: e.currentTarget.value })} error={errors.label} maxLength={200} autoComplete="off" />
      <TextInput name="key" label="Key" description="For programs: a name that no other schedule of the tenant has." placeholder="none" value={draft.key} onChange={(e) => set({ key: e.currentTarget.value })} error={errors.key} maxLength={200} autoComplete="off" spellCheck={false} classNames={{ input: classes.mono }} />
      <Select name="definition_key" label="Definition" withAsterisk placeholder="Which job to start" data={keys} value={draft.definition_key || null} onChange={(v) => { if (v) set({ definition_key: v }); }} searchable allowDeselect={false} nothingFoundMessage="No definition has that key." maxDropdownHeight={320} error={errors.definition_key} />
      <RawJson label="Payload" description="What each job gets, as JSON. Names in {{ }} are filled in." value={draft.payload} rows={5} onChange={(payload) => { filled.current = true; set({ payload: payload ?? new Map() }); }} error={!isObject ? 'The payload is an object: it begins with { and ends with }.' : errors.payload_template} />
      {takes(definition?.schema) && <p className={classes.takes}>{takes(definition?.schema)}</p>}
      <details className={classes.names}>
        <summary>Names that may be used</summary>
        <dl>{NAMES.map(([name, says]) => <div key={name} style={{ display: 'contents' }}><dt><code>{`{{ ${name} }}`}</code></dt><dd>{says}</dd></div>)}</dl>
        <p>A text that is one name alone keeps its type. Filters: <code>string</code>, <code>int</code>, <code>float</code>, <code>lower</code>, <code>upper</code>, <code>trim</code>, <code>tojson</code>, as in <code>{'{{ tenant.slug | upper }}'}</code>.</p>
      </details>
    </div>
  );
}

function How({ draft, set, errors }: { draft: Draft; set: Change; errors: Errors }) {
  const { data: definition } = useQuery({ ...runnableQuery(draft.definition_key), enabled: draft.definition_key !== '' });
  const field = (name: 'missed_limit' | 'spread_seconds' | 'pause_after_failures' | 'max_attempts' | 'priority' | 'queue', label: string, description: string, placeholder?: string) => (
    <TextInput name={name} label={label} description={description} placeholder={placeholder} value={draft[name]} onChange={(e) => set({ [name]: e.currentTarget.value })} error={errors[name]} inputMode={name === 'queue' ? 'text' : 'numeric'} autoComplete="off" spellCheck={false} />
  );
  return (
    <div className={classes.fields}>
      <PolicyChoice legend="If the last one has not ended" choices={OVERLAP} value={draft.overlap} onChange={(overlap) => set({ overlap })} />
      <PolicyChoice legend="If fires were missed while no scheduler ran" choices={MISSED} value={draft.missed} onChange={(missed) => set({ missed })} />
      <div className={classes.three}>
        {draft.missed === 'all' && field('missed_limit', 'Missed, at most', 'The newest so many fire.', '10')}
        {field('spread_seconds', 'Spread, seconds', 'Later by up to this, the same each time.', '0')}
        {field('pause_after_failures', 'Pause after failures', 'So many in a row. Empty: never.', 'never')}
        {field('max_attempts', 'Attempts', 'Empty: as the definition says.', definition?.maxAttempts)}
        {field('priority', 'Priority', '0 to 1000; lower is more urgent.', definition?.priority)}
        {field('queue', 'Queue', 'Empty: that of the definition.', definition?.queue)}
      </div>
    </div>
  );
}

/** The form. It knows which version it has seen, so that nobody's change is lost. */
function Editor({ first, schedule, onReload }: { first: Draft; schedule?: Schedule; onReload?: () => void }) {
  const { tenant, whose } = useCaller();
  const navigate = useNavigate();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(first);
  const [errors, setErrors] = useState(NOTHING);
  const [isConflict, setConflict] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { data: own } = useQuery(tenantZoneQuery(tenant));
  const zone = draft.timezone || own || schedule?.effective_timezone || 'UTC';
  const set: Change = (change) => { setDraft((old) => ({ ...old, ...change })); setErrors(NOTHING); };

  const fail = (found: FormErrors) => {
    setErrors(found);
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  /** What needs no server. */
  const missing = (): Record<string, string> => ({
    ...(draft.label.trim() ? {} : { label: 'A schedule needs a label.' }),
    ...(draft.definition_key ? {} : { definition_key: 'Choose the definition whose jobs it starts.' }),
    ...(schedule && isUnsayable(first.payload, draft.payload) ? { payload_template: 'A change cannot store null in an object: leave the name out, or make a new schedule.' } : {}),
  });
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const lacks = missing();
    if (Object.keys(lacks).length) return fail({ top: '', fields: lacks });
    if (!isMembers(draft.payload) || isBroken(draft.payload)) return fail({ top: '', fields: { payload_template: 'The payload is not JSON yet.' } });
    const text = schedule ? changeText(first, draft, { before: schedule.effective_timezone, after: zone }) : newText(draft, zone);
    if (text === undefined) { notify('Nothing was changed.'); return void navigate({ to: '/schedules/$id', params: { id: schedule!.id } }); }
    setBusy(true);
    try {
      const saved = await saveSchedule(tenant, text, schedule);
      client.setQueryData(warningsKey(saved.id), saved.warnings);
      notify(`${saved.label} is saved.`);
      void client.invalidateQueries({ predicate: (q) => ['schedules', 'problems'].includes(String(q.queryKey[0])) });
      await navigate({ to: '/schedules/$id', params: { id: saved.id }, search: {} });
    } catch (error) {
      const isOld = error instanceof ApiError && error.status === 412;
      setConflict(isOld);
      fail(isOld ? { top: 'Somebody changed this schedule meanwhile. Reload to see their values; yours are lost then.', fields: {} } : draftErrors(error));
    } finally {
      setBusy(false);
    }
  };
  const back = schedule ? <LinkButton to="/schedules/$id" params={{ id: schedule.id }}>Cancel</LinkButton> : <LinkButton to="/schedules">Cancel</LinkButton>;
  return (
    <form ref={form} onSubmit={(e) => void save(e)} noValidate>
      <Answer eyebrow={<><Link to="/schedules">Schedules</Link><span aria-hidden="true">/</span><span>{schedule ? 'Change' : 'New'}</span></>} title={schedule ? `Change ${schedule.label}` : 'When should which job start?'}
        actions={<>{!schedule && <Switch label="Enabled" labelPosition="left" checked={draft.is_enabled} onChange={(e) => set({ is_enabled: e.currentTarget.checked })} />}{back}<Button type="submit" variant="filled" disabled={isBusy}>Save</Button></>}>
        {`Starts ${draft.definition_key || 'a job'} for ${whose.replace(/\.$/, '')}.`}{schedule && !schedule.is_enabled ? ' It is paused, and stays so when you save it.' : ''}
      </Answer>
      <div className={classes.stack}>
        {errors.top && <div className={classes.top} role="alert"><span>{errors.top}</span>{isConflict && onReload && <Button onClick={onReload}>Reload</Button>}</div>}
        <Panel title="When"><When draft={draft} set={set} zone={zone} own={own} errors={errors.fields} /></Panel>
        <div className={classes.two}>
          <Panel title="What"><What draft={draft} set={set} errors={errors.fields} isNew={!schedule} /></Panel>
          <Panel title="How"><How draft={draft} set={set} errors={errors.fields} /></Panel>
        </div>
        <div className={classes.go}><Button type="submit" variant="filled" disabled={isBusy}>{schedule ? 'Save' : 'Make schedule'}</Button>{Object.keys(errors.fields).length > 0 && <span className="tone-bad" role="status">{Object.keys(errors.fields).length === 1 ? 'One field needs you.' : `${Object.keys(errors.fields).length} fields need you.`}</span>}</div>
      </div>
    </form>
  );
}

const Refused = ({ may }: { may: string }) => <Answer eyebrow={<Link to="/schedules">Schedules</Link>} title={`You cannot ${may} schedules`}>Your role reads. Ask an admin of your tenant for more.</Answer>;

/** Make a schedule. */
export function NewSchedule() {
  const { may, isOperator, tenant } = useCaller();
  const { definition } = useSearch({ strict: false }) as { definition?: string };
  if (!may('createTrigger')) return <Refused may="make" />;
  if (isOperator && !tenant) return <ChooseTenant>A schedule belongs to one tenant. Choose it here, or in the switcher. What you make is recorded under your name.</ChooseTenant>;
  return <Editor key={tenant} first={{ ...NEW, definition_key: definition ?? '' }} />;
}

/** Change a schedule. */
export function EditSchedule() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { may, isOperator, tenant } = useCaller();
  // What was read first stays, whatever is asked again meanwhile: nobody loses what they type.
  const [held, setHeld] = useState<{ found: Editable; no: number }>();
  const { data, error, refetch } = useQuery({ ...editableQuery(tenant, id), enabled: may('changeTrigger') && !held });
  if (!may('changeTrigger')) return <Refused may="change" />;
  if (error && !held) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!held) {
    if (data) setHeld({ found: data, no: 0 });
    return <Loading what="Reading the schedule" />;
  }
  const { schedule, payload } = held.found;
  const reload = async () => { const { data: fresh } = await refetch(); if (fresh) setHeld({ found: fresh, no: held.no + 1 }); };
  if (isOperator && !tenant) return <ChooseTenant wanted={schedule.tenant_id}>A schedule belongs to one tenant. What you change is recorded under your name.</ChooseTenant>;
  return <Editor key={held.no} first={draftOf(schedule, payload)} schedule={schedule} onReload={() => void reload()} />;
}
