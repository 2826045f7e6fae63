import { expect, test } from 'vitest';
import { argumentSaid, commandOf, exitCodes, hasStray, isReference, namesIn, pieces, sourceSaid, synopsis, textOf } from './command-template';

const SCHEMA = { type: 'object', properties: { path: { type: 'string' }, limit: { type: ['integer', 'null'] }, token: { type: 'string', writeOnly: true }, tags: {}, dry_run: {} }, required: ['path', 'limit'] };

test('a text is cut at its placeholders, and a doubled brace is a brace', () => {
  expect(pieces('--path={path}/{{x}}')).toEqual([{ text: '--path=' }, { text: '{path}', name: 'path' }, { text: '/{x}' }]);
  expect(pieces('')).toEqual([]);
  expect(namesIn('{a}-{b}-{a}')).toEqual(['a', 'b']);
  expect([hasStray('{a'), hasStray('a}'), hasStray('{}'), hasStray('{{a}}')]).toEqual([true, true, true, false]);
});

test('each argument says when it is left out, and how often it is there', () => {
  const said = [
    'sync', '--path={path}', '--limit={limit}', '{tenant_id}', { value: '{token}', may_start_with_dash: true }, { flag: '--dry-run', if: 'dry_run' }, { each: '--tag={item}', of: 'tags' },
  ].map((a) => argumentSaid(a, SCHEMA));
  expect(said).toEqual(['', '', 'left out without limit', '', 'left out without token; may begin with a dash', 'only if dry_run is true', 'once for each of tags']);
});

test('the synopsis marks what is optional and what is repeated', () => {
  const words = synopsis({ argv: ['--path={path}', { flag: '-n', if: 'dry_run' }, { each: '{item}', of: 'tags' }, '--limit={limit}'] }, SCHEMA);
  expect(words.map((w) => [textOf(w.argument), w.isOptional, w.isRepeated])).toEqual([['--path={path}', false, false], ['-n', true, false], ['{item}', true, true], ['--limit={limit}', true, false]]);
});

test('a value says where it comes from, and a reference is told from a text', () => {
  expect(['env:APP_TOKEN', 'file:/run/secrets/x', '{token}', '{job_id}', '{path}', 'C.UTF-8'].map((text) => sourceSaid(text, SCHEMA))).toEqual([
    "a secret from the worker's environment", "a secret from a file on the worker's machine", 'a secret that the payload names by reference', 'from the job', 'from the payload', '',
  ]);
  expect(['env:A B', 'env:', 'file:x', 'file:/', 'environment'].filter(isReference)).toEqual([]);
});

test('a command has its defaults, and every exit code has a meaning', () => {
  expect(commandOf(null)).toBeNull();
  const command = commandOf({ executable: '/bin/true', exit_codes: { 75: 'retry', 3: 'fail' } })!;
  expect(command.stdin).toBe('closed');
  expect(exitCodes(command).map(([code]) => code)).toEqual(['0', '3', '75', 'others']);
});
