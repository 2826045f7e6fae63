import { NativeSelect, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type Code, newCode, newPair, type Pair } from '../lib/command-draft';
import { isReference, type Meaning, sourceSaid } from '../lib/command-template';
import { escape } from '../lib/schema';
import add from './ArgvEditor.module.css';
import classes from './PairsEditor.module.css';

interface Props { what: string; field: 'environment' | 'files'; pairs: Pair[]; schema: unknown; faultOf: (pointer: string, id: number) => string | undefined; onChange: (pairs: Pair[]) => void; onLeave: (id: number) => void; hints: [name: string, value: string] }

/** Names with values: the environment, or the files. A value is a text, a reference to a secret, or a placeholder. */
export function PairsEditor({ what, field, pairs, schema, faultOf, onChange, onLeave, hints }: Props) {
  const set = (i: number, change: Partial<Pair>) => onChange(pairs.with(i, { ...pairs[i]!, ...change }));
  return (
    <div className={classes.pairs}>
      {pairs.map((p, i) => (
        <div key={p.id} className={classes.pair} role="group" aria-label={`${what} ${i + 1}`}>
          <TextInput aria-label={`Name of ${what} ${i + 1}`} placeholder={hints[0]} value={p.name} onChange={(e) => set(i, { name: e.currentTarget.value })} onBlur={() => onLeave(p.id)} spellCheck={false} autoComplete="off" classNames={{ input: add.mono }} />
          <TextInput aria-label={`Value of ${what} ${i + 1}`} placeholder={hints[1]} value={p.value} error={faultOf(`/${field}/${escape(p.name.trim())}`, p.id)} onChange={(e) => set(i, { value: e.currentTarget.value })} onBlur={() => onLeave(p.id)} spellCheck={false} autoComplete="off" classNames={{ input: add.mono }} />
          <button type="button" className={add.icon} aria-label={`Remove ${what} ${i + 1}`} onClick={() => onChange(pairs.filter((_, n) => n !== i))}><IconX size={15} stroke={1.6} /></button>
          {p.value && (isReference(p.value) || p.value.includes('{')) && <span className={classes.says}>{sourceSaid(p.value, schema)}</span>}
        </div>
      ))}
      <button type="button" className={add.add} onClick={() => onChange([...pairs, newPair()])}><IconPlus size={14} stroke={1.8} />Add a {what}</button>
    </div>
  );
}

const MEANINGS: { value: Meaning; label: string }[] = [{ value: 'retry', label: 'try again' }, { value: 'fail', label: 'fail for good' }, { value: 'succeed', label: 'succeeded' }];

/** What exit codes mean; those that are not there are tried again. */
export function CodesEditor({ codes, faultOf, onChange, onLeave }: { codes: Code[]; faultOf: (pointer: string, id: number) => string | undefined; onChange: (codes: Code[]) => void; onLeave: (id: number) => void }) {
  const set = (i: number, change: Partial<Code>) => onChange(codes.with(i, { ...codes[i]!, ...change }));
  return (
    <div className={classes.pairs}>
      {codes.map((c, i) => (
        <div key={c.id} className={classes.code} role="group" aria-label={`Exit code ${i + 1}`}>
          <TextInput aria-label={`Exit code ${i + 1}`} placeholder="75" inputMode="numeric" value={c.code} error={faultOf(`/exit_codes/${c.code.trim()}`, c.id)} onChange={(e) => set(i, { code: e.currentTarget.value })} onBlur={() => onLeave(c.id)} autoComplete="off" />
          <NativeSelect aria-label={`What exit code ${i + 1} means`} data={MEANINGS} value={c.meaning} onChange={(e) => set(i, { meaning: e.currentTarget.value as Meaning })} />
          <button type="button" className={add.icon} aria-label={`Remove exit code ${i + 1}`} onClick={() => onChange(codes.filter((_, n) => n !== i))}><IconX size={15} stroke={1.6} /></button>
        </div>
      ))}
      <button type="button" className={add.add} onClick={() => onChange([...codes, newCode()])}><IconPlus size={14} stroke={1.8} />Add an exit code</button>
    </div>
  );
}
