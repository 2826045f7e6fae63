/** A job as a command to copy: for a shell, and for Python. */
import { at, isMembers, type Json, type Members, Num, write } from './json';

export interface Asked {
  /** The address of the server, with the path it is served under. */
  server: string;
  /** The tenant that a super admin acts for. */
  tenant?: string;
  /** The body of the request. */
  body: Members;
  /** Whether the Python function takes the values of the payload as they are. */
  isPlain?: boolean;
  /** The job that runs again, and its tenant. */
  again?: { id: string; tenant: string };
}

/** One word of a shell, whatever is in it. */
export const quote = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** A line that is too long is broken between its parts. */
const lines = (parts: string[]): string => {
  const flat = parts.join(' ');
  return flat.length <= 64 && !flat.includes('\n') ? flat : parts.join(' \\\n  ');
};

export function curl({ server, tenant, body, again }: Asked): string {
  const path = again ? `/api/v1/jobs/${encodeURIComponent(again.id)}/run-again` : '/api/v1/jobs';
  return lines([
    `curl -sS ${quote(server + path)}`,
    '-H "Authorization: Bearer $JOBPLANE_KEY"',
    ...(tenant ? [`-H ${quote(`X-Jobplane-Tenant: ${tenant}`)}`] : []),
    ...(again && !body.size ? ['-X POST'] : ["-H 'Content-Type: application/json'", `-d ${quote(write(body))}`]),
  ]);
}

const isJson = (text: string): boolean => { try { JSON.parse(text); return true; } catch { return false; } };

/** Control characters, and halves of a character: no terminal takes them. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** `--set` reads a value as JSON where it is JSON, else as text: so text that looks like JSON, or has a line break, is written as JSON. */
const setting = (name: string, value: Json): string =>
  `${name}=${typeof value === 'string' && !isJson(value) && !UNPRINTABLE.test(value) ? value : write(value)}`;

const FLAGS: [string, string][] = [['scheduled_for', '--at'], ['priority', '--priority'], ['queue', '--queue'], ['dedupe_key', '--dedupe-key'], ['max_attempts', '--max-attempts']];
const scalar = (value: Json): string => (typeof value === 'string' ? value : write(value));
const MOST_SETTINGS = 8;

/** Options whose value may begin with a dash are written with an equals sign. */
const flag = (name: string, value: string): string => (value.startsWith('-') ? quote(`${name}=${value}`) : `${name} ${quote(value)}`);

export function cli({ tenant, body }: Asked): string {
  const payload = at(body, 'payload');
  const members = isMembers(payload) ? [...payload] : [];
  const isFlat = members.length <= MOST_SETTINGS && members.every(([name, value]) => name !== '' && !name.includes('=') && !UNPRINTABLE.test(name) && write(value).length <= 200);
  const key = scalar(at(body, 'definition_key') ?? '');
  const tags = at(body, 'tags');
  const parts = [
    `jobplane run ${quote(key)}`,
    ...(tenant ? [flag('--tenant', tenant)] : []),
    ...(isFlat ? members.map(([name, value]) => flag('--set', setting(name, value))) : ['--payload -']),
    ...FLAGS.flatMap(([name, word]) => (body.has(name) ? [flag(word, scalar(body.get(name)!))] : [])),
    ...(Array.isArray(tags) ? tags.map((tag) => flag('--tag', scalar(tag))) : []),
  ];
  return isFlat ? lines(parts) : `${lines(parts)} <<'JSON'\n${write(payload!, 2)}\nJSON`;
}

const KEYWORDS = new Set('False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(' '));
const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text) && !KEYWORDS.has(text);

/** A value as Python writes it. The escapes of a JSON string mean the same there. */
export function literal(value: Json, margin = ''): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string' || value instanceof Num) return write(value);
  const parts = Array.isArray(value) ? value.map((item) => literal(item, `${margin}    `)) : isMembers(value) ? [...value].map(([name, item]) => `${JSON.stringify(name)}: ${literal(item, `${margin}    `)}`) : ['...'];
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return inside(open!, parts, close!, margin);
}

function inside(open: string, parts: string[], close: string, margin: string): string {
  const flat = open + parts.join(', ') + close;
  if (flat.length + margin.length <= 76 && !flat.includes('\n')) return flat;
  return `${open}\n${parts.map((part) => `${margin}    ${part},\n`).join('')}${margin}${close}`;
}

function keywords(members: Iterable<[string, Json]>, margin = ''): string[] {
  const all = [...members];
  const plain = all.filter(([name]) => isName(name)).map(([name, value]) => `${name}=${literal(value, `${margin}    `)}`);
  const rest = all.filter(([name]) => !isName(name));
  return rest.length ? [...plain, `**${literal(new Map(rest), `${margin}    `)}`] : plain;
}

const OPTIONS = ['priority', 'queue', 'dedupe_key', 'tags', 'max_attempts'];

function options(body: Members, tenant: string | undefined): string[] {
  const at_ = body.get('scheduled_for');
  return [
    ...(tenant ? keywords([['tenant', tenant]]) : []),
    ...(typeof at_ === 'string' ? [`scheduled_for=datetime.fromisoformat(${JSON.stringify(at_.replace(/Z$/, '+00:00'))})`] : []),
    ...keywords(OPTIONS.filter((name) => body.has(name)).map((name) => [name, body.get(name)!])),
  ];
}

export function python({ tenant, body, isPlain, again }: Asked): string {
  const payload = at(body, 'payload');
  if (again) {
    const given = [`UUID(${JSON.stringify(again.id)})`, ...(payload === undefined ? [] : [`payload=${literal(payload, '    ')}`]), `tenant=${JSON.stringify(tenant ?? again.tenant)}`];
    return `from uuid import UUID\n\n${inside('jp.run_again(', given, ')', '')}`;
  }
  const key = scalar(at(body, 'definition_key') ?? '');
  const name = key.replaceAll('-', '_');
  const given = options(body, tenant);
  const members = isMembers(payload) ? payload : new Map<string, Json>();
  const head = body.has('scheduled_for') ? 'from datetime import datetime\n\n' : '';
  if (!isPlain || !isName(name)) return head + inside('jp.enqueue(', [JSON.stringify(key), literal(members, '    '), ...given], ')', '');
  return `${head}${name}${given.length ? inside('.options(', given, ')', '') : ''}${inside('.enqueue(', keywords(members), ')', '')}`;
}
