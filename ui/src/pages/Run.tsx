import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { activeDefinitionsQuery, formerQuery, type Runnable, runnableQuery } from '../api/run';
import { Answer } from '../components/Answer';
import { ChooseTenant, ListFilter } from '../components/ChooseTenant';
import { ErrorState } from '../components/ErrorState';
import { LinkButton } from '../components/LinkButton';
import { Loading } from '../components/Loading';
import { Panel } from '../components/Panel';
import { RunForm } from '../components/RunForm';
import { useCaller } from '../lib/caller';
import type { RunSearch } from '../router';
import list from '../components/ChooseTenant.module.css';
import classes from './Run.module.css';

const Failed = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => <><Answer title="Run a job" /><ErrorState error={error} onRetry={onRetry} /></>;

function ChooseDefinition() {
  const { data, error, refetch } = useQuery(activeDefinitionsQuery);
  const { whose } = useCaller();
  const [query, setQuery] = useState('');
  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Looking for definitions" />;
  if (!data.length) return <Answer title="There is nothing to run yet" actions={<LinkButton to="/welcome">Make the first one</LinkButton>}>No definition takes jobs. A worker brings those of your code when it starts.</Answer>;
  const found = data.filter((d) => `${d.key} ${d.description} ${d.tags.join(' ')}`.toLowerCase().includes(query.toLowerCase()));
  return (
    <>
      <Answer title="What do you want to run?">Choose a definition. The job is for {whose.replace(/\.$/, '')}.</Answer>
      <Panel flush>
        <ListFilter label="Find a definition" value={query} onChange={setQuery} />
        <ul className={list.list}>
          {found.map((d) => <li key={d.key}><Link to="." search={((s: RunSearch) => ({ ...s, definition: d.key })) as never}><b>{d.key}</b><span>{d.description || `queue ${d.queue}`}</span></Link></li>)}
        </ul>
        {!found.length && <p className={list.none}>No definition has that in its key or its description.</p>}
      </Panel>
    </>
  );
}

/** For a key that may only enqueue: it cannot see definitions, so it has to know one. */
function EnterDefinition() {
  const navigate = useNavigate();
  const [key, setKey] = useState('');
  const submit = (event: FormEvent) => { event.preventDefault(); if (key.trim()) void navigate({ to: '.', search: ((s: RunSearch) => ({ ...s, definition: key.trim() })) as never }); };
  return (
    <>
      <Answer title="What do you want to run?">Your key may enqueue jobs, and see no definitions. Enter the key of the one that you mean.</Answer>
      <Panel><form onSubmit={submit} className={classes.enter}><TextInput label="Definition" placeholder="send-report" value={key} onChange={(e) => setKey(e.currentTarget.value)} /></form></Panel>
    </>
  );
}

export function DefinitionSelect({ chosen }: { chosen: string }) {
  const { data } = useQuery(activeDefinitionsQuery);
  const navigate = useNavigate();
  const keys = (data ?? []).map((d) => d.key);
  return (
    <Select aria-label="Definition" searchable data={keys.includes(chosen) ? keys : [chosen, ...keys]} value={chosen} allowDeselect={false} nothingFoundMessage="No definition has that key." maxDropdownHeight={360}
      onChange={(key) => { if (key && key !== chosen) void navigate({ to: '.', search: ((s: RunSearch) => ({ ...s, definition: key, from: undefined })) as never }); }} />
  );
}

const unknown = (key: string): Runnable => ({ key, kind: undefined, description: '', queue: '', priority: '', maxAttempts: '', isActive: true, schema: true, defaults: undefined, command: null });

function Once({ definition }: { definition: string }) {
  const { may } = useCaller();
  const canLook = may('getDefinition');
  const { data, error, refetch } = useQuery({ ...runnableQuery(definition), enabled: canLook });
  if (!canLook) return <RunForm key={definition} definition={unknown(definition)} />;
  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Reading the schema" />;
  if (!data.isActive) return <Answer title={`${data.key} takes no jobs`} actions={<LinkButton to="/run" search={{}}>Choose another</LinkButton>}>It is disabled. An operator can enable it; you can choose another one.</Answer>;
  return <RunForm key={definition} definition={data} choose={<DefinitionSelect chosen={data.key} />} />;
}

function Again({ id }: { id: string }) {
  const { tenant, isOperator } = useCaller();
  const { data: former, error, refetch } = useQuery(formerQuery(tenant, id));
  const { data: definition, error: gone, refetch: lookAgain } = useQuery({ ...runnableQuery(former?.key ?? ''), enabled: former !== undefined });
  if (error && !former) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!former) return <Loading what="Reading the job" />;
  if (isOperator && !tenant) return <ChooseTenant wanted={former.tenantId}>A job belongs to one tenant. This one runs again for the tenant it had.</ChooseTenant>;
  if (former.status === 'queued' || former.status === 'running') return <Answer title="This job has not ended yet" actions={<LinkButton to="/jobs/$id" params={{ id }}>See the job</LinkButton>}>{`It is ${former.status}. A job can run again when it has ended.`}</Answer>;
  if (!former.payload) return <Answer title="The payload of this job cannot be read" actions={<LinkButton to="/run" search={{ definition: former.key }}>Run {former.key}</LinkButton>}>Another program has written it. Enqueue a new job instead.</Answer>;
  if (gone && !definition) return <Failed error={gone} onRetry={() => void lookAgain()} />;
  if (!definition) return <Loading what="Reading the schema" />;
  return <RunForm key={id} definition={definition} former={former} />;
}

/** Run a definition once, or a job again. */
export function Run() {
  const { may, isOperator, tenant, me } = useCaller();
  const { definition, from } = useSearch({ strict: false }) as RunSearch;
  if (from && may('runJobAgain')) return <Again key={`${tenant} ${from}`} id={from} />;
  if (!may('enqueueJob')) return <Answer title="You cannot run jobs">{`Your role, ${me.role.replace('_', ' ')}, reads${may('runJobAgain') ? ', and runs ended jobs again from their own page' : ''}. Ask an admin of your tenant for more.`}</Answer>;
  if (isOperator && !tenant) return <ChooseTenant>A job belongs to one tenant. Choose it here, or in the switcher. What you run is recorded under your name.</ChooseTenant>;
  if (!definition) return may('listDefinitions') ? <ChooseDefinition /> : <EnterDefinition />;
  return <Once definition={definition} />;
}
