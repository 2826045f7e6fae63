/** Server-sent events read with fetch, which can send the header of a tenant. */
export interface StreamEvent { name: string; data: string; id: string | undefined }

function parseOne(block: string): StreamEvent {
  const event: StreamEvent = { name: '', data: '', id: undefined };
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event.name = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id') event.id = value;
  }
  event.data = data.join('\n');
  return event;
}

/** The whole events of a text, and the rest that has not ended. A comment is an event without a name: a sign of life. */
export function parseEvents(text: string): { events: StreamEvent[]; rest: string } {
  const blocks = text.replace(/\r\n?/g, (ends, at: number) => (ends === '\r' && at === text.length - 1 ? '\r' : '\n')).split('\n\n');
  const rest = blocks.pop() ?? '';
  return { events: blocks.filter(Boolean).map(parseOne), rest };
}

/** Events as they arrive. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parsed = parseEvents(text + decoder.decode(value, { stream: true }));
    text = parsed.rest;
    yield* parsed.events;
  }
}
