import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { FormDialog } from './FormDialog';

/** For what cannot be undone: one types the name of the thing. */
export function Confirm({ title, says, name, submit, onClose, run }: { title: string; says: ReactNode; name: string; submit: string; onClose: () => void; run: () => Promise<string | void> }) {
  const [typed, setTyped] = useState('');
  return (
    <FormDialog title={title} says={says} submit={submit} isDanger isDisabled={typed.trim() !== name} onClose={onClose} run={run}>
      {() => <TextInput label={<>Type <code>{name}</code> to confirm</>} value={typed} onChange={(e) => setTyped(e.currentTarget.value)} autoComplete="off" spellCheck={false} autoFocus />}
    </FormDialog>
  );
}
