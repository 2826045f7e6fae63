import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, memo, type Ref, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { fieldsOf, type Line } from '../api/log';
import { ansi } from '../lib/ansi';
import { unturned } from '../lib/process';
import { silenceBefore, split } from '../lib/search';
import { clockMillis, duration } from '../lib/time';
import classes from './LogViewer.module.css';

function Marked({ text, query, isOn }: { text: string; query: string; isOn: boolean }) {
  if (!query) return <>{text}</>;
  return <>{split(text, query).map((p, i) => (p.isHit ? <mark key={i} data-on={isOn || undefined}>{p.text}</mark> : p.text))}</>;
}

interface RowProps { line: Line; gap: number | undefined; begins: boolean; query: string; isOn: boolean; isChosen: boolean }

const Row = memo(function Row({ line, gap, begins, query, isOn, isChosen }: RowProps) {
  const fields = fieldsOf(line);
  const isQuiet = line.level === 'info' || line.level === 'debug';
  return (
    <>
      {begins && <div className={classes.begins}><span>Attempt {line.attempt_no}</span></div>}
      {gap !== undefined && <div className={classes.gap}><span>{duration(gap)} of silence</span></div>}
      <div className={classes.line} data-level={line.level} data-on={isOn || undefined} data-chosen={isChosen || undefined}>
        <span className={classes.no} data-key={line.key}>{line.line}</span>
        <time className={classes.at}>{line.ms === undefined ? '–' : clockMillis(line.ms)}</time>
        <span className={classes.level}>{isQuiet ? <span className="sr">{line.level}</span> : line.level}</span>
        <span className={classes.text}>
          {line.message === null ? <em>This line cannot be read.</em> : ansi(unturned(line.message)).map((p, i) => <span key={i} className={p.className}><Marked text={p.text} query={query} isOn={isOn} /></span>)}
          {fields && <span className={classes.fields}><Marked text={fields} query={query} isOn={isOn} /></span>}
        </span>
      </div>
    </>
  );
});

const estimateSize = () => 20;

export interface LinesHandle { show: (index: number, align?: 'center' | 'auto') => void; visible: () => { first: number; last: number } }
interface Props {
  ref: Ref<LinesHandle>; lines: Line[]; label: string; query: string; on: string | undefined; chosen: string | undefined; isWrapped: boolean; isFollowing: boolean;
  onScrolledUp: () => void; onChoose: (key: string) => void; onArrow: (by: 1 | -1) => void;
}

/** The lines, of which only those in sight are in the page. */
export function LogLines({ ref, lines, label, query, on, chosen, isWrapped, isFollowing, onScrolledUp, onChoose, onArrow }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const getItemKey = useCallback((i: number) => lines[i]!.key, [lines]); // another function would make it measure ten thousand lines anew, on every scroll
  const virtual = useVirtualizer({ count: lines.length, getScrollElement: () => box.current, estimateSize, overscan: 16, getItemKey, paddingStart: 6, paddingEnd: 10 });
  const digits = Math.max(3, String(lines.at(-1)?.line ?? 0).length);
  const total = virtual.getTotalSize();
  const items = virtual.getVirtualItems();

  useImperativeHandle(ref, () => ({
    show: (index, align = 'center') => virtual.scrollToIndex(index, { align }),
    visible: () => {
      const host = box.current!;
      const seen = virtual.getVirtualItems().filter((item) => item.end > host.scrollTop && item.start < host.scrollTop + host.clientHeight);
      return { first: seen[0]?.index ?? 0, last: seen.at(-1)?.index ?? 0 };
    },
  }), [virtual]);

  useEffect(() => virtual.measure(), [isWrapped, virtual]);
  useLayoutEffect(() => { if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight; }, [isFollowing, lines, total]);

  const top = useRef(0);
  const hand = useRef(-Infinity); // a scroll ends following only if a person made it; a reflow scrolls too
  const byHand = () => { hand.current = performance.now(); };
  return (
    <div ref={box} className={classes.lines} data-wrap={isWrapped || undefined} style={{ '--digits': digits } as CSSProperties} tabIndex={0} role="log" aria-label={`${label}. Arrow keys choose a line`} aria-live="off"
      onClick={(e) => { const { key } = (e.target as HTMLElement).dataset; if (key) onChoose(key); }}
      onKeyDown={(e) => {
        byHand();
        if ((e.key !== 'ArrowDown' && e.key !== 'ArrowUp') || e.metaKey || e.ctrlKey || e.altKey) return;
        e.preventDefault();
        onArrow(e.key === 'ArrowDown' ? 1 : -1);
      }}
      onWheel={byHand} onTouchMove={byHand} onPointerDown={byHand}
      onScroll={(e) => {
        const now = e.currentTarget.scrollTop;
        if (isFollowing && now < top.current - 2 && performance.now() - hand.current < 700) onScrolledUp();
        top.current = now;
      }}>
      <div className={classes.all} style={{ height: total }}>
        <div className={classes.some} style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map(({ index, key }) => {
            const line = lines[index]!;
            const before = lines[index - 1];
            return (
              <div key={key} data-index={index} ref={virtual.measureElement}>
                <Row line={line} gap={silenceBefore(line, before)} begins={before !== undefined && before.attempt_no !== line.attempt_no} query={query} isOn={on === line.key} isChosen={chosen === line.key} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
