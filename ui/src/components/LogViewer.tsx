import { Button, Tooltip } from '@mantine/core';
import { IconArrowBarToDown, IconBraces, IconChevronDown, IconChevronUp, IconDownload, IconLink, IconSearch, IconTextWrap } from '@tabler/icons-react';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { downloadLog, type Line, useLog, type Wanted } from '../api/log';
import { copy } from '../lib/clipboard';
import { useKeys } from '../lib/keys';
import { notify } from '../lib/notices';
import { hitsOf, isAtLeast, type Level, LEVELS, step } from '../lib/search';
import { count } from '../lib/time';
import { Loading } from './Loading';
import { LogLines, type LinesHandle } from './LogLines';
import classes from './LogViewer.module.css';

const WORDS: Record<Level, string> = { debug: 'All', info: 'Info', warning: 'Warnings', error: 'Errors' };

interface Props {
  wanted: Wanted; isLive: boolean; name: string;
  /** What the URL says: the line that is linked to, as attempt.line, the least level and the text to find. */
  line: string | undefined; level: Level; find: string;
  onLine: (attempt: number, line: number) => void; onLevel: (level: Level) => void; onFind: (text: string) => void;
  /** The address of a line. */
  linkTo: (attempt: number, line: number) => string;
  onFollowing?: (isFollowing: boolean) => void;
}

const none = (isLive: boolean, all: number, level: Level): string =>
  all ? `No line is ${level === 'error' ? 'an error' : level === 'warning' ? 'a warning or an error' : 'more than debug'}.` : isLive ? 'Nothing yet. Lines appear here as soon as the handler writes them.' : 'The handler wrote nothing.';

/** Follows the tail until you scroll away; searches, jumps to errors, shows silences, links to a line. */
export function LogViewer({ wanted, isLive, name, line, level, find, onLine, onLevel, onFind, linkTo, onFollowing }: Props) {
  const log = useLog(wanted, isLive, Number(line?.split('.')[1] ?? 0));
  const [isWrapped, setWrapped] = useState(true);
  const [isFollowing, setFollowing] = useState(isLive && line === undefined);
  const [chosen, setChosen] = useState(line);
  const [typed, setTyped] = useState(find);
  const [on, setOn] = useState<string>();
  const query = useDeferredValue(typed);
  const box = useRef<LinesHandle>(null);
  const input = useRef<HTMLInputElement>(null);

  const shown = useMemo(() => (level === 'debug' ? log.lines : log.lines.filter((l) => isAtLeast(l, level))), [log.lines, level]);
  const hits = useMemo(() => hitsOf(shown, query), [shown, query]);
  const errors = useMemo(() => shown.flatMap((l, i) => (l.level === 'error' ? [i] : [])), [shown]);
  const errorCount = useMemo(() => log.lines.reduce((n, l) => n + Number(l.level === 'error'), 0), [log.lines]);
  const indexOf = (key: string | undefined) => (key === undefined ? -1 : shown.findIndex((l) => l.key === key));

  const follow = (is: boolean) => { setFollowing(is); onFollowing?.(is); };
  const wasLive = useRef(isLive);
  useEffect(() => {
    if (isLive && !wasLive.current && line === undefined) setFollowing(true);
    wasLive.current = isLive;
  }, [isLive, line]);
  useEffect(() => onFollowing?.(isFollowing), [isFollowing, onFollowing]);

  // The line of the address: shown as soon as it is loaded, once.
  const opened = useRef<string>(undefined);
  useEffect(() => {
    if (line === undefined || opened.current === line) return;
    const index = shown.findIndex((l) => l.key === line);
    if (index < 0) return;
    opened.current = line;
    setChosen(line);
    setFollowing(false);
    box.current?.show(index);
  }, [line, shown]);

  useEffect(() => {
    if (typed === find) return undefined;
    const timer = setTimeout(() => onFind(typed), 300);
    return () => clearTimeout(timer);
  }, [typed, find, onFind]);

  const choose = (l: Line) => { opened.current = l.key; setChosen(l.key); onLine(l.attempt_no, l.line); };
  const go = (index: number | undefined) => { if (index !== undefined) { follow(false); box.current?.show(index); } };
  const toHit = (by: 1 | -1) => {
    const from = on !== undefined && indexOf(on) >= 0 ? indexOf(on) : (box.current?.visible().first ?? 0) - by;
    const next = step(hits, from, by);
    if (next !== undefined) { setOn(shown[next]!.key); go(next); }
  };
  const toError = () => {
    const next = step(errors, Math.max(indexOf(chosen), -1), 1);
    if (next !== undefined) { choose(shown[next]!); go(next); }
  };
  const arrow = (by: 1 | -1) => {
    const at = indexOf(chosen);
    const seen = box.current?.visible();
    const next = Math.max(0, Math.min(shown.length - 1, at >= 0 ? at + by : isFollowing ? (seen?.last ?? 0) : (seen?.first ?? 0)));
    if (!shown[next]) return;
    choose(shown[next]);
    follow(false);
    box.current?.show(next, 'auto');
  };
  useKeys({ n: () => toHit(1), N: () => toHit(-1), e: toError, w: () => setWrapped(!isWrapped), f: () => { if (isLive) follow(true); } });

  const save = (type: 'text/plain' | 'application/x-ndjson') => downloadLog(wanted, name, type).catch((error: Error) => notify(error.message, { tone: 'bad' }));
  const link = async (l: Line) => notify((await copy(linkTo(l.attempt_no, l.line))) ? `The link to line ${l.line} is copied.` : 'The address bar has the link.');
  const chosenLine = shown[indexOf(chosen)];
  const place = hits.indexOf(indexOf(on));

  return (
    <div className={classes.viewer}>
      <div className={classes.bar}>
        <div className={classes.search}>
          <IconSearch size={14} stroke={1.6} aria-hidden="true" />
          <input ref={input} data-page-search aria-label="Search this log" value={typed} placeholder="Search this log" onChange={(e) => { setTyped(e.currentTarget.value); setOn(undefined); }}
            onKeyDown={(e) => { if (e.key === 'Enter') toHit(e.shiftKey ? -1 : 1); if (e.key === 'Escape') { if (typed) setTyped(''); else input.current?.blur(); } }} />
          {query.trim() && <span className={classes.hits} role="status">{hits.length ? (place >= 0 ? `${count(place + 1)} of ${count(hits.length)}` : count(hits.length)) : 'none'}</span>}
          {query.trim() && <><button type="button" aria-label="Previous match" onClick={() => toHit(-1)}><IconChevronUp size={14} /></button><button type="button" aria-label="Next match" onClick={() => toHit(1)}><IconChevronDown size={14} /></button></>}
        </div>
        <div className={classes.levels} role="group" aria-label="Least level">
          {LEVELS.map((l) => <button key={l} type="button" aria-pressed={level === l} onClick={() => onLevel(l)}>{WORDS[l]}{l === 'error' && errorCount ? ` ${count(errorCount)}` : ''}</button>)}
        </div>
        <span className={classes.grow} />
        {chosenLine && <button type="button" className={classes.follow} onClick={() => void link(chosenLine)}><IconLink size={15} stroke={1.6} />Copy link to line {chosenLine.line}</button>}
        <Tooltip label="Wrap lines (w)"><button type="button" className={classes.tool} aria-pressed={isWrapped} aria-label="Wrap lines" onClick={() => setWrapped(!isWrapped)}><IconTextWrap size={16} stroke={1.6} /></button></Tooltip>
        <Tooltip label="Download as text"><button type="button" className={classes.tool} aria-label="Download as text" onClick={() => void save('text/plain')}><IconDownload size={16} stroke={1.6} /></button></Tooltip>
        <Tooltip label="Download as NDJSON"><button type="button" className={classes.tool} aria-label="Download as NDJSON" onClick={() => void save('application/x-ndjson')}><IconBraces size={16} stroke={1.6} /></button></Tooltip>
        {isLive && <button type="button" className={classes.follow} aria-pressed={isFollowing} onClick={() => follow(!isFollowing)}><IconArrowBarToDown size={15} stroke={1.6} />{isFollowing ? 'Following' : 'Follow'}</button>}
      </div>
      {shown.length > 0
        ? <LogLines ref={box} lines={shown} label={`Log, ${count(shown.length)} lines`} query={query} on={on} chosen={chosen} isWrapped={isWrapped} isFollowing={isFollowing} onScrolledUp={() => follow(false)} onChoose={(key) => { const l = shown[indexOf(key)]; if (l) choose(l); }} onArrow={arrow} />
        : !log.error && <div className={classes.none}>{log.isLoading ? <Loading what="Reading the log" /> : <p>{none(isLive, log.lines.length, level)}</p>}</div>}
      {isLive && !isFollowing && shown.length > 0 && <button type="button" className={classes.resume} onClick={() => follow(true)}><IconArrowBarToDown size={14} />New lines below</button>}
      {log.isCut && <div className={classes.note}><span>The first {count(log.lines.length)} lines. A download has them all.</span><Button onClick={log.more}>Load more lines</Button></div>}
      {log.error && <div className={classes.note} role="alert"><span>The log could not be read: {log.error.message}</span><Button onClick={log.again}>Try again</Button></div>}
      <span className="sr" role="status">{chosenLine ? `Line ${chosenLine.line}, ${chosenLine.level}: ${chosenLine.text.slice(0, 300)}` : ''}</span>
    </div>
  );
}
