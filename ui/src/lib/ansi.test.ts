import { expect, test } from 'vitest';
import { ansi, plain } from './ansi';

test('colours and weights become class names, and end where they end', () => {
  expect(ansi('\u001b[31mred\u001b[0m plain \u001b[1;92mbold green\u001b[22;39m')).toEqual([
    { text: 'red', className: 'ansi-red' }, { text: ' plain ' }, { text: 'bold green', className: 'ansi-green ansi-bold' },
  ]);
});

test.each([
  ['38;5;196', 'red'], ['38;5;34', 'green'], ['38;5;12', 'blue'], ['38;5;244', 'white'], ['38;2;250;200;20', 'yellow'], ['38:2::10:200:220', 'cyan'], ['38:2:200:20:190', 'magenta'],
])('the colour %s is shown as %s', (codes, color) => {
  expect(ansi(`\u001b[${codes}mx`)).toEqual([{ text: 'x', className: `ansi-${color}` }]);
});

test('the parts of a long colour are not read as codes of their own', () => {
  expect(ansi('\u001b[48;5;31mx\u001b[48;2;1;31;4my')).toEqual([{ text: 'x' }, { text: 'y' }]);
});

test.each([
  ['a link', '\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007', 'click'],
  ['a title ended by ST', '\u001b]0;title\u001b\\text', 'text'],
  ['an OSC that never ends', 'text\u001b]52;c;cm0gLXJm', 'text'],
  ['an OSC of eight bits', '\u009d8;;x\u009ctext', 'text'],
  ['a device control string', '\u001bPq#0\u001b\\text', 'text'],
  ['cursor moves and clearing', '\u001b[2J\u001b[1;1H\u001b[?25ltext\u001b[K', 'text'],
  ['a CSI of eight bits', '\u009b2Jtext', 'text'],
  ['a CSI that never ends', 'text\u001b[31', 'text'],
  ['a charset and a reset', '\u001b(B\u001bctext', 'text'],
  ['control characters', 'a\u0000b\bc\rd\u007fe\u0085f', 'abcdef'],
  ['an escape at the end', 'text\u001b', 'text'],
])('%s is dropped', (_, written, shown) => {
  expect(plain(written)).toBe(shown);
  expect(ansi(written).map((p) => p.text).join('')).toBe(shown);
});

test('tabs, newlines and markup stay text', () => {
  expect(ansi('<b>\t&amp;\n</b>')).toEqual([{ text: '<b>\t&amp;\n</b>' }]);
});
