import { expect, test } from 'vitest';
import { Journal, type JournalEntry, type JournalLimits } from './journal.ts';
import { VirtualClock } from './virtual-clock.ts';

function setup(limits: Partial<JournalLimits> = {}) {
  const journal = new Journal(new VirtualClock({ startMs: 0 }), limits);
  const kept = (after?: number) => journal.since(after).map(({ seq }) => seq);
  return { journal, kept };
}

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
const request = { method: 'GET', path: '/', requestId: 'r' };
const bodyOf = (entry: JournalEntry | undefined) => (entry?.data as { body?: unknown } | undefined)?.body;

test('the journal keeps the latest entries, and gives those after a number', () => {
  const { journal, kept } = setup({ entries: 200 });
  for (let count = 0; count < 1000; count++) journal.add('warning', { message: 'w' });
  expect(kept()).toEqual(from(801, 1000));
  expect(kept(990)).toEqual(from(991, 1000));
  expect(kept(5)).toEqual(from(801, 1000));
  expect(kept(1000)).toEqual([]);
  expect(journal.latest?.seq).toBe(1000);
});

test('unauthenticated entries push out only each other, and are returned in order among the rest', () => {
  const { journal, kept } = setup({ unauthenticatedEntries: 3 });
  journal.add('payment.concluded', { result: 'success', why: 'approved' });
  for (let count = 0; count < 20_000; count++)
    journal.add('http.hungUp', request, { unauthenticated: count !== 19_998 });
  expect(kept()).toEqual([1, 19_998, 19_999, 20_000, 20_001]);
  expect(kept(19_998)).toEqual([19_999, 20_000, 20_001]);
  expect(journal.latest?.seq).toBe(20_001);
});

test('the journal keeps no body of unauthenticated requests, neither as data nor as text', () => {
  const { journal } = setup();
  const about = { unauthenticated: true };
  journal.add('http.received', { ...request, body: { some: 'thing' } }, about);
  journal.add('http.received', request, about, { text: '{"some":"thing"}' });
  expect(journal.since().map(({ data }) => data)).toEqual([request, request]);
});

test('the journal is limited in bytes, bodies included (B125)', () => {
  const { journal } = setup({ bytes: 1_000_000 });
  for (let count = 0; count < 100; count++)
    journal.add('http.received', request, {}, { text: JSON.stringify('ü'.repeat(20_000)) });
  const entries = journal.since();
  expect(entries.length).toBeGreaterThan(20);
  expect(entries.length).toBeLessThan(25);
  expect(entries.at(-1)?.seq).toBe(100);
});

test('the journal returns each body as it came, even much later and among others of any length', () => {
  const { journal } = setup();
  const bodies = Array.from({ length: 300 }, (_, index) => `${index} €ü${'x😀'.repeat(index * 7)}`);
  for (const body of bodies) journal.add('http.received', request, {}, { text: JSON.stringify(body) });
  expect(journal.since().map(bodyOf)).toEqual(bodies);
});

test('the journal counts a body with the size that the caller gives', () => {
  const { journal } = setup({ bytes: 1_000_000 });
  for (let count = 0; count < 100; count++)
    journal.add('http.received', request, {}, { text: '{}', bytes: 90_000 });
  expect(journal.since()).toHaveLength(11);
});

test('the journal is limited in bytes even if bodies are not text', () => {
  const { journal } = setup({ bytes: 1_000_000 });
  for (let count = 0; count < 100; count++)
    journal.add('request.unknownField', { requestId: 'r', paths: Array(1000).fill('a.name.of.a.field') });
  expect(journal.since().length).toBeLessThan(60);
});

test('the journal keeps the last entry whatever the limit is', () => {
  const { journal, kept } = setup({ bytes: 10 });
  for (let count = 0; count < 3; count++) journal.add('warning', { message: 'longer than ten bytes' });
  expect(kept()).toEqual([3]);
});

test('the journal keeps a body of 100 kB completely', () => {
  const { journal } = setup();
  journal.add('http.received', request, {}, { text: JSON.stringify('x'.repeat(99_998)) });
  expect(bodyOf(journal.latest)).toBe('x'.repeat(99_998));
});

test('the journal shortens a longer body and says so, without cutting a character or a run of digits (B125)', () => {
  const { journal } = setup();
  const text = `${'x'.repeat(99_988)} 4111 1111 1111 1111 ${'ü'.repeat(9)}`;
  journal.add('message.received', { link: 'l', message: 'm' }, {}, { text });
  expect(bodyOf(journal.latest)).toBe(`${'x'.repeat(99_988)}… (cut: 100027 bytes in all)`);
  const encoded = `${'x'.repeat(99_970)}=4111%C2%A01111%c2%a01111%E2%80%931111`;
  journal.add('message.received', { link: 'l', message: 'm' }, {}, { text: encoded });
  expect(bodyOf(journal.latest)).toBe(`${'x'.repeat(99_970)}… (cut: 100008 bytes in all)`);
  journal.add('message.received', { link: 'l', message: 'm' }, {}, { text: `x${'ü'.repeat(60_000)}` });
  expect(bodyOf(journal.latest)).toBe(`x${'ü'.repeat(49_999)}… (cut: 120001 bytes in all)`);
});

test('the journal shortens entries of another process, whatever their shape', () => {
  const { journal } = setup();
  const adopt = (data: object) => journal.adopt({ at: 0, kind: 'warning' }, JSON.stringify(data));
  adopt({ message: 'm'.repeat(150_000), link: 'l' });
  adopt(Object.fromEntries(from(1, 60_000).map((name) => [`f${name}`, 1])));
  adopt({ ['n'.repeat(300_000)]: 1 });
  journal.adopt({ at: 0, kind: 'warning' }, `{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
  const [long, wide, named, deep] = journal.since().map(({ data }) => JSON.stringify(data));
  expect(long).toMatch(/"m{100000}… \(cut: 150000 bytes in all\)","link":"l"/);
  expect(wide?.length).toBeLessThan(200_000);
  expect(named).toBe('{}');
  expect(deep).toMatch(/^\{"deep":"[[\]]*… \(cut: \d+ bytes in all\)"\}$/);
});

test('an entry of another process is parsed when it is first read, and masked', () => {
  const { journal } = setup();
  journal.adopt({ at: 5, kind: 'warning', terminal: 't' }, '{"message":"of 4111111111111111"}');
  expect(JSON.parse(JSON.stringify(journal.latest))).toEqual({
    seq: 1,
    at: 5,
    kind: 'warning',
    terminal: 't',
    data: { message: 'of 411111 **** 1111' },
  });
});

test.each(['', '{', 'null', '"text"'])(
  'invalid data of another process, such as %o, are read as empty',
  (text) => {
    const { journal } = setup();
    journal.adopt({ at: 0, kind: 'warning' }, text);
    expect(journal.latest?.data).toEqual({});
  },
);

test('the data of an entry is computed once, when it is first read, and its body each time', () => {
  const { journal } = setup();
  const read: string[] = [];
  const draw = ({ state }: { state: string }) => {
    read.push(state);
    return { state, title: '4111111111111111' };
  };
  journal.addDrawn('terminal.screen', { state: 'idle' }, draw, { payment: 'p' });
  const readBody = (text: string) => {
    read.push(text);
    return { of: text };
  };
  journal.add('message.sent', { link: 'l', message: 'm' }, {}, { text: '4111111111111111', read: readBody });
  expect(read).toEqual([]);
  const [screen, message] = journal.since();
  expect(screen).toMatchObject({ kind: 'terminal.screen', payment: 'p' });
  for (const _time of [1, 2]) {
    expect(screen?.data).toEqual({ state: 'idle', title: '411111 **** 1111' });
    expect(bodyOf(message)).toEqual({ of: '411111 **** 1111' });
  }
  expect(read).toEqual(['idle', '4111111111111111', '4111111111111111']);
});

test('masking an entry does not change the object that it was given', () => {
  const { journal } = setup();
  const given = { message: '4111111111111111' };
  journal.add('warning', given);
  expect(journal.latest?.data).toEqual({ message: '411111 **** 1111' });
  expect(given).toEqual({ message: '4111111111111111' });
});
