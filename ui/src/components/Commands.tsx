import { useState } from 'react';
import { type Asked, cli, curl, python } from '../lib/commands';
import { CopyBlock } from './Copy';
import { Panel } from './Panel';
import classes from '../pages/Run.module.css';

const WAYS = {
  cli: ['Terminal', 'The command line reads JOBPLANE_SERVER_URL and JOBPLANE_API_KEY.'],
  curl: ['curl', 'JOBPLANE_KEY holds an API key.'],
  python: ['Python', 'jp is your Jobplane; a function is imported from your own module.'],
} as const;
type Way = keyof typeof WAYS;

/** The same job from elsewhere. */
export function Commands({ asked }: { asked: Asked }) {
  const ways = (Object.keys(WAYS) as Way[]).filter((way) => way !== 'cli' || !asked.again);
  const [chosen, setChosen] = useState<Way>('cli');
  const way = ways.includes(chosen) ? chosen : ways[0]!;
  const text = { cli, curl, python }[way](asked);
  return (
    <Panel title="The same from elsewhere" aside={
      <div className={classes.views} role="group" aria-label="From where">
        {ways.map((each) => <button key={each} type="button" aria-pressed={each === way} onClick={() => setChosen(each)}>{WAYS[each][0]}</button>)}
      </div>
    }>
      <CopyBlock text={text} what={`the command for ${WAYS[way][0]}`} sunken />
      <p className={classes.hint}>{WAYS[way][1]}</p>
    </Panel>
  );
}
