/** Numbers that JavaScript would round, such as ids of 64 bits, kept as they were written. */
export class Exact {
  constructor(readonly text: string) {}
  toString(): string { return this.text; }
  toJSON(): unknown { return (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(this.text); }
}

const keep = (_: string, value: unknown, context?: { source?: string }): unknown => {
  const written = context?.source;
  return typeof value === 'number' && written !== undefined && written.length > 15 && String(value) !== written ? new Exact(written) : value;
};

/** JSON.parse without loss, in browsers that tell what was written; in others as always. */
export const parseExact = (text: string): unknown => JSON.parse(text, keep as (key: string, value: unknown) => unknown);
