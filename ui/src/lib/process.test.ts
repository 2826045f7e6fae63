import '../testing/document';
import { expect, test } from 'vitest';
import { errorLine } from './jobs';
import { bytesSaid, cpuSaid, endNote, endSaid, overwritten, ranCommand, tailSaid, unturned } from './process';

test('a process ended with a code, or with a signal by its name', () => {
  expect(endSaid({ exit_code: 0, signal: null })).toBe('Exit code 0');
  expect(endSaid({ exit_code: -9, signal: 9 })).toBe('SIGKILL, killed');
  expect(endSaid({ exit_code: -24, signal: null })).toBe('SIGXCPU, over its limit of CPU time');
  expect(endSaid({ exit_code: null, signal: 64 })).toBe('signal 64');
  expect(endSaid({ exit_code: null, signal: null })).toBeUndefined();
  expect([endNote({ exit_code: 0, signal: null }), endNote({ exit_code: 3, signal: null }), endNote({ exit_code: null, signal: 15 })]).toEqual(['', 'exit code 3', 'SIGTERM, asked to end']);
});

test('an attempt without output has run no command, or has not ended', () => {
  expect([ranCommand(undefined), ranCommand({ stdout_bytes: null }), ranCommand({ stdout_bytes: 0 })]).toEqual([false, false, true]);
});

test('sizes and times are told in a few digits', () => {
  expect([0, 1, 1023, 1024, 1536, 70_000, 1_048_576, 1_073_741_824].map(bytesSaid)).toEqual(['0 bytes', '1 byte', '1,023 bytes', '1 KiB', '1.5 KiB', '68 KiB', '1 MiB', '1 GiB']);
  expect([cpuSaid(1200, 300), cpuSaid(1200, 0), cpuSaid(0, null), cpuSaid(null, null)]).toEqual(['1.5 s, 300 ms in the kernel', '1.2 s', '0 ms', undefined]);
});

test('a tail says how much there was before it', () => {
  expect([tailSaid(0), tailSaid(12), tailSaid(65_536), tailSaid(1_400_000)]).toEqual(['nothing', '12 bytes', '64 KiB', 'the last 64 KiB of 1.3 MiB']);
});

test('a line that was written over shows what a terminal would', () => {
  expect(overwritten('10 %\r50 %\r100 %\nnext\r\nlast\r\r')).toBe('100 %\nnext\nlast');
  const began = performance.now();
  expect(overwritten(`${'\r'.repeat(60_000)}x`)).toBe('x');
  expect(performance.now() - began).toBeLessThan(500);
});

test('characters that turn a text around are shown instead', () => {
  expect(unturned('a\u202eb\u2066c')).toBe('a<U+202E>b<U+2066>c');
  expect(unturned('שלום')).toBe('שלום');
});

test('the error of a command is its ending, and the last thing it said', () => {
  expect(errorLine('The command ended with exit code 3: no route to host\nIts last lines on stderr:\nconnecting\nno route to host\n')).toBe('Exit code 3: no route to host');
  expect(errorLine('The command ended with signal SIGKILL.')).toBe('The command ended with signal SIGKILL.');
});
