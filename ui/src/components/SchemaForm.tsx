import { Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { createContext, type KeyboardEvent, type ReactNode, useContext } from 'react';
import { isMembers, isSame, type Json, type Members, write } from '../lib/json';
import { begin, describe, escape, type Field, namesOf, shownNumber, suits, typedNumber } from '../lib/schema';
import { RawJson } from './RawJson';
import classes from './SchemaForm.module.css';

/** What all fields of a form know: the schema that references point into, what is wrong, and whom to tell. */
interface Form { root: Json; faults: ReadonlyMap<string, string>; onLeave: (pointer: string) => void }
const FormContext = createContext<Form>({ root: true, faults: new Map(), onLeave: () => undefined });

interface Part { field: Field; name: string; pointer: string; depth: number; value: Json | undefined; isRequired: boolean; onChange: (value: Json | undefined) => void }
interface Choice { label: string; says: string; run: () => void; isQuiet?: boolean }

const DATE = /^\d{4}-\d\d-\d\d$/;
const KEYBOARDS: Record<string, 'email' | 'url'> = { email: 'email', uri: 'url' };
const HINTS: Record<string, string> = { 'date-time': '2026-11-18T10:30:00+01:00', time: '10:30:00Z', duration: 'PT90S', uuid: '00000000-0000-0000-0000-000000000000' };

const isPosition = (name: string) => /^\d+$/.test(name);
const wordOf = ({ field, name }: Part) => (isPosition(name) ? `${field.title ?? 'Item'} ${Number(name) + 1}` : field.title ?? name);

function Label({ part }: { part: Part }) {
  const hasTitle = part.field.title !== undefined && part.field.title !== part.name && !isPosition(part.name);
  return <>{wordOf(part)}{hasTitle && <> <code className={classes.name}>{part.name}</code></>}</>;
}

/** The ways to say nothing, null, or an empty text: each is something else in JSON. */
function choicesOf({ field, value, isRequired, onChange }: Part, kind: string): Choice[] {
  const found: Choice[] = [];
  const isOpen = kind === 'text' && field.choices.length === 0 && !field.format && !field.schema.has('pattern') && !field.schema.has('minLength');
  if (isOpen && value === undefined) found.push({ label: 'empty text', says: 'Send empty text for', run: () => onChange(''), isQuiet: true });
  if (field.isNullable && value !== null) found.push({ label: 'null', says: 'Send null for', run: () => onChange(null), isQuiet: true });
  if (kind === 'text' && field.format === 'date-time' && value === undefined) found.push({ label: 'now', says: 'Enter the time of now for', run: () => onChange(new Date().toISOString()) });
  if (value !== undefined && !isRequired) found.push({ label: 'leave out', says: 'Leave out', run: () => onChange(undefined) });
  return found;
}

function Choices({ part, kind }: { part: Part; kind: string }) {
  const choices = choicesOf(part, kind);
  if (!choices.length) return null;
  return (
    <span className={classes.choices}>
      {choices.map((c) => <button key={c.label} type="button" data-quiet={c.isQuiet || undefined} aria-label={`${c.says} ${wordOf(part)}`} onClick={c.run}>{c.label}</button>)}
    </span>
  );
}

const nothingSaid = ({ value, isRequired }: Part): string => (value === null ? 'null' : value === '' ? 'empty text' : isRequired ? '' : 'not sent');

/** Enter runs the form, as in every other field; with Shift, or in a text of several lines, it breaks the line. */
const onEnter = (event: KeyboardEvent<HTMLTextAreaElement>) => {
  if (event.key !== 'Enter' || event.shiftKey || event.ctrlKey || event.metaKey || event.currentTarget.value.includes('\n')) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
};

function TextField({ part, common }: { part: Part; common: Common }) {
  const { field: { format, schema }, value, onChange } = part;
  const text = typeof value === 'string' ? value : '';
  const change = (typed: string) => onChange(typed === '' ? undefined : typed);
  const isSecret = format === 'password' || schema.get('writeOnly') === true;
  const hint = isSecret ? 'env:NAME or file:/path' : format && HINTS[format];
  const placeholder = value === undefined && hint ? `${hint}${part.isRequired ? '' : ' (not sent)'}` : nothingSaid(part);
  // Shown as it is typed: the field takes a reference, and the server refuses the secret itself.
  if (isSecret) return <TextInput {...common} description={common.description ?? 'A secret: name where the worker finds it, not the secret itself.'} autoComplete="off" spellCheck={false} placeholder={placeholder} value={text} onChange={(e) => change(e.currentTarget.value)} />;
  if (format === 'date' && (text === '' || DATE.test(text))) return <TextInput {...common} type="date" className={classes.short} value={text} onChange={(e) => change(e.currentTarget.value)} />;
  if (format || schema.has('pattern')) return <TextInput {...common} inputMode={KEYBOARDS[format ?? '']} spellCheck={false} placeholder={placeholder} value={text} onChange={(e) => change(e.currentTarget.value)} />;
  return <Textarea {...common} classNames={{ input: classes.line }} rows={Math.min(12, text.split('\n').length)} placeholder={placeholder} value={text} onChange={(e) => change(e.currentTarget.value)} onKeyDown={onEnter} />;
}

interface Common { label: ReactNode; description?: string; withAsterisk: boolean; error?: string; onBlur: () => void }

function ChoiceField({ part, common }: { part: Part; common: Common }) {
  const { field: { choices }, value, onChange } = part;
  const at = value === undefined ? -1 : choices.findIndex((choice) => isSame(choice, value));
  return (
    <Select {...common} data={choices.map((choice, n) => ({ value: String(n), label: typeof choice === 'string' ? choice || 'empty text' : write(choice) }))} searchable={choices.length > 8}
      value={at < 0 ? null : String(at)} allowDeselect={false} placeholder={nothingSaid(part) || 'Choose'} onChange={(n) => onChange(n === null ? undefined : choices[Number(n)])} />
  );
}

function Group({ part, kind, error, children }: { part: Part; kind: string; error?: string; children?: ReactNode }) {
  return (
    <fieldset className={classes.group} aria-invalid={error ? true : undefined}>
      <legend><Label part={part} />{part.isRequired && <span className="tone-bad" aria-hidden="true"> *</span>}</legend>
      <Choices part={part} kind={kind} />
      {part.field.description && <p className={classes.description}>{part.field.description}</p>}
      {children}
      {error && <p className={classes.error}>{error}</p>}
    </fieldset>
  );
}

const Add = ({ label, says, run }: { label: string; says: string; run: () => void }) => <button type="button" className={classes.add} aria-label={says} onClick={run}><IconPlus size={14} stroke={1.8} />{label}</button>;

function ArrayField({ part, items, error }: { part: Part; items: Json[]; error?: string }) {
  const { root } = useContext(FormContext);
  const { field, pointer, depth, onChange } = part;
  const schema = field.schema.get('items');
  const item = describe(root, schema);
  // An item has to be something: nothing is an empty text where one types, and null elsewhere.
  const nothing = item.kind === 'text' || item.kind === 'number' ? '' : null;
  const blank = (): Json => begin(root, schema, depth + 1) ?? item.choices[0] ?? nothing;
  return (
    <Group part={part} kind="array" error={error}>
      {items.map((each, n) => (
        <div key={n} className={classes.item}>
          <div className={classes.inner}><FieldView schema={schema} name={String(n)} pointer={`${pointer}/${n}`} depth={depth + 1} value={each} isRequired onChange={(next) => onChange(items.with(n, next ?? nothing))} /></div>
          <button type="button" className={classes.remove} aria-label={`Remove ${wordOf({ ...part, field: item, name: String(n) })} of ${wordOf(part)}`} onClick={() => onChange(items.filter((_, i) => i !== n))}><IconX size={15} stroke={1.6} /></button>
        </div>
      ))}
      <Add label="Add" says={`Add to ${wordOf(part)}`} run={() => onChange([...items, blank()])} />
    </Group>
  );
}

/** The fields of an object, and names that only the value has. */
export function Fields({ field, pointer, depth, value, onChange }: { field: Field; pointer: string; depth: number; value: Members; onChange: (value: Members) => void }) {
  const change = (name: string, next: Json | undefined) => {
    const members = new Map(value);
    if (next === undefined) members.delete(name); else members.set(name, next);
    onChange(new Map(namesOf(field, members).filter((each) => members.has(each.name)).map((each) => [each.name, members.get(each.name)!])));
  };
  return namesOf(field, value).map(({ name, schema, isRequired }) => (
    <FieldView key={name} schema={schema} name={name} pointer={`${pointer}/${escape(name)}`} depth={depth} value={value.get(name)} isRequired={isRequired} onChange={(next) => change(name, next)} />
  ));
}

function FieldView({ schema, ...given }: Omit<Part, 'field'> & { schema: Json | undefined }) {
  const { root, faults, onLeave } = useContext(FormContext);
  const field = describe(root, schema);
  const part: Part = { ...given, field };
  const { value, pointer, depth, isRequired, onChange } = part;
  const kind = suits(field, value, depth);
  const error = faults.get(pointer);
  const common: Common = { label: <Label part={part} />, description: field.description, withAsterisk: isRequired, error, onBlur: () => onLeave(pointer) };

  if (kind === 'object' || kind === 'array') {
    if (kind === 'object' && isMembers(value)) return <Group part={part} kind={kind} error={error}><Fields field={field} pointer={pointer} depth={depth + 1} value={value} onChange={onChange} /></Group>;
    if (kind === 'array' && Array.isArray(value)) return <ArrayField part={part} items={value} error={error} />;
    return <Group part={part} kind={kind} error={error}><p className={classes.none}>{nothingSaid(part) || 'Nothing yet'}<Add label="Add" says={`Add ${wordOf(part)}`} run={() => onChange(begin(root, schema, depth) ?? (kind === 'array' ? [] : new Map()))} /></p></Group>;
  }
  const note = schema === undefined ? 'The schema does not name it.' : field.kind === 'raw' ? field.note : 'It does not suit its field, so it is shown as JSON.';
  return (
    <div className={classes.field}>
      {kind === 'text' && <TextField part={part} common={common} />}
      {kind === 'choice' && <ChoiceField part={part} common={common} />}
      {kind === 'number' && <TextInput {...common} className={classes.short} inputMode={field.isInteger ? 'numeric' : 'decimal'} placeholder={nothingSaid(part)} value={shownNumber(value)} onChange={(e) => onChange(typedNumber(e.currentTarget.value))} />}
      {kind === 'boolean' && <Checkbox label={<>{common.label}{typeof value === 'boolean' ? null : <span className={classes.state}>{nothingSaid(part) || 'not chosen'}</span>}</>} description={common.description} error={error} onBlur={common.onBlur} checked={value === true} indeterminate={typeof value !== 'boolean'} onChange={() => onChange(value !== true)} />}
      {kind === 'raw' && <RawJson {...common} description={[common.description, note].filter(Boolean).join(' ')} placeholder={nothingSaid(part)} value={value} onChange={onChange} />}
      <Choices part={part} kind={kind} />
    </div>
  );
}

/** A form made from a definition's JSON Schema. What it shows is the payload itself; what it cannot show is JSON text. */
export function SchemaForm({ schema, value, faults, onChange, onLeave }: { schema: Json; value: Members; faults: ReadonlyMap<string, string>; onChange: (value: Members) => void; onLeave: (pointer: string) => void }) {
  const field = describe(schema, schema);
  return (
    <FormContext value={{ root: schema, faults, onLeave }}>
      <div className={classes.form}><Fields field={field} pointer="" depth={1} value={value} onChange={onChange} /></div>
    </FormContext>
  );
}
