import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type CommandPreview as Preview, commandPreviewQuery } from '../api/command';
import { useCaller } from '../lib/caller';
import { type Command, isReference } from '../lib/command-template';
import { plural } from '../lib/time';
import { Synopsis } from './CommandTemplate';
import { CopyBlock } from './Copy';
import { Panel } from './Panel';
import run from '../pages/Run.module.css';
import classes from './CommandPreview.module.css';

/** Each argument on a line of its own: what is in a value cannot make two of it. */
function Arguments({ argv }: { argv: string[] }) {
  return <ol className={classes.argv} aria-label="Arguments">{argv.map((each, i) => <li key={i}><code>{each || <span className="quiet">empty</span>}</code></li>)}</ol>;
}

function Values({ title, values }: { title: string; values: Record<string, string> }) {
  const entries = Object.entries(values);
  if (!entries.length) return null;
  return (
    <section className={classes.values}>
      <h3>{title}</h3>
      <dl>{entries.map(([name, value]) => <div key={name}><dt><code>{name}</code></dt><dd><code>{value}</code>{isReference(value) && <span className="quiet">a secret: the worker reads it</span>}</dd></div>)}</dl>
    </section>
  );
}

const workersSaid = ({ ready, mismatched }: Preview['workers']): string =>
  ready ? `${plural(ready, 'live worker')} may run it.` : mismatched ? `No live worker may run it: ${mismatched === 1 ? 'the policy of one names' : `the policies of ${mismatched} name`} another command under this key. The job would wait.` : 'No live worker may run it now. The job would wait.';

/** What a worker would start with the payload, from the server. `text` is the payload, undefined while it is no JSON; `isFit` what the server says of it. */
export function CommandPreview({ name, command, schema, text, isFit, isOld }: { name: string; command: Command; schema: unknown; text: string | undefined; isFit: boolean | undefined; isOld: boolean }) {
  const { tenant } = useCaller();
  const [isList, setList] = useState(false);
  const [judged, setJudged] = useState<string>(); // the line of before stays until the server has judged what was typed since
  if (isFit && !isOld && text !== judged) setJudged(text);
  const { data, error } = useQuery({ ...commandPreviewQuery(tenant, name, judged ?? '{}'), enabled: judged !== undefined });
  const shown = text === undefined || isFit === false ? undefined : data;
  return (
    <Panel title="What a worker would start" aside={shown && (
      <div className={run.views} role="group" aria-label="How to show it">
        <button type="button" aria-pressed={!isList} onClick={() => setList(false)}>Line</button>
        <button type="button" aria-pressed={isList} onClick={() => setList(true)}>Arguments</button>
      </div>
    )}>
      {shown ? (
        <>
          {isList ? <Arguments argv={shown.argv} /> : <CopyBlock text={shown.command_line} what="the command line" sunken wraps />}
          <Values title="Environment" values={shown.environment} />
          <Values title="Files" values={shown.files} />
          <p className={classes.note}>{shown.stdin === 'payload' && 'The payload goes to standard input. '}<span className={shown.workers.ready ? undefined : 'tone-warn'}>{workersSaid(shown.workers)}</span></p>
        </>
      ) : (
        <>
          <div className={classes.template}><Synopsis command={command} schema={schema} label="Template of the command line" /></div>
          <p className={classes.note} role="status">{error ? `The server could not show it: ${error.message}` : 'The whole line stands here as soon as the arguments fit.'}</p>
        </>
      )}
    </Panel>
  );
}
