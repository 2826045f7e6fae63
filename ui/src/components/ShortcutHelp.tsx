import { Switch } from '@mantine/core';
import { useState } from 'react';
import { useCaller } from '../lib/caller';
import { areKeysOn, setKeysOn } from '../lib/keys';
import { Dialog } from './Dialog';
import classes from './ShortcutHelp.module.css';

const LIST: [string, string][] = [['j k', 'Down, up'], ['Enter', 'Open'], ['x', 'Select'], ['r', 'Retry'], ['c', 'Cancel']];
const LOG: [string, string][] = [['n N', 'Next, previous match'], ['e', 'Next error'], ['f', 'Follow'], ['w', 'Wrap lines'], ['↑ ↓', 'Choose a line to link to']];

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const { isOperator } = useCaller();
  const [isOn, setOn] = useState(areKeysOn);
  const places: [string, string][] = [['g o', 'Overview'], ['g j', 'Jobs'], ['g s', 'Schedules'], ['g l', 'Logs'], ...(isOperator ? ([['g n', 'Tenants'], ['g w', 'Workers'], ['g q', 'Queues'], ['g d', 'Definitions'], ['g b', 'Database']] as [string, string][]) : []), ['g k', 'Keys'], ['g a', 'Audit log']];
  const groups: [string, [string, string][]][] = [['Anywhere', [['/', 'Search this page, or find anything'], ['Ctrl k', 'Find anything'], ['?', 'This list']]], ['Go', places], ['In a list', LIST], ['In a log', LOG]];
  return (
    <Dialog label="Keyboard shortcuts" onClose={onClose}>
      <div className={classes.help}>
        <h2>Keyboard</h2>
        <div className={classes.groups}>
          {groups.map(([name, keys]) => (
            <section key={name}>
              <h3>{name}</h3>
              <dl>{keys.map(([key, does]) => <div key={key}><dt>{key.split(' ').map((k) => <kbd key={k}>{k}</kbd>)}</dt><dd>{does}</dd></div>)}</dl>
            </section>
          ))}
        </div>
        <Switch label="Single keys act" checked={isOn} onChange={(e) => { setKeysOn(e.currentTarget.checked); setOn(e.currentTarget.checked); }} />
      </div>
    </Dialog>
  );
}
