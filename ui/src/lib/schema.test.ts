import { describe as about, expect, test } from 'vitest';
import { type Json, Num, parse, write } from './json';
import { begin, describe, firstPayload, isPlainCall, owner, place, suits, typedNumber } from './schema';

const ROOT = parse(JSON.stringify({
  $defs: {
    Template: { enum: ['invoice', 'statement'], title: 'Template', type: 'string' },
    Address: { type: 'object', title: 'Address', required: ['street'], properties: { street: { type: 'string' }, city: { type: 'string', default: 'Oslo' } } },
    Node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/Node' } } },
    Loop: { $ref: '#/$defs/Loop' },
    'a/b': { type: 'boolean' },
  },
  type: 'object',
  required: ['template', 'address', 'lines', 'sure'],
  properties: {
    template: { $ref: '#/$defs/Template', description: 'Which layout.' },
    address: { $ref: '#/$defs/Address' },
    lines: { type: 'array', items: { $ref: '#/$defs/Address' }, minItems: 1 },
    sure: { type: 'boolean' },
    copies: { type: 'integer', default: 1 },
    watermark: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, title: 'Watermark' },
    contact: { anyOf: [{ $ref: '#/$defs/Address' }, { type: 'string' }] },
    extra: { type: 'object', additionalProperties: { type: 'integer' } },
  },
}));
const of = (schema: object) => describe(ROOT, parse(JSON.stringify(schema)));

about('which control a schema gets', () => {
  test.each([
    [{ type: 'string' }, 'text'], [{ type: 'integer' }, 'number'], [{ type: 'number' }, 'number'], [{ type: 'boolean' }, 'boolean'],
    [{ enum: ['a', 1] }, 'choice'], [{ const: 'x' }, 'choice'], [{ type: 'array', items: {} }, 'array'], [{ properties: { a: {} } }, 'object'],
    [{ $ref: '#/$defs/a~1b' }, 'boolean'], [{ $ref: '#/$defs/a%7E1b' }, 'boolean'], [{ allOf: [{ $ref: '#/$defs/Template' }] }, 'choice'], [{ type: ['string', 'null'] }, 'text'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'raw'], [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'raw'], [{ allOf: [{ type: 'string' }, { minLength: 1 }] }, 'raw'],
    [{ type: 'object', properties: {}, patternProperties: { '^a': {} } }, 'raw'], [{ type: 'object' }, 'raw'], [{ type: 'array' }, 'raw'], [{ type: ['string', 'integer'] }, 'raw'], [{}, 'raw'],
    [{ $ref: 'https://example.com/schema' }, 'raw'], [{ $ref: '#/$defs/none' }, 'raw'], [{ $ref: '#/$defs/Loop' }, 'raw'], [{ type: 'string', if: {} }, 'raw'],
  ])('%j: %s', (schema, kind) => expect(of(schema).kind).toBe(kind));

  test('"this or null" is this, and null is allowed', () => {
    expect(of({ anyOf: [{ $ref: '#/$defs/Template' }, { type: 'null' }], title: 'Mine' })).toMatchObject({ kind: 'choice', isNullable: true, title: 'Mine', choices: ['invoice', 'statement'] });
    expect(of({ enum: ['a', null] })).toMatchObject({ isNullable: true, choices: ['a'] });
    expect(of({ type: 'string' }).isNullable).toBe(false);
  });
  test('what a schema says beside a reference wins', () => {
    expect(of({ $ref: '#/$defs/Template', title: 'Layout', description: 'Which.' })).toMatchObject({ title: 'Layout', description: 'Which.' });
  });
  test.each<[object, string, string]>([
    [{ type: 'string' }, '5', 'raw'], [{ type: 'integer' }, '5', 'number'], [{ type: 'integer' }, '"five"', 'number'], [{ type: 'integer' }, '"5"', 'raw'], [{ type: 'boolean' }, '"yes"', 'raw'],
    [{ type: 'string' }, 'null', 'raw'], [{ type: ['string', 'null'] }, 'null', 'text'], [{ enum: ['a'] }, '"b"', 'raw'], [{ enum: ['a'] }, '"a"', 'choice'], [{ properties: { a: {} } }, '[]', 'raw'],
    [{ type: 'array', items: {} }, `[${Array(60).fill(0)}]`, 'raw'],
  ])('%j with the value %s is shown as %s', (schema, value, kind) => expect(suits(of(schema), parse(value), 1)).toBe(kind));
});

about('what a form begins with', () => {
  test('required parts and defaults; what is optional and null is not sent', () => {
    expect(write(firstPayload(ROOT, undefined))).toBe('{"address": {"city": "Oslo"}, "lines": [{"city": "Oslo"}], "sure": false, "copies": 1}');
  });
  test('the default payload of the definition wins, and keeps its digits', () => {
    expect(write(firstPayload(ROOT, parse('{"copies": 12345678901234567890, "more": null}')))).toContain('"copies": 12345678901234567890, "more": null}');
  });
  test('a schema that contains itself ends', () => {
    expect(write(begin(ROOT, parse('{"$ref": "#/$defs/Node"}'))!)).toMatch(/^(\{"next": )+\{\}\}+$/);
  });
  test('no schema: nothing', () => expect(firstPayload(true, undefined).size).toBe(0));
});

test('a number is one as soon as it can be, and text before', () => {
  expect(['12345678901234567890', ' 5 ', '1e5'].map(typedNumber)).toEqual([new Num('12345678901234567890'), new Num('5'), new Num('1e5')]);
  expect(['-', '1.', '007', 'abc'].map(typedNumber)).toEqual(['-', '1.', '007', 'abc']);
  expect(['', '  '].map(typedNumber)).toEqual([undefined, undefined]);
});

test.each<[object, boolean]>([
  [{ type: 'string', pattern: 'a' }, true], [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, true], [{ type: 'array', items: { type: 'string' } }, true], [{ enum: ['a'] }, true],
  [{ $ref: '#/$defs/Template' }, false], [{ type: 'string', format: 'uuid' }, false], [{ type: 'array', items: { type: 'string', format: 'date' } }, false], [{ anyOf: [{ type: 'number' }, { type: 'string' }] }, false],
])('whether Python takes JSON for %j: %s', (schema, isPlain) => {
  const root = parse(JSON.stringify({ type: 'object', properties: { x: schema, other: { format: 'uuid' } } }));
  expect(isPlainCall(root, new Map([['x', 'v']]))).toBe(isPlain);
  expect(isPlainCall(root, new Map([['unknown', 'v']]))).toBe(false);
});

about('where a fault belongs', () => {
  const refuse = (code: string, ...errors: [string, string, string][]) => place({ code, message: 'No.', errors: errors.map(([pointer, c, detail]) => ({ pointer, code: c, detail })) });
  test('a missing member is the fault of that member', () => {
    expect(refuse('invalid_payload', ['/address', 'required', '"a/b\\"" is a required property']).payload).toEqual([{ pointer: '/address/a~1b"', code: 'required', detail: 'This is required.' }]);
    expect(refuse('invalid_payload', ['/address', 'required', '"a/b\\"" is a required property.']).payload).toEqual([{ pointer: '/address/a~1b"', code: 'required', detail: 'This is required.' }]);
  });
  test('members that are too many are at fault themselves', () => {
    expect(refuse('invalid_payload', ['', 'additionalProperties', "Additional properties are not allowed ('a', 'b' were unexpected)"]).payload.map((f) => f.pointer)).toEqual(['/a', '/b']);
  });
  test('a plain secret is the fault of its field', () => {
    expect(refuse('secret_in_payload', ['/token', 'secret_in_payload', 'A secret must be given by reference.']).payload).toEqual([{ pointer: '/token', code: 'secret_in_payload', detail: 'A secret must be given by reference.' }]);
  });
  test('pointers of a refused payload begin in the payload, those of a refused body in the body', () => {
    expect(refuse('invalid_payload', ['/payload', 'type', 'the value is not text']).payload).toEqual([{ pointer: '/payload', code: 'type', detail: 'The value is not text.' }]);
    expect(refuse('invalid_request', ['/payload/x', 'type', 'no'], ['/priority', 'int', 'no'], ['query q', 'x', 'no'])).toEqual({
      payload: [{ pointer: '/x', code: 'type', detail: 'No.' }], options: [{ pointer: '/priority', code: 'int', detail: 'No.' }], top: ['No.'],
    });
  });
  test('a refusal without a pointer is said on top, or at the option that its code names', () => {
    expect(refuse('quota_exceeded').top).toEqual(['No.']);
    expect(refuse('unknown_queue').options[0]?.pointer).toBe('/queue');
  });

  const VALUE = parse('{"address": {}, "lines": [{"city": 1}], "contact": {"street": 5}, "extra": {"a": "b"}, "zz": {"y": 1}}');
  const ownerOf = (pointer: string, value: Json = VALUE) => owner(ROOT, ROOT, value, pointer);
  test.each([
    ['/template', '/template'], ['/address/street', '/address/street'], ['/lines/0/city', '/lines/0/city'], ['/lines/7', '/lines'], ['/address/nowhere', '/address'],
    ['/contact/street', '/contact'], ['/extra/a', '/extra'], ['/zz/y', '/zz'], ['/nothing', ''], ['', ''],
  ])('%j is shown at %j', (pointer, at) => expect(ownerOf(pointer)).toBe(at));
});
