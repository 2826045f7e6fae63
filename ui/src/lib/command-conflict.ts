/** What somebody else has changed in a definition since it was read. */
import type { Definition } from '../api/client';
import { FIELDS } from './definitions';

const WORDS: Record<string, string> = { command: 'the command', arg_schema: 'the schema', ...FIELDS };

/** What differs, in words. */
export const changedBetween = (before: Definition, after: Definition): string[] =>
  Object.entries(WORDS).filter(([field]) => JSON.stringify(before[field as keyof Definition]) !== JSON.stringify(after[field as keyof Definition])).map(([, word]) => word);
