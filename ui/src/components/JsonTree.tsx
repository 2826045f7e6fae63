import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { copy } from '../lib/clipboard';
import { beginning, entriesOf, isOpenAtFirst, PORTION, shapeOf, sizeOf } from '../lib/tree';
import { count } from '../lib/time';
import classes from './JsonTree.module.css';

function Text({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const { shown, left } = beginning(text);
  if (isWhole || !left) return <>{text}</>;
  return <>{shown}… <button type="button" className={classes.more} onClick={() => setWhole(true)}>Show {count(left)} more characters</button></>;
}

function Leaf({ value }: { value: unknown }) {
  const shape = shapeOf(value);
  if (shape === 'masked') return <span className={classes.value}><em>hidden</em></span>;
  if (shape === 'text') return <span className={classes.value} data-type="text">{value === '' ? <em>empty text</em> : <Text text={value as string} />}</span>;
  return <span className={classes.value} data-type={shape}>{shape === 'object' ? '{ }' : shape === 'array' ? '[ ]' : String(value)}</span>;
}

/** The children are made when they are opened, a portion at a time: a payload may have ten thousand values. */
function Children({ value, depth }: { value: unknown; depth: number }) {
  const [most, setMost] = useState(PORTION);
  const entries = entriesOf(value);
  return (
    <>
      {entries.slice(0, most).map(([name, child]) => <Node key={name} name={name} value={child} depth={depth} />)}
      {entries.length > most && <button type="button" className={classes.more} onClick={() => setMost(most + 10 * PORTION)}>Show {count(Math.min(10 * PORTION, entries.length - most))} more</button>}
    </>
  );
}

function Node({ name, value, depth }: { name: string; value: unknown; depth: number }) {
  const [isOpen, setOpen] = useState(() => isOpenAtFirst(value, depth));
  const label = <span className={classes.key}>{name}</span>;
  if (!entriesOf(value).length) return <div className={classes.leaf}>{label}<Leaf value={value} /></div>;
  return (
    <details open={isOpen} className={classes.node} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{label}<span className={classes.size}>{sizeOf(value)}</span></summary>
      {isOpen && <div className={classes.children}><Children value={value} depth={depth + 1} /></div>}
    </details>
  );
}

/** Tree for reading, raw for copying. Text only. */
export function JsonTree({ value, label }: { value: unknown; label: string }) {
  const [isRaw, setRaw] = useState(false);
  const [isCopied, setCopied] = useState(false);
  const text = JSON.stringify(value, null, 2) ?? 'null';
  const put = async () => {
    if (!(await copy(text))) return setRaw(true);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div className={classes.tree}>
      <div className={classes.tools}>
        <button type="button" aria-pressed={!isRaw} aria-label={`${label} as a tree`} onClick={() => setRaw(false)}>Tree</button>
        <button type="button" aria-pressed={isRaw} aria-label={`${label} as raw JSON`} onClick={() => setRaw(true)}>Raw</button>
        <button type="button" aria-label={`Copy ${label}`} onClick={() => void put()}>{isCopied ? <IconCheck size={15} stroke={1.8} /> : <IconCopy size={15} stroke={1.6} />}</button>
        <span className="sr" role="status">{isCopied ? `${label} copied` : ''}</span>
      </div>
      {isRaw ? <pre className={classes.raw} tabIndex={0} aria-label={`${label}, raw JSON`}>{text}</pre> : entriesOf(value).length ? <Children value={value} depth={1} /> : <Leaf value={value} />}
    </div>
  );
}
