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

test('keeps the latest entries, and gives those after a number', () => {
  const { journal, kept } = setup({ entries: 200 });
  for (let count = 0; count < 1000; count++) journal.add('warning', { message: 'w' });
  expect(kept()).toEqual(from(801, 1000));
  expect(kept(990)).toEqual(from(991, 1000));
  expect(kept(5)).toEqual(from(801, 1000));
  expect(kept(1000)).toEqual([]);
  expect(journal.latest?.seq).toBe(1000);
});

test('what nobody authenticated pushes out nothing but its like, and stands in order between the rest', () => {
  const { journal, kept } = setup({ unauthenticatedEntries: 3 });
  journal.add('payment.concluded', { result: 'success', why: 'approved' });
  for (let count = 0; count < 20_000; count++)
    journal.add('http.hungUp', request, { unauthenticated: count !== 19_998 });
  expect(kept()).toEqual([1, 19_998, 19_999, 20_000, 20_001]);
  expect(kept(19_998)).toEqual([19_999, 20_000, 20_001]);
  expect(journal.latest?.seq).toBe(20_001);
});

test('keeps no body of what nobody authenticated, whether as data or as text', () => {
  const { journal } = setup();
  const about = { unauthenticated: true };
  journal.add('http.received', { ...request, body: { some: 'thing' } }, about);
  journal.add('http.received', request, about, { text: '{"some":"thing"}' });
  expect(journal.since().map(({ data }) => data)).toEqual([request, request]);
});

test('is bounded in bytes, bodies included (B125)', () => {
  const { journal } = setup({ bytes: 1_000_000 });
  for (let count = 0; count < 100; count++)
    journal.add('http.received', request, {}, { text: JSON.stringify('ü'.repeat(20_000)) });
  const entries = journal.since();
  expect(entries.length).toBeGreaterThan(20);
  expect(entries.length).toBeLessThan(25);
  expect(entries.at(-1)?.seq).toBe(100);
});

test('is bounded in bytes also where they are no text', () => {
  const { journal } = setup({ bytes: 1_000_000 });
  for (let count = 0; count < 100; count++)
    journal.add('request.unknownField', { requestId: 'r', paths: Array(1000).fill('a.name.of.a.field') });
  expect(journal.since().length).toBeLessThan(60);
});

test('keeps the last entry whatever the limit', () => {
  const { journal, kept } = setup({ bytes: 10 });
  for (let count = 0; count < 3; count++) journal.add('warning', { message: 'longer than ten bytes' });
  expect(kept()).toEqual([3]);
});

test('keeps a body of 100 kB whole', () => {
  const { journal } = setup();
  journal.add('http.received', request, {}, { text: JSON.stringify('x'.repeat(99_998)) });
  expect(bodyOf(journal.latest)).toBe('x'.repeat(99_998));
});

test('cuts a longer body and says so, not in the middle of a character or of digits (B125)', () => {
  const { journal } = setup();
  const text = `${'x'.repeat(99_988)} 4111 1111 1111 1111 ${'ü'.repeat(9)}`;
  journal.add('message.received', { link: 'l', message: 'm' }, {}, { text });
  expect(bodyOf(journal.latest)).toBe(`${'x'.repeat(99_988)}… (cut: 100027 bytes in all)`);
  journal.add('message.received', { link: 'l', message: 'm' }, {}, { text: `x${'ü'.repeat(60_000)}` });
  expect(bodyOf(journal.latest)).toBe(`x${'ü'.repeat(49_999)}… (cut: 120001 bytes in all)`);
});

test('cuts what another process sends, however it is shaped', () => {
  const { journal } = setup();
  const adopt = (data: object) =>
    journal.adopt({ seq: 0, at: 0, kind: 'warning', data } as unknown as JournalEntry);
  adopt({ message: 'm'.repeat(150_000), link: 'l' });
  adopt(Object.fromEntries(from(1, 60_000).map((name) => [`f${name}`, 1])));
  adopt({ ['n'.repeat(300_000)]: 1 });
  adopt({ deep: JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) });
  const [long, wide, named, deep] = journal.since().map(({ data }) => JSON.stringify(data));
  expect(long).toMatch(/"m{100000}… \(cut: 150000 bytes in all\)","link":"l"/);
  expect(wide?.length).toBeLessThan(200_000);
  expect(named).toBe('{}');
  expect(deep).toMatch(/^\{"deep":"[[\]]*… \(cut: \d+ bytes in all\)"\}$/);
});
