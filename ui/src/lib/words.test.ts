import { expect, test } from 'vitest';
import { marked, wordsOf } from './words';

const found = (text: string, query: string) => marked(text, query).map((p) => (p.isFound ? `[${p.text}]` : p.text)).join('');

test('words are letters and digits', () => expect(wordsOf(' Invalid_grant: 42, æøå ')).toEqual(['invalid', 'grant', '42', 'æøå']));
test.each([
  ['the mail server', 'mail', 'the [mail] server'],
  ['Connection Error', 'conn err', '[Conn]ection [Err]or'],
  ['email mailer', 'mail', 'email [mail]er'],
  ['{"error": "invalid_grant"}', 'invalid_grant', '{"error": "[invalid_grant]"}'],
  ['grant of an invalid one', 'invalid_grant', '[grant] of an [invalid] one'],
  ['a.b (c)', 'a.b (c)', '[a.b (c)]'],
  ['.* axb', '.*', '.* axb'],
  ['Ærlig ærlig', 'ær', '[Ær]lig [ær]lig'],
  ['nothing', 'x', 'nothing'],
])('in %j, %j marks %j', (text, query, expected) => expect(found(text, query)).toBe(expected));
