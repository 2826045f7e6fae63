import { expect, test } from 'vitest';
import { lineOf } from './json-line';

const TEXT = `{
  "type": "object",
  "a/b": [1, {
    "x": "}\\"",
    "y": null
  }],
  "properties": {
    "path": { "type": "strang" },
    "tags": []
  }
}`;

test('a pointer leads to the line of what it names', () => {
  expect([lineOf(TEXT, '/type'), lineOf(TEXT, '/a~1b/1/y'), lineOf(TEXT, '/properties/path/type'), lineOf(TEXT, '/properties/tags')]).toEqual([2, 5, 8, 9]);
});

test('what is not there is told with the part around it', () => {
  expect([lineOf(TEXT, ''), lineOf(TEXT, '/properties/none/type'), lineOf(TEXT, '/none'), lineOf('7', '/x'), lineOf('', '/x')]).toEqual([1, 7, 1, 1, 1]);
});
