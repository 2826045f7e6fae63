import type { ReactNode } from 'react';
import { argumentSaid, type Command, exitCodes, pieces, sourceSaid, synopsis, textOf } from '../lib/command-template';
import { plural } from '../lib/time';
import classes from './CommandTemplate.module.css';

/** A text of a template: what a value takes the place of stands out. */
export function TemplateText({ text }: { text: string }) {
  if (text === '') return <span className="quiet">empty</span>;
  return <>{pieces(text).map((p, i) => (p.name === undefined ? <span key={i} className={p.isStray ? 'tone-bad' : undefined}>{p.text}</span> : <span key={i} className={classes.hole}>{p.name}</span>))}</>;
}

/** The whole in one line, as the manual of a program writes it: brackets around what may be left out. */
export function Synopsis({ command, schema, label = 'Command line' }: { command: Command; schema: unknown; label?: string }) {
  return (
    <div className={classes.synopsis} role="group" aria-label={label}>
      <code className={classes.program}>{command.executable || <span className="quiet">/path/to/program</span>}</code>
      {synopsis(command, schema).map(({ argument, isOptional, isRepeated }, i) => <code key={i} className={classes.word}>{isOptional && '['}<TemplateText text={textOf(argument)} />{isRepeated && ' …'}{isOptional && ']'}</code>)}
    </div>
  );
}

function Section({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return <section className={classes.section}><h3>{title}{note && <span className={classes.note}>{note}</span>}</h3>{children}</section>;
}

function Values({ values, schema }: { values: Record<string, string>; schema: unknown }) {
  return <dl className={classes.values}>{Object.entries(values).map(([name, text]) => <div key={name}><dt><code>{name}</code></dt><dd><code><TemplateText text={text} /></code><span className={classes.says}>{sourceSaid(text, schema)}</span></dd></div>)}</dl>;
}

/** The command of a definition, to be read. */
export function CommandTemplate({ command, schema }: { command: Command; schema: unknown }) {
  const variables = Object.keys(command.environment).length;
  const files = Object.keys(command.files).length;
  return (
    <>
      <Synopsis command={command} schema={schema} />
      <div className={classes.sections}>
        <Section title="Arguments" note={command.argv.length ? 'each line is exactly one argument, whatever the value' : undefined}>
          {command.argv.length
            ? <ol className={classes.arguments}>{command.argv.map((argument, i) => <li key={i}><code><TemplateText text={textOf(argument)} /></code><span className={classes.says}>{argumentSaid(argument, schema)}</span></li>)}</ol>
            : <p className="quiet">None.</p>}
        </Section>
        <Section title="Environment" note={variables ? undefined : 'nothing but what the policy of the worker lets through'}>{variables > 0 && <Values values={command.environment} schema={schema} />}</Section>
        {files > 0 && <Section title="Files" note={`${plural(files, 'file')} in the working directory, for this attempt alone`}><Values values={command.files} schema={schema} /></Section>}
        <Section title="Standard input" note={command.stdin === 'payload' ? 'the payload, as JSON; references in it stay references' : 'closed'}>{null}</Section>
        <Section title="Exit codes"><dl className={classes.values}>{exitCodes(command).map(([code, says]) => <div key={code}><dt><code>{code}</code></dt><dd>{says}</dd></div>)}</dl></Section>
      </div>
    </>
  );
}
