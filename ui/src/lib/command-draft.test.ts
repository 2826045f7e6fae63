import '../testing/document';
import { expect, test } from 'vitest';
import { ApiError } from '../api/client';
import { changeText, CLOSED, documentOf, type Draft, draftOf, faultsOf, formOf, fromLine, isUnsayableSchema, jsonOf, missingNames, newCode, newPair, newRow, newText, refusedBy, secretNames, splitLine, withNames } from './command-draft';
import type { Command } from './command-template';
import { at, parse, write } from './json';

const COMMAND: Command = {
  executable: '/opt/zoltag/bin/zoltag', stdin: 'payload', exit_codes: { 3: 'fail', 75: 'retry' }, environment: { TOKEN: 'env:TOKEN' }, files: { 'token.json': 'file:/run/secrets/x' },
  argv: ['sync', '--tenant={tenant_id}', { flag: '--dry-run', if: 'dry_run' }, { each: '--tag={item}', of: 'tags' }, { value: '{path}', may_start_with_dash: true }],
};
const SCHEMA = parse('{"type": "object", "properties": {"path": {"type": "string"}, "dry_run": {"type": "boolean"}, "tags": {"type": "array"}, "big": {"maximum": 12345678901234567890}}}');
const draft = (more: Partial<Draft> = {}): Draft => ({ ...draftOf(COMMAND, SCHEMA), ...more });
const refusal = (code: string, errors: { pointer: string; detail: string }[]) => new ApiError(422, { detail: 'The whole.', code, errors: errors.map((e) => ({ code, ...e })) });

test('a command survives the form as it was', () => {
  expect(documentOf(draft())).toEqual(COMMAND);
  expect(documentOf(formOf(jsonOf(draft()), SCHEMA)!)).toEqual(COMMAND);
});

test('the form is offered for what it can show, and for nothing else', () => {
  const least = { executable: '/bin/true' };
  expect(formOf(parse(JSON.stringify(least)), SCHEMA)).toBeDefined();
  for (const wrong of [{ ...least, shell: true }, { ...least, argv: [5] }, { ...least, argv: [{ flag: '-v' }] }, { ...least, argv: [{ each: 'x', of: 'y', may_start_with_dash: 'yes' }] }, { ...least, environment: { A: 1 } }, { ...least, exit_codes: { 3: 'explode' } }, { ...least, stdin: 'open' }, { executable: 5 }, []]) {
    expect(formOf(parse(JSON.stringify(wrong)), SCHEMA), JSON.stringify(wrong)).toBeUndefined();
  }
});

test('the names that the schema lacks are added with a type that fits their use', () => {
  const d = draft({ schema: CLOSED, files: [newPair('x', '{api_token}')] });
  expect(missingNames(d)).toEqual([{ name: 'dry_run', type: 'yes or no' }, { name: 'tags', type: 'list of texts' }, { name: 'path', type: 'text' }, { name: 'api_token', type: 'text' }]);
  const schema = withNames(d.schema, missingNames(d), secretNames(d))!;
  expect(JSON.parse(write(schema))).toEqual({
    type: 'object', additionalProperties: false, required: ['path', 'api_token'],
    properties: { dry_run: { type: 'boolean' }, tags: { type: 'array', items: { type: 'string' } }, path: { type: 'string' }, api_token: { type: 'string', writeOnly: true } },
  });
  expect(missingNames({ ...d, schema })).toEqual([]);
  expect(withNames(true, missingNames(d))).toBeUndefined();
});

test('what needs no server is found at its place', () => {
  const bad = draft({
    executable: 'ls', rows: [newRow(''), newRow('{a'), { ...newRow('-n', 'flag'), name: '' }, { ...newRow('x', 'each'), name: 'tags' }], environment: [newPair('A', 'x'), newPair('A', 'y'), newPair('', 'z')],
    files: [newPair('f', 'plain')], codes: [newCode('0'), newCode('256')],
  });
  expect([...faultsOf(bad).keys()]).toEqual(['/executable', '/argv/0', '/argv/1', '/argv/2', '/argv/3', '/environment/A', '/environment/', '/files/f', '/exit_codes/0', '/exit_codes/256']);
  expect(faultsOf(draft()).size).toBe(0);
});

test('what the server refuses stands at its field, in the text, or on top', () => {
  const told = refusedBy(refusal('invalid_command', [{ pointer: '/command/argv/2', detail: 'a' }, { pointer: '/command/environment/TOKEN', detail: 'b' }, { pointer: '/arg_schema/properties/path', detail: 'c' }, { pointer: '/key', detail: 'd' }, { pointer: '/elsewhere', detail: 'e' }]), draft());
  expect([...told.faults]).toEqual([['/argv/2', 'a'], ['/environment/TOKEN', 'b']]);
  expect([told.schema, told.fields, told.top]).toEqual([[{ pointer: '/properties/path', detail: 'c' }], { key: 'd' }, 'e']);
  const inJson = refusedBy(refusal('invalid_command', [{ pointer: '/command/argv/2', detail: 'a' }]), draft({ document: jsonOf(draft()) }));
  expect([inJson.command, inJson.faults.size]).toEqual([[{ pointer: '/argv/2', detail: 'a' }], 0]);
  expect(refusedBy(refusal('already_exists', []), draft()).fields).toEqual({ key: 'The whole.' });
  expect(refusedBy(new Error('cut off'), draft()).top).toBe('cut off');
});

test('a new definition is sent with every digit of its schema', () => {
  const text = newText(draft(), { key: 'sync' });
  expect(text).toContain('12345678901234567890');
  expect(at(parse(text), 'command', 'executable')).toBe('/opt/zoltag/bin/zoltag');
});

test('a change names what differs: the command whole, the schema as a patch', () => {
  expect(changeText(draft(), draft())).toBeUndefined();
  expect(changeText(draft(), draft({ document: jsonOf(draft()) }))).toBeUndefined();
  const other = JSON.parse(changeText(draft(), draft({ executable: '/bin/true' }))!) as { command: Command };
  expect([Object.keys(other), other.command.argv]).toEqual([['command'], COMMAND.argv]);
  const without = parse('{"type": "object", "properties": {"path": {"type": "string"}}}');
  expect(JSON.parse(changeText(draft(), draft({ schema: without }))!)).toEqual({ arg_schema: { properties: { dry_run: null, tags: null, big: null } } });
  expect(isUnsayableSchema(draft(), draft({ schema: parse('{"default": null}') }))).toBe(true);
});

test('a command line is split as a shell would split it', () => {
  expect(splitLine(`/bin/a --x='b c' "d \\"e\\"" f\\ g \\\n h`)).toEqual(['/bin/a', '--x=b c', 'd "e"', 'f g', 'h']);
  const found = fromLine('/bin/a -n x');
  expect([found.executable, found.rows.map((r) => r.text)]).toEqual(['/bin/a', ['-n', 'x']]);
  expect(fromLine('sync now').executable).toBeUndefined();
});
