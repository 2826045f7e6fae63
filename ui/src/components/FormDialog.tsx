import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { type FormErrors, formErrors } from '../lib/form-errors';
import { notify } from '../lib/notices';
import { Dialog } from './Dialog';
import classes from './FormDialog.module.css';

export type Values = Record<string, string>;
interface Props {
  title: string;
  says?: ReactNode;
  submit: string;
  isDanger?: boolean;
  isDisabled?: boolean;
  onClose: () => void;
  /** Send it. The answer is what to say when it is done. */
  run: (values: Values) => Promise<string | void>;
  /** Codes of errors that have no pointer, and the field they are about. */
  codes?: Record<string, string>;
  /** What stands beside an error on top of the form. */
  onError?: (error: unknown) => ReactNode;
  children?: (errors: Record<string, string>) => ReactNode;
}

/** A field that has another one beside it. */
export const { half } = classes;
const NONE: FormErrors = { top: '', fields: {} };

/** A form that asks, sends and closes. What the server refuses stands beside its field, or on top. */
export function FormDialog({ title, says, submit, isDanger, isDisabled, onClose, run, codes, onError, children }: Props) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState(NONE);
  const [beside, setBeside] = useState<ReactNode>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const inputs = [...form.current!.elements] as HTMLInputElement[];
    setBusy(true);
    try {
      const done = await run(Object.fromEntries(new FormData(form.current!)) as Values);
      if (done) notify(done);
      onClose();
    } catch (error) {
      const told = formErrors(error, new Set(inputs.map((i) => i.name).filter(Boolean)), codes);
      setErrors(told);
      setBeside(onError?.(error) ?? null);
      inputs.find((i) => i.name in told.fields)?.focus();
    } finally {
      setBusy(false);
      void client.invalidateQueries();
    }
  };
  return (
    <Dialog label={title} onClose={onClose}>
      <form ref={form} className={classes.form} onSubmit={(e) => void send(e)}>
        <h2>{title}</h2>
        {says && <div className={classes.says}>{says}</div>}
        {errors.top && <div className={classes.error} role="alert"><span>{errors.top}</span>{beside}</div>}
        {children && <div className={classes.fields}>{children(errors.fields)}</div>}
        <div className={classes.buttons}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant={isDanger ? 'danger' : 'filled'} disabled={isDisabled || isBusy}>{submit}</Button>
        </div>
      </form>
    </Dialog>
  );
}
