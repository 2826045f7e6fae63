import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError } from '../api/client';
import { commandTrialQuery, type Editable, editableCommandQuery, saveCommand } from '../api/command';
import { queuesQuery } from '../api/queries';
import { Answer } from '../components/Answer';
import { CommandEditor, SchemaEditor } from '../components/CommandEditor';
import { ErrorState } from '../components/ErrorState';
import { LinkButton } from '../components/LinkButton';
import { Loading } from '../components/Loading';
import { Panel } from '../components/Panel';
import { useCaller } from '../lib/caller';
import { changedBetween } from '../lib/command-conflict';
import { changeText, CLOSED, type Draft, draftOf, faultsOf, isUnsayableSchema, jsonOf, newText, NOTHING, type Refused, refusedBy } from '../lib/command-draft';
import { commandOf } from '../lib/command-template';
import { numberIn } from '../lib/form-errors';
import { isBroken } from '../lib/json';
import { notify } from '../lib/notices';
import classes from './CommandEdit.module.css';

const DEBOUNCE_MS = 500;
/** What a new definition has beside its command, as it was typed. */
interface Fields { key: string; description: string; queue: string; timeout_seconds: string; max_attempts: string }
const NO_FIELDS: Fields = { key: '', description: '', queue: 'default', timeout_seconds: '3600', max_attempts: '3' };
const sent = (f: Fields) => ({ key: f.key.trim(), description: f.description.trim(), queue: f.queue, timeout_seconds: numberIn(f.timeout_seconds), ...(f.max_attempts.trim() ? { max_attempts: numberIn(f.max_attempts) } : {}) });

const empty = (): Draft => draftOf(commandOf({})!, CLOSED);
const draftOfStored = ({ definition, schema }: Editable): Draft => draftOf(commandOf(definition.command ?? {})!, schema);

function FieldsPanel({ fields: f, set, errors, onLeave }: { fields: Fields; set: (change: Partial<Fields>) => void; errors: Record<string, string>; onLeave: (key: string) => void }) {
  const { data: queues } = useQuery(queuesQuery);
  const names = [...new Set([f.queue, ...(queues?.items ?? []).map((q) => q.name)])].sort();
  return (
    <Panel title="Definition">
      <div className={classes.fields}>
        <TextInput label="Key" description="Its name, like sync-dropbox. Policies and programs use it." withAsterisk placeholder="sync-dropbox" value={f.key} error={errors.key} onChange={(e) => set({ key: e.currentTarget.value })} onBlur={() => onLeave('key')} maxLength={200} autoComplete="off" spellCheck={false} />
        <TextInput label="Description" value={f.description} error={errors.description} onChange={(e) => set({ description: e.currentTarget.value })} autoComplete="off" />
        <div className={classes.three}>
          <NativeSelect label="Queue" data={names} value={f.queue} error={errors.queue} onChange={(e) => set({ queue: e.currentTarget.value })} />
          <TextInput label="Timeout, seconds" value={f.timeout_seconds} error={errors.timeout_seconds} onChange={(e) => set({ timeout_seconds: e.currentTarget.value })} inputMode="numeric" autoComplete="off" />
          <TextInput label="Attempts" value={f.max_attempts} error={errors.max_attempts} onChange={(e) => set({ max_attempts: e.currentTarget.value })} inputMode="numeric" autoComplete="off" />
        </div>
      </div>
    </Panel>
  );
}

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 412;

/** Somebody else has saved the definition since it was read. One takes theirs, or saves over it: knowingly. */
function Conflict({ seen, onTake, onKeep }: { seen: Editable; onTake: (theirs: Editable) => void; onKeep: (theirs: Editable) => void }) {
  const { data: theirs } = useQuery({ ...editableCommandQuery(seen.definition.key), queryKey: ['command-edit', seen.definition.key, 'theirs', String(seen.definition.revision)], staleTime: 0 });
  const what = theirs ? changedBetween(seen.definition, theirs.definition) : [];
  return (
    <div className={classes.conflict} role="alert">
      <p><b>Somebody changed {seen.definition.key} while you were here{what.length ? `: ${what.join(', ')}` : ''}.</b> {theirs && `You began with revision ${seen.definition.revision}; it has ${theirs.definition.revision} now.`} Nothing of yours is saved yet.</p>
      {theirs && <div className={classes.buttons}><Button onClick={() => onTake(theirs)}>Show theirs, drop mine</Button><Button variant="danger" onClick={() => onKeep(theirs)}>Keep mine, and save over theirs</Button></div>}
    </div>
  );
}

/** The server's judgement of the whole, half a second after the last key. Nothing is written. */
function useTrial(text: string | undefined, seen: Editable | undefined) {
  const [judged] = useDebouncedValue(text, DEBOUNCE_MS);
  const trial = useQuery({ ...commandTrialQuery(judged ?? '', seen?.definition), enabled: judged !== undefined });
  return { refusal: judged === undefined ? undefined : trial.data, error: trial.error, isOld: judged !== text || trial.isPlaceholderData || trial.isFetching };
}

function saysOf({ isChanged, isWhole, isOld, wrong, refusal, error }: { isChanged: boolean; isWhole: boolean; isOld: boolean; wrong: number; refusal: ApiError | null | undefined; error: unknown }): [tone: string, says: string] {
  if (!isChanged) return ['quiet', 'Nothing is changed.'];
  if (wrong) return ['tone-bad', wrong === 1 ? 'One place needs you.' : `${wrong} places need you.`];
  if (!isWhole) return ['quiet', 'Something is still missing.'];
  if (error) return ['tone-warn', `The server could not judge it: ${(error as Error).message}`];
  if (isOld || refusal === undefined) return ['quiet', 'Checking…'];
  return refusal ? ['tone-bad', 'The server would refuse it.'] : ['tone-good', 'The server would take it.'];
}

/** The form. It knows which revision it has seen, so that nobody's change is lost. */
function Editor({ stored, onTake }: { stored?: Editable; onTake?: (theirs: Editable) => void }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [seen, setSeen] = useState(stored);
  const [first, setFirst] = useState<Draft>(() => (stored ? draftOfStored(stored) : empty()));
  const [draft, setDraft] = useState(first);
  const [fields, setFields] = useState(NO_FIELDS);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [hasTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<{ text: string; error: unknown }>();

  const isWhole = !isBroken(draft.schema) && !isBroken(jsonOf(draft));
  const text = !isWhole ? undefined : seen ? changeText(first, draft) : newText(draft, sent(fields));
  const isChanged = !seen || !isWhole || text !== undefined;
  const own = faultsOf(draft);
  const isReady = isWhole && !own.size && (seen !== undefined || fields.key.trim() !== '');
  const { refusal, error: unknown, isOld } = useTrial(isReady ? text : undefined, seen);
  const error = refused?.text === text ? refused?.error : isOld ? undefined : refusal;
  const hasConflict = isConflict(error);
  const told: Refused = error && !hasConflict ? refusedBy(error, draft) : NOTHING;
  const unsayable = seen && isUnsayableSchema(first, draft) ? 'A change cannot store null in an object: leave the name out, or make a new definition.' : undefined;
  const isShown = (key: string) => hasTried || left.has(key);
  const leave = (key: string) => setLeft((old) => (old.has(key) ? old : new Set(old).add(key)));
  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }));
  const errors: Record<string, string> = isShown('key') && !fields.key.trim() && !seen ? { ...told.fields, key: 'It needs a key.' } : told.fields;
  const wrong = (hasTried ? own.size : 0) + told.faults.size + told.command.length + told.schema.length + Object.keys(errors).length + (unsayable ? 1 : 0);
  const [tone, says] = saysOf({ isChanged, isWhole: isReady, isOld, wrong, refusal, error: unknown });

  const showWrong = () => { setTried(true); setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()); };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (own.size || unsayable || !isWhole || (!seen && !fields.key.trim())) return showWrong();
    if (text === undefined) { notify('Nothing was changed.'); return void navigate({ to: '/definitions/$key', params: { key: seen!.definition.key } }); }
    setBusy(true);
    try {
      const saved = await saveCommand(text, seen?.definition);
      notify(`${saved.key} is saved.`);
      void client.invalidateQueries({ predicate: (q) => ['definitions', 'problems', 'workers', 'command-preview'].includes(String(q.queryKey[0])) });
      await navigate({ to: '/definitions/$key', params: { key: saved.key }, search: {} });
    } catch (caught) {
      setRefused({ text, error: caught });
      if (!isConflict(caught)) showWrong();
    } finally {
      setBusy(false);
    }
  };
  const keepMine = (theirs: Editable) => { setSeen(theirs); setFirst(draftOfStored(theirs)); setRefused(undefined); };
  const back = seen ? <LinkButton to="/definitions/$key" params={{ key: seen.definition.key }}>Cancel</LinkButton> : <LinkButton to="/definitions">Cancel</LinkButton>;
  return (
    <form ref={form} onSubmit={(e) => void save(e)} noValidate>
      <Answer eyebrow={<><Link to="/definitions">Definitions</Link><span aria-hidden="true">/</span><span>{seen ? <Link to="/definitions/$key" params={{ key: seen.definition.key }}>{seen.definition.key}</Link> : 'New command'}</span></>} title={seen ? `Change the command of ${seen.definition.key}` : 'Which program may jobs run?'} actions={<>{back}<Button type="submit" variant="filled" disabled={isBusy}>Save</Button></>}>
        {seen ? 'Workers run it again when the policy of their machine has the new hash. Until then its jobs wait.' : 'A job passes values, never a command line. A worker runs it only when the policy of its machine names it.'}
      </Answer>
      <div className={classes.stack}>
        {hasConflict && seen && <Conflict key={seen.definition.revision} seen={seen} onTake={(theirs) => onTake?.(theirs)} onKeep={keepMine} />}
        {told.top && <div className={classes.top} role="alert">{told.top}</div>}
        <div className={classes.two}>
          <div className={classes.column}>
            {!seen && <FieldsPanel fields={fields} set={(part) => setFields((old) => ({ ...old, ...part }))} errors={errors} onLeave={leave} />}
            <CommandEditor draft={draft} change={change} own={own} told={told.faults} places={told.command} isShown={isShown} onLeave={leave} />
          </div>
          <div className={classes.column}>
            <SchemaEditor draft={draft} change={change} places={told.schema} error={unsayable} />
          </div>
        </div>
        <div className={classes.go}><Button type="submit" variant="filled" disabled={isBusy}>{seen ? 'Save' : 'Make command'}</Button><span className={tone} role="status">{says}</span></div>
      </div>
    </form>
  );
}

const Refusal = ({ may }: { may: string }) => <Answer eyebrow={<Link to="/definitions">Definitions</Link>} title={`You cannot ${may} commands`}>Commands are made by those who run the installation. Ask one of them.</Answer>;

/** Make a definition that has a command. */
export function NewCommand() {
  const { may } = useCaller();
  return may('createDefinition') ? <Editor /> : <Refusal may="make" />;
}

/** Change the command of a definition. */
export function EditCommand() {
  const { key } = useParams({ strict: false }) as { key: string };
  const { may } = useCaller();
  // What was read first stays, whatever is asked again meanwhile: nobody loses what they type.
  const [held, setHeld] = useState<{ found: Editable; no: number }>();
  const { data, error, refetch } = useQuery({ ...editableCommandQuery(key), enabled: may('changeDefinition') && !held });
  if (!may('changeDefinition')) return <Refusal may="change" />;
  if (error && !held) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!held) {
    if (data) setHeld({ found: data, no: 0 });
    return <Loading what="Reading the command" />;
  }
  if (held.found.definition.origin !== 'db') return <Answer eyebrow={<Link to="/definitions/$key" params={{ key }}>{key}</Link>} title={`${key} comes from code, and has no command`}>Only a definition that a person has made can have one.</Answer>;
  return <Editor key={held.no} stored={held.found} onTake={(theirs) => setHeld({ found: theirs, no: held.no + 1 })} />;
}
