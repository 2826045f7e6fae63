/** The part of Node that tests use: a real shell and a real Python judge what the page writes for them. */
declare module 'node:child_process' {
  export function execFileSync(file: string, args: string[], options: { encoding: 'utf8'; env?: Record<string, string>; input?: string }): string;
}
