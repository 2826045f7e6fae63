import { Button, Checkbox, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { documentOf, type Draft, formOf, jsonOf, missingNames, type Place, secretNames, withNames } from '../lib/command-draft';
import type { Command } from '../lib/command-template';
import { isBroken, plainJson } from '../lib/json';
import { ArgvEditor } from './ArgvEditor';
import { Synopsis } from './CommandTemplate';
import { CodesEditor, PairsEditor } from './PairsEditor';
import { Panel } from './Panel';
import { RawJson } from './RawJson';
import run from '../pages/Run.module.css';
import classes from './CommandEditor.module.css';

export type Change = (change: Partial<Draft>) => void;
/** `own` is what needs no server, and is told when a field was left; `told` is what the server says. Both by the pointer into the command. */
interface Props { draft: Draft; change: Change; own: ReadonlyMap<string, string>; told: ReadonlyMap<string, string>; places: Place[]; isShown: (key: string) => boolean; onLeave: (key: string) => void }

const Part = ({ title, says, children }: { title: string; says?: ReactNode; children: ReactNode }) => <section className={classes.part}><h3>{title}</h3>{says && <p className={classes.says}>{says}</p>}{children}</section>;

function Parts({ draft: d, change, own, told, isShown, onLeave }: Props) {
  const schema = isBroken(d.schema) ? true : plainJson(d.schema);
  const shown = (pointer: string, key: string) => (isShown(key) ? own.get(pointer) : undefined) ?? told.get(pointer);
  const command: Command = documentOf(d);
  return (
    <>
      <Synopsis command={command} schema={schema} label="The command line so far" />
      <div className={classes.parts}>
        <TextInput label="Executable" description="Its absolute path on the machine of the worker." withAsterisk placeholder="/opt/app/bin/sync" value={d.executable} error={shown('/executable', 'executable')} onChange={(e) => change({ executable: e.currentTarget.value })} onBlur={() => onLeave('executable')} spellCheck={false} autoComplete="off" classNames={{ input: classes.mono }} />
        <Part title="Arguments" says={<>Each is one argument, whatever is in its value: no shell looks at it. <code>{'{name}'}</code> is a value of the payload; <code>{'{tenant_id}'}</code>, <code>{'{job_id}'}</code> and <code>{'{attempt_no}'}</code> come from the job.</>}>
          <ArgvEditor rows={d.rows} schema={schema} faultOf={(row, i) => shown(`/argv/${i}`, `row${row.id}`)} onChange={(rows) => change({ rows })} onLeave={(row) => onLeave(`row${row.id}`)} onPaste={(found) => change({ ...(found.executable ? { executable: found.executable } : {}), rows: found.rows })} />
        </Part>
        <Part title="Environment" says={<>A text, a placeholder, or a reference that the worker resolves: <code>env:NAME</code> or <code>file:/path</code>. Nothing else is passed on but what its policy lets through.</>}>
          <PairsEditor what="variable" field="environment" pairs={d.environment} schema={schema} faultOf={(pointer, id) => shown(pointer, `pair${id}`)} onChange={(environment) => change({ environment })} onLeave={(id) => onLeave(`pair${id}`)} hints={['API_TOKEN', 'env:APP_TOKEN']} />
        </Part>
        <Part title="Files" says="Secrets that the worker writes into the working directory of an attempt. References only.">
          <PairsEditor what="file" field="files" pairs={d.files} schema={schema} faultOf={(pointer, id) => shown(pointer, `pair${id}`)} onChange={(files) => change({ files })} onLeave={(id) => onLeave(`pair${id}`)} hints={['token.json', 'file:/run/secrets/token']} />
        </Part>
        <Part title="Standard input"><Checkbox label="Pass the payload as JSON; otherwise it is closed" checked={d.isStdin} onChange={(e) => change({ isStdin: e.currentTarget.checked })} error={told.get('/stdin')} /></Part>
        <Part title="Exit codes" says="0 succeeds. Any other fails and is tried again, but for these.">
          <CodesEditor codes={d.codes} faultOf={(pointer, id) => shown(pointer, `code${id}`)} onChange={(codes) => change({ codes })} onLeave={(id) => onLeave(`code${id}`)} />
        </Part>
      </div>
    </>
  );
}

/** The command: in parts, or as JSON. */
export function CommandEditor(props: Props) {
  const { draft: d, change, places, own } = props;
  const isJson = d.document !== undefined;
  const [no, setNo] = useState(0);
  const form = isJson ? formOf(d.document!, d.schema) : undefined;
  return (
    <Panel title="Command" flush aside={
      <div className={run.views} role="group" aria-label="How to write the command">
        <button type="button" aria-pressed={!isJson} disabled={isJson && !form} title={isJson && !form ? 'The form cannot show this' : undefined} onClick={() => { if (form) change({ ...form, schema: d.schema, document: undefined }); }}>Parts</button>
        <button type="button" aria-pressed={isJson} onClick={() => { if (!isJson) { setNo(no + 1); change({ document: jsonOf(d) }); } }}>JSON</button>
      </div>
    }>
      {isJson ? <div className={classes.parts}><RawJson key={no} label="Command" description="executable, argv, environment, files, stdin and exit_codes." value={d.document} rows={16} most={40} onChange={(document) => change({ document: document ?? new Map() })} error={own.get('')} faults={places} /></div> : <Parts {...props} />}
    </Panel>
  );
}

/** The schema of the payload, and the names that the command uses and the schema lacks. */
export function SchemaEditor({ draft: d, change, places, error }: { draft: Draft; change: Change; places: Place[]; error?: string }) {
  const missing = missingNames(d);
  const made = missing.length ? withNames(d.schema, missing, secretNames(d)) : undefined;
  return (
    <Panel title="What a job passes">
      <div className={classes.stack}>
        {made !== undefined && (
          <div className={classes.missing} role="status">
            <span>The schema does not have {missing.map((m, i) => <span key={m.name}>{i > 0 && (i === missing.length - 1 ? ' and ' : ', ')}<code>{m.name}</code></span>)} yet.</span>
            <Button onClick={() => change({ schema: made })}>Add {missing.length === 1 ? 'it' : 'them'}</Button>
          </div>
        )}
        <RawJson label="JSON Schema of the payload" description={<>Mark a secret with <code>"writeOnly": true</code>: then a payload may only name a reference.</>} value={d.schema} rows={10} most={32} onChange={(schema) => change({ schema: schema ?? new Map() })} error={error} faults={places} />
      </div>
    </Panel>
  );
}
