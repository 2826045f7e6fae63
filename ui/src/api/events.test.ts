import { expect, test } from 'vitest';
import { parseEvents, readEvents } from './events';

test('an event has its name, data and id; a comment is a sign of life', () => {
  expect(parseEvents(': alive\n\nid: 1.2\nevent: line\ndata: {"a":1}\n\nevent: end\ndata: {}\n\n')).toEqual({
    events: [{ name: '', data: '', id: undefined }, { name: 'line', data: '{"a":1}', id: '1.2' }, { name: 'end', data: '{}', id: undefined }],
    rest: '',
  });
});

test('what has not ended is the rest', () => {
  expect(parseEvents('event: a\ndata: 1\n\nevent: b\nda')).toEqual({ events: [{ name: 'a', data: '1', id: undefined }], rest: 'event: b\nda' });
});

test('data of several lines, a colon without a space, and every kind of line end', () => {
  expect(parseEvents('event:a\r\ndata:1\r\ndata:  2\r\n\r\n').events).toEqual([{ name: 'a', data: '1\n 2', id: undefined }]);
  expect(parseEvents('event: a\rdata: 1\r\r').rest).toBe('event: a\ndata: 1\n\r'); // the other half of a line end may follow
});

test('events are the same however the bytes are cut', async () => {
  const bytes = new TextEncoder().encode('id: 1.1\r\nevent: line\r\ndata: "grün → rot"\r\n\r\n: alive\n\nevent: end\ndata: {}\n\nevent: cut');
  for (let size = 1; size <= bytes.length; size++) {
    const body = new ReadableStream<Uint8Array>({
      start(control) { for (let at = 0; at < bytes.length; at += size) control.enqueue(bytes.slice(at, at + size)); control.close(); },
    });
    const found = [];
    for await (const { name, data, id } of readEvents(body)) found.push([name, data, id]);
    expect(found).toEqual([['line', '"grün → rot"', '1.1'], ['', '', undefined], ['end', '{}', undefined]]);
  }
});
