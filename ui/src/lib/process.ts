/** How the process of a command ended and what it used, in words. */
import type { Attempt } from '../api/client';
import { count, duration } from './time';

/** By number, as on Linux. */
const SIGNALS: Record<number, [name: string, says: string]> = {
  1: ['SIGHUP', 'hung up'], 2: ['SIGINT', 'interrupted'], 3: ['SIGQUIT', 'asked to quit'], 4: ['SIGILL', 'an illegal instruction'], 5: ['SIGTRAP', 'a trap'], 6: ['SIGABRT', 'it aborted'],
  7: ['SIGBUS', 'a wrong memory access'], 8: ['SIGFPE', 'an arithmetic fault'], 9: ['SIGKILL', 'killed'], 10: ['SIGUSR1', 'a signal of its own'], 11: ['SIGSEGV', 'a wrong memory access'], 12: ['SIGUSR2', 'a signal of its own'],
  13: ['SIGPIPE', 'a closed pipe'], 14: ['SIGALRM', 'its own alarm'], 15: ['SIGTERM', 'asked to end'], 24: ['SIGXCPU', 'over its limit of CPU time'], 25: ['SIGXFSZ', 'over its limit of file size'], 31: ['SIGSYS', 'a forbidden system call'],
};

/** `SIGKILL, killed`. */
export function signalSaid(signal: number): string {
  const [name, says] = SIGNALS[signal] ?? [`signal ${signal}`, ''];
  return says ? `${name}, ${says}` : name;
}

type Ended = Pick<Attempt, 'exit_code' | 'signal'>;

/** The signal that ended it: an older row tells it as a negative exit code. */
const signalOf = ({ exit_code: code, signal }: Ended): number | null => signal ?? (code !== null && code < 0 ? -code : null);

/** How it ended; undefined where it has not, or never ran a command. */
export function endSaid(attempt: Ended): string | undefined {
  const signal = signalOf(attempt);
  if (signal !== null) return signalSaid(signal);
  return attempt.exit_code === null ? undefined : `Exit code ${attempt.exit_code}`;
}

/** The same in the line of an attempt; a plain success says nothing. */
export function endNote(attempt: Ended): string {
  const signal = signalOf(attempt);
  if (signal !== null) return signalSaid(signal);
  return attempt.exit_code ? `exit code ${attempt.exit_code}` : '';
}

/** Whether an attempt ran a command that has reported. */
export const ranCommand = <T extends Pick<Attempt, 'stdout_bytes'>>(attempt: T | undefined): attempt is T => attempt !== undefined && attempt.stdout_bytes !== null;

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];

export function bytesSaid(bytes: number): string {
  if (bytes < 1024) return `${count(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`;
  let size = bytes / 1024, unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) { size /= 1024; unit += 1; }
  return `${size < 10 ? size.toFixed(1).replace(/\.0$/, '') : count(Math.round(size))} ${UNITS[unit]}`;
}

/** `3.2 s, 0.4 s of them in the kernel`. */
export function cpuSaid(user: number | null, system: number | null): string | undefined {
  if (user === null && system === null) return undefined;
  const [own, kernel] = [user ?? 0, system ?? 0];
  return kernel ? `${duration(own + kernel)}, ${duration(kernel)} in the kernel` : duration(own);
}

/** What a terminal leaves of a text in which lines are written over: a bar of progress shows its last state. */
export const overwritten = (text: string): string => text.split('\n').map((line) => {
  let end = line.length;
  while (end && line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}).join('\n');

const TAIL_BYTES = 65_536;

/** How much of a stream its tail has. Masking changes its length, so that is counted before it. */
export const tailSaid = (bytes: number): string => (bytes > TAIL_BYTES ? `the last 64 KiB of ${bytesSaid(bytes)}` : bytes ? bytesSaid(bytes) : 'nothing');

/** Characters that turn the order of others around, to be seen instead of obeyed. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;
export const unturned = (text: string): string => text.replace(TURNING, (c) => `<U+${c.charCodeAt(0).toString(16).toUpperCase()}>`);

