import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Schemas } from '../api/client';
import { keyName } from '../lib/api-keys';
import classes from './NewKey.module.css';

/** A key that was just made. In the page and not in a dialog: no stray key press may close it. */
export function NewKey({ made, onDone }: { made: Schemas['NewKey']; onDone: () => void }) {
  const box = useRef<HTMLElement>(null);
  const text = useRef<HTMLElement>(null);
  const [says, setSays] = useState('');
  useEffect(() => box.current?.focus(), [made]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(made.key);
      setSays('Copied.');
    } catch { // without TLS a page has no clipboard
      getSelection()?.selectAllChildren(text.current!);
      setSays('Selected: press Ctrl+C to copy it.');
    }
  };
  return (
    <section ref={box} tabIndex={-1} className={classes.made} aria-label="The new key">
      <h2>Copy the key {keyName(made)} now</h2>
      <p>It is shown this once. Only its digest is stored: nobody can show it again. Keep it in a secret store, never in a repository.</p>
      <div className={classes.line}>
        <code ref={text} className={classes.key}>{made.key}</code>
        <Button variant="filled" onClick={() => void copy()}>Copy</Button>
        <Button onClick={onDone}>I have stored it</Button>
        <span role="status" className="soft">{says}</span>
      </div>
    </section>
  );
}
