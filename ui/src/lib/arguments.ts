/** A JSON Schema in words, for reading. */
export interface Argument { name: string; type: string; isRequired: boolean; says: string }

interface Node { type?: string | string[]; format?: string; enum?: unknown[]; const?: unknown; items?: Node; anyOf?: Node[]; oneOf?: Node[]; $ref?: string; writeOnly?: boolean; title?: string; description?: string; default?: unknown; minimum?: number; maximum?: number; properties?: Record<string, Node>; required?: string[]; additionalProperties?: unknown }

function typeOf(node: Node): string {
  if (node.enum) return node.enum.map((v) => JSON.stringify(v)).join(' or ');
  if ('const' in node) return JSON.stringify(node.const);
  const either = node.anyOf ?? node.oneOf;
  if (either) return either.map(typeOf).join(' or ');
  if (node.$ref) return node.$ref.split('/').at(-1)!;
  if (node.type === 'array') return node.items ? `list of ${typeOf(node.items)}` : 'list';
  if (node.writeOnly === true || node.format === 'password') return 'secret, by reference';
  const type = Array.isArray(node.type) ? node.type.join(' or ') : node.type ?? 'anything';
  const range = [node.minimum === undefined ? '' : `≥ ${node.minimum}`, node.maximum === undefined ? '' : `≤ ${node.maximum}`].filter(Boolean).join(', ');
  return [node.format ?? type, range].filter(Boolean).join(' ');
}

/** The arguments of a definition by name; null where the schema is not an object's. */
export function argumentsOf(schema: unknown): { list: Argument[]; isOpen: boolean } | null {
  if (typeof schema !== 'object' || schema === null) return null;
  const node = schema as Node;
  if (node.type !== 'object' || Object.keys(node).some((k) => ['anyOf', 'oneOf', 'allOf', 'patternProperties', 'if'].includes(k))) return null;
  const list = Object.entries(node.properties ?? {}).map(([name, of]) => ({
    name, type: typeOf(of), isRequired: node.required?.includes(name) ?? false,
    says: [of.description ?? '', of.default === undefined ? '' : `default ${JSON.stringify(of.default)}`].filter(Boolean).join('; '),
  }));
  return { list, isOpen: node.additionalProperties !== false };
}
