import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { argumentOf, fromLine, type Kind, newRow, type Row } from '../lib/command-draft';
import { argumentSaid, JOB_NAMES, pieces } from '../lib/command-template';
import classes from './ArgvEditor.module.css';

const KINDS: { value: Kind; label: string }[] = [{ value: 'text', label: 'Text' }, { value: 'flag', label: 'Flag, if' }, { value: 'each', label: 'Each of' }];
const PLACEHOLDERS: Record<Kind, string> = { text: '--path={path}', flag: '--dry-run', each: '--tag={item}' };
const PROPERTIES: Record<Kind, string> = { text: '', flag: 'If this is true', each: 'For each of' };

const Icon = ({ label, isDisabled, run, children }: { label: string; isDisabled?: boolean; run: () => void; children: ReactNode }) => <button type="button" className={classes.icon} aria-label={label} title={label} disabled={isDisabled} onClick={run}>{children}</button>;

/** Whether a value of the payload stands where an option would begin. */
const mayBecomeOption = (text: string): boolean => {
  const [first, second] = pieces(text);
  const name = first?.name ?? (/^-+$/.test(first?.text ?? '') ? second?.name : undefined);
  return name !== undefined && !(name in JOB_NAMES);
};

interface RowProps { row: Row; no: number; isLast: boolean; schema: unknown; fault?: string; onChange: (row: Row) => void; onMove: (by: 1 | -1) => void; onRemove: () => void; onLeave: () => void }

function ArgumentRow({ row, no, isLast, schema, fault, onChange, onMove, onRemove, onLeave }: RowProps) {
  const set = (change: Partial<Row>) => onChange({ ...row, ...change });
  const says = row.text && (row.kind === 'text' || row.name) ? argumentSaid(argumentOf({ ...row, dash: false }), schema) : '';
  return (
    <li className={classes.row} data-kind={row.kind}>
      <span className={classes.no} aria-hidden="true">{no}</span>
      <NativeSelect className={classes.kind} aria-label={`Kind of argument ${no}`} data={KINDS} value={row.kind} onChange={(e) => set({ kind: e.currentTarget.value as Kind })} />
      <TextInput className={classes.text} aria-label={`Argument ${no}`} name={`argv.${row.id}`} placeholder={PLACEHOLDERS[row.kind]} value={row.text} error={fault} onChange={(e) => set({ text: e.currentTarget.value, mayBeEmpty: false })} onBlur={onLeave} spellCheck={false} autoComplete="off" classNames={{ input: classes.mono }} />
      {row.kind !== 'text' && <TextInput className={classes.property} aria-label={`${PROPERTIES[row.kind]}: the property of argument ${no}`} placeholder={row.kind === 'flag' ? 'if: dry_run' : 'of: tags'} value={row.name} onChange={(e) => set({ name: e.currentTarget.value })} onBlur={onLeave} spellCheck={false} autoComplete="off" classNames={{ input: classes.mono }} />}
      <span className={classes.tools}>
        <Icon label={`Move argument ${no} up`} isDisabled={no === 1} run={() => onMove(-1)}><IconArrowUp size={15} stroke={1.6} /></Icon>
        <Icon label={`Move argument ${no} down`} isDisabled={isLast} run={() => onMove(1)}><IconArrowDown size={15} stroke={1.6} /></Icon>
        <Icon label={`Remove argument ${no}`} run={onRemove}><IconX size={15} stroke={1.6} /></Icon>
      </span>
      <span className={classes.more}>
        {says && <span>{says}</span>}
        {row.kind !== 'flag' && (row.dash || mayBecomeOption(row.text)) && <Checkbox label="Its value may begin with a dash" checked={row.dash} onChange={(e) => set({ dash: e.currentTarget.checked })} />}
      </span>
    </li>
  );
}

/** A command line that somebody has at hand, as arguments. */
function Paste({ onPaste }: { onPaste: (found: ReturnType<typeof fromLine>) => void }) {
  const [line, setLine] = useState('');
  const paste = () => { onPaste(fromLine(line)); setLine(''); };
  return (
    <details className={classes.paste}>
      <summary>Paste a command line</summary>
      <div>
        <TextInput label="Command line" description="It is split as a shell would split it, and replaces the arguments above. Nothing is run." placeholder="/opt/app/bin/sync --path=/photos --dry-run" value={line} onChange={(e) => setLine(e.currentTarget.value)} onKeyDown={(e) => { if (e.key === 'Enter') { e.preventDefault(); if (line.trim()) paste(); } }} spellCheck={false} autoComplete="off" classNames={{ input: classes.mono }} />
        <button type="button" className={classes.add} disabled={!line.trim()} onClick={paste}>Split</button>
      </div>
    </details>
  );
}

/** The arguments of a command, each exactly one argument of the process. */
export function ArgvEditor({ rows, schema, faultOf, onChange, onPaste, onLeave }: { rows: Row[]; schema: unknown; faultOf: (row: Row, i: number) => string | undefined; onChange: (rows: Row[]) => void; onPaste: (found: ReturnType<typeof fromLine>) => void; onLeave: (row: Row) => void }) {
  const list = useRef<HTMLOListElement>(null);
  const focusOn = (i: number) => setTimeout(() => list.current?.querySelectorAll<HTMLInputElement>('input[name^="argv."]')[i]?.focus());
  const add = () => { onChange([...rows, newRow()]); focusOn(rows.length); };
  const move = (i: number, by: 1 | -1) => {
    const moved = [...rows];
    [moved[i], moved[i + by]] = [moved[i + by]!, moved[i]!];
    onChange(moved);
  };
  const remove = (i: number) => { onChange(rows.filter((_, n) => n !== i)); focusOn(Math.max(0, i - 1)); };
  return (
    <div className={classes.argv}>
      {rows.length > 0 && (
        <ol ref={list} aria-label="Arguments">
          {rows.map((row, i) => <ArgumentRow key={row.id} row={row} no={i + 1} isLast={i === rows.length - 1} schema={schema} fault={faultOf(row, i)} onChange={(next) => onChange(rows.with(i, next))} onMove={(by) => move(i, by)} onRemove={() => remove(i)} onLeave={() => onLeave(row)} />)}
        </ol>
      )}
      <div className={classes.under}><button type="button" className={classes.add} onClick={add}><IconPlus size={14} stroke={1.8} />Add an argument</button><Paste onPaste={onPaste} /></div>
    </div>
  );
}
