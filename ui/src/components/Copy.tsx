import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import classes from './Copy.module.css';

/** Without TLS a browser has no clipboard for pages: then the old way. */
async function put(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'sr';
    document.body.append(area);
    const focused = document.activeElement;
    area.select();
    const isDone = document.execCommand('copy');
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return isDone;
  }
}

/** Puts a text on the clipboard, and says so. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [says, setSays] = useState('');
  useEffect(() => {
    if (!says) return undefined;
    const timer = setTimeout(() => setSays(''), 2000);
    return () => clearTimeout(timer);
  }, [says]);
  const copy = async () => setSays((await put(text)) ? 'Copied' : 'Select it and press Ctrl+C');
  return (
    <span className={classes.copy}>
      <span role="status" className={classes.says}>{says}</span>
      <button type="button" aria-label={`Copy ${what}`} onClick={() => void copy()}>{says === 'Copied' ? <IconCheck size={15} stroke={1.8} /> : <IconCopy size={15} stroke={1.6} />}</button>
    </span>
  );
}

/** Code to take along. `wraps`: a long line is shown whole, on several lines. */
export function CopyBlock({ text, what, sunken = false, wraps = false }: { text: string; what: string; sunken?: boolean; wraps?: boolean }) {
  return (
    <div className={classes.block} data-sunken={sunken || undefined} data-wraps={wraps || undefined}>
      <pre tabIndex={0} aria-label={what}>{text}</pre>
      <Copy text={text} what={what} />
    </div>
  );
}
