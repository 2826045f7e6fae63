import { Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Broken, isSame, type Json, parse, write } from '../lib/json';
import { lineOf } from '../lib/json-line';
import classes from './SchemaForm.module.css';

const read = (text: string): Json | undefined => {
  if (!text.trim()) return undefined;
  try { return parse(text); } catch { return new Broken(text); }
};
const print = (value: Json | undefined): string => (value === undefined ? '' : write(value, 2));
const whyBroken = (value: Json | undefined): string | undefined => {
  if (!(value instanceof Broken)) return undefined;
  try { parse(value.text); return undefined; } catch (error) { return (error as Error).message; }
};

/** A value as JSON text. What is not JSON yet is kept as it was typed, and said. */
export function RawJson({ value, onChange, error, faults = [], rows = 2, most = 18, ...rest }: { value: Json | undefined; onChange: (value: Json | undefined) => void; error?: ReactNode; faults?: { pointer: string; detail: string }[]; rows?: number; most?: number; label: ReactNode; description?: ReactNode; withAsterisk?: boolean; placeholder?: string; onBlur?: () => void; disabled?: boolean }) {
  const [typed, setTyped] = useState(() => print(value));
  const text = value instanceof Broken ? value.text : isSame(read(typed), value) ? typed : print(value);
  return (
    <Textarea {...rest} classNames={{ input: classes.raw }} spellCheck={false} rows={Math.min(most, Math.max(rows, text.split('\n').length))} value={text} error={whyBroken(value) ?? error ?? (faults.length ? faults.map((f) => `Line ${lineOf(text, f.pointer)}: ${f.detail}`).join(' ') : undefined)}
      onChange={(e) => { setTyped(e.currentTarget.value); onChange(read(e.currentTarget.value)); }} />
  );
}
