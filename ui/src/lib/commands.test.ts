import { execFileSync } from 'node:child_process';
import { describe as about, expect, test } from 'vitest';
import { type Asked, cli, curl, literal, python, quote } from './commands';
import { type Json, type Members, parse, write } from './json';

const HOSTILE = ["it's", '$(touch /tmp/x)', '`id`', '!!', '"; rm -rf /', 'a\\', '-rf', '', ' ', 'a\nb', "'''", '*', '~', '#', '\\n', '{"a": 1}', '5', 'null', 'NaN', 'é ✓ 𝄞', 'a=b', '%s', '--', 'JSON', '\tx'];
/** What a real shell makes of a command: its words. */
const words = (command: string): string[] => execFileSync('/bin/sh', ['-c', `set -- ${command}\nfor w in "$@"; do printf '%s\\0' "$w"; done`], { encoding: 'utf8', env: { JOBPLANE_KEY: 'jp_key' } }).split('\0').slice(0, -1);
const asked = (payload: Json, more: Partial<Asked> = {}, options: [string, Json][] = []): Asked => ({ server: 'https://jobs.example.com/x', isPlain: true, body: new Map([['definition_key', 'send-report'], ['payload', payload], ...options] as [string, Json][]), ...more });
const hostilePayload = (): Members => new Map(HOSTILE.map((text, n) => [`n${n}`, text]));

test.each(HOSTILE)('a shell reads %j as one word', (text) => expect(words(quote(text))).toEqual([text]));
test('plain words stay plain', () => expect(['send-report', 'a.b/c:1', 'x y'].map(quote)).toEqual(['send-report', 'a.b/c:1', "'x y'"]));

about('curl', () => {
  test('the body that arrives is the body', () => {
    const given = asked(hostilePayload(), { tenant: 'acme' });
    const found = words(curl(given));
    expect(found.slice(0, 7)).toEqual(['curl', '-sS', 'https://jobs.example.com/x/api/v1/jobs', '-H', 'Authorization: Bearer jp_key', '-H', 'X-Jobplane-Tenant: acme']);
    expect(found.at(-2)).toBe('-d');
    expect(JSON.parse(found.at(-1)!)).toEqual(JSON.parse(write(given.body)));
  });
  test('a tenant that is one own is not named', () => expect(curl(asked(new Map()))).not.toContain('X-Jobplane-Tenant'));
  test('a job again, with its payload or another', () => {
    const again = { id: 'abc', tenant: 'acme' };
    expect(words(curl({ server: 'http://h', body: new Map(), again }))).toEqual(['curl', '-sS', 'http://h/api/v1/jobs/abc/run-again', '-H', 'Authorization: Bearer jp_key', '-X', 'POST']);
    expect(words(curl({ server: 'http://h', body: new Map([['payload', parse('{"n": 12345678901234567890}')]]), again })).at(-1)).toBe('{"payload": {"n": 12345678901234567890}}');
  });
});

/** `--set` as the command line reads it: JSON where it is JSON, else text. */
function settings(found: string[]): Record<string, unknown> {
  return Object.fromEntries(found.flatMap((word, n) => (word === '--set' ? [found[n + 1]!] : word.startsWith('--set=') ? [word.slice(6)] : [])).map((text) => {
    const [, name, value] = /^([^=]+)=([^]*)$/.exec(text)!;
    try { return [name, JSON.parse(value!)]; } catch { return [name, value]; }
  }));
}

about('the command line', () => {
  test.each(HOSTILE)('--set gives %j back', (text) => {
    const found = words(cli(asked(new Map([['x', text]]), { tenant: 'acme' })));
    expect(found.slice(0, 5)).toEqual(['jobplane', 'run', 'send-report', '--tenant', 'acme']);
    expect(settings(found)).toEqual({ x: text });
  });
  test('values that are not text', () => {
    expect(cli(asked(parse('{"a": 1.0, "b": null, "c": [1]}')))).toBe("jobplane run send-report --set a=1.0 --set b=null --set 'c=[1]'");
  });
  test('a payload that --set cannot say goes to stdin', () => {
    for (const text of ['{"a=b": 1}', '{"": 1}', `{${Array.from({ length: 9 }, (_, n) => `"n${n}": 1`)}}`]) {
      expect(cli(asked(parse(text)))).toBe(`jobplane run send-report --payload - <<'JSON'\n${write(parse(text), 2)}\nJSON`);
    }
  });
  test('stdin is what was meant', () => {
    const payload = hostilePayload();
    const got = execFileSync('/bin/sh', ['-c', cli(asked(payload)).replace(/^.* <<'JSON'/, "cat <<'JSON'")], { encoding: 'utf8' });
    expect(JSON.parse(got)).toEqual(Object.fromEntries(payload));
  });
  test('options', () => {
    const options: [string, Json][] = [['scheduled_for', '2026-01-01T00:00:00.000Z'], ['priority', parse('7')], ['queue', 'mail'], ['dedupe_key', "-it's"], ['tags', ['a', 'b c']], ['max_attempts', parse('2')]];
    expect(words(cli(asked(new Map(), {}, options))).slice(3)).toEqual(['--at', '2026-01-01T00:00:00.000Z', '--priority', '7', '--queue', 'mail', "--dedupe-key=-it's", '--max-attempts', '2', '--tag', 'a', '--tag', 'b c']);
  });
});

about('Python', () => {
  test('the function of the definition is called', () => {
    expect(python(asked(parse('{"day": 3, "to": "it\'s", "deep": {"a": [true, null]}}')))).toBe('send_report.enqueue(day=3, to="it\'s", deep={"a": [True, None]})');
  });
  test('names that Python does not take', () => {
    expect(python(asked(parse('{"class": 1, "a-b": 2, "ok": 3}')))).toBe('send_report.enqueue(ok=3, **{"class": 1, "a-b": 2})');
  });
  test('options and the tenant', () => {
    expect(python(asked(new Map(), { tenant: 'acme' }, [['scheduled_for', '2026-01-01T00:00:00.000Z'], ['priority', parse('7')]]))).toBe(
      'from datetime import datetime\n\nsend_report.options(\n    tenant="acme",\n    scheduled_for=datetime.fromisoformat("2026-01-01T00:00:00.000+00:00"),\n    priority=7,\n).enqueue()');
  });
  test('a key that is no name is enqueued by its key', () => {
    const body = new Map<string, Json>([['definition_key', 'mail.send'], ['payload', parse('{"n": 1}')], ['priority', parse('7')]]);
    expect(python({ server: '', isPlain: true, body })).toBe('jp.enqueue("mail.send", {"n": 1}, priority=7)');
  });
  test('a payload with values that Python would have to make first goes by the key', () => {
    expect(python(asked(parse('{"order": "01a1ed40"}'), { isPlain: false }))).toBe('jp.enqueue("send-report", {"order": "01a1ed40"})');
  });
  test('a job again', () => {
    expect(python({ server: '', body: new Map(), again: { id: 'abc', tenant: 'acme' } })).toBe('from uuid import UUID\n\njp.run_again(UUID("abc"), tenant="acme")');
  });
  test('Python reads the same values', () => {
    const value = parse(JSON.stringify({ all: [...HOSTILE, '\u2028', '\u007f'], deep: [[{ a: [1, 2.5, -3, true, false, null] }]], n: 1e21 }));
    const read = execFileSync('python3', ['-c', 'import ast, json, sys; print(json.dumps(ast.literal_eval(sys.stdin.read())))'], { encoding: 'utf8', input: literal(value) });
    expect(JSON.parse(read)).toEqual(JSON.parse(write(value)));
  });
});
