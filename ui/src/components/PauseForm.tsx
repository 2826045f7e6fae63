import { TextInput } from '@mantine/core';
import { FormDialog } from './FormDialog';

/** Ask why: the reason is what the others read at night. */
export function PauseForm({ name, says, pause, onClose }: { name: string; says: string; pause: (reason: string | null) => Promise<unknown>; onClose: () => void }) {
  return (
    <FormDialog title={`Pause ${name}`} says={says} submit="Pause" onClose={onClose} run={async (v) => { await pause(v.reason?.trim() || null); return `${name.replace(/^./, (c) => c.toUpperCase())} is paused.`; }}>
      {(errors) => <TextInput name="reason" label="Reason" description="Everybody who asks why a job waits reads it." error={errors.reason} autoComplete="off" autoFocus />}
    </FormDialog>
  );
}
