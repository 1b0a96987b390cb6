import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { Journal, type JournalEntry } from '../../shared/journal.ts';
import type { JournalCursor } from '../../shared/journal-cursor.ts';
import { createGateway } from '../index.ts';
import { JournalWatchers, type WatchFilter } from './journal-watchers.ts';

const all: WatchFilter = { name: 'all', has: () => true };
const warnings: WatchFilter = { name: 'warnings', has: ({ kind }: JournalEntry) => kind === 'warning' };
const turnsEnd = () => new Promise((resolve) => setImmediate(resolve));

function watched() {
  const journal = new Journal(systemClock);
  const watchers = new JournalWatchers(journal);
  /** Adds a watcher. Gives the text that the watcher receives, and a function that stops the watcher. */
  const watch = (wanted = all) => {
    const writes: string[] = [];
    const write = (chunk: string | Uint8Array) => writes.push(Buffer.from(chunk).toString()) > 0;
    const cursor = journal.from() as JournalCursor<JournalEntry>;
    const stop = watchers.watch(cursor, wanted, { write, drained: async () => {} });
    const seqs = () => Array.from(writes.join('').matchAll(/^id: (\d+)$/gm), ([, seq]) => Number(seq));
    return { writes, seqs, stop };
  };
  let drawn = 0;
  const draw = (given: { message: string }) => {
    drawn++;
    return given;
  };
  /** Adds an entry whose data are made when they are needed, and counts how often they are made. */
  const note = (message: string) => journal.addDrawn('warning', { message }, draw);
  return { journal, watch, note, drawn: () => drawn };
}

test('the entries of a turn are sent in one write, each serialised and masked once for all watchers (B126)', async () => {
  const { watch, note, drawn } = watched();
  const [one, other, third] = [watch(), watch(), watch(warnings)];
  note('card 4111111111111111');
  note('and then');
  await turnsEnd();
  expect(drawn()).toBe(2);
  expect(one.seqs()).toEqual([1, 2]);
  expect(one.writes).toHaveLength(1);
  expect(one.writes[0]).toContain('"message":"card 411111 **** 1111"');
  expect(other.writes).toEqual(one.writes);
  expect(third.writes).toEqual(one.writes);
});

test('an entry that no watcher wants is not serialised', async () => {
  const { journal, watch, note, drawn } = watched();
  const one = watch({ name: 'changes', has: ({ kind }) => kind === 'control.changed' });
  note('unwanted');
  journal.add('control.changed', { what: 'wanted' });
  await turnsEnd();
  expect(one.seqs()).toEqual([2]);
  expect(drawn()).toBe(0);
});

test('a watcher that begins or stops in the middle of a turn gets its own entries, and shares those after it', async () => {
  const { watch, note, drawn } = watched();
  const one = watch();
  note('first');
  const late = watch();
  note('second');
  const gone = watch();
  note('third');
  gone.stop();
  note('fourth');
  await turnsEnd();
  note('fifth');
  await turnsEnd();
  expect(one.seqs()).toEqual([1, 2, 3, 4, 5]);
  expect(late.seqs()).toEqual([2, 3, 4, 5]);
  expect(gone.seqs()).toEqual([3]);
  expect(one.writes.at(-1)).toBe(late.writes.at(-1));
  expect(drawn()).toBe(5);
});

test('a long text is sent in pieces, so that a client that does not read can be cut off between them', async () => {
  const { watch, note } = watched();
  const one = watch();
  for (let count = 0; count < 40; count++) note('x'.repeat(10_000));
  await turnsEnd();
  expect(one.seqs()).toHaveLength(40);
  expect(one.writes.length).toBeGreaterThan(4);
  for (const piece of one.writes) expect(piece.length).toBeLessThan(80_000);
});

async function openStream(at: { url: string; controlToken: string }) {
  const { hostname, port } = new URL(at.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const seqs: number[] = [];
  socket.on('error', () => {});
  const begun = new Promise<void>((resolve) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes(': the journal')) resolve();
      for (const [, seq] of text.matchAll(/^id: (\d+)\n/gm)) seqs.push(Number(seq));
      text = text.slice(text.lastIndexOf('\n') + 1);
    });
  });
  socket.write(
    `GET /control/journal/stream?kind=warning HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${at.controlToken}\r\n\r\n`,
  );
  await begun;
  return { socket, closed, seqs };
}

test('a watcher that does not read is cut off, and the others get every entry', async () => {
  const runtime = createRuntime();
  const gateway = await createGateway({}, runtime);
  onTestFinished(() => gateway.close());
  const reader = await openStream(gateway);
  const other = await openStream(gateway);
  other.socket.pause();
  const noted: number[] = [];
  // The system's buffers and a watcher's queue can together hold only half of these entries.
  while (noted.length < 500) {
    runtime.journal.add('warning', { message: 'x'.repeat(50_000) });
    noted.push(runtime.journal.latest?.seq ?? 0);
    while (reader.seqs.length < noted.length) await turnsEnd();
  }
  expect(reader.seqs).toEqual(noted);
  other.socket.resume();
  await other.closed;
  expect(other.seqs.length).toBeLessThan(noted.length);
});

test('entries from just before a gateway stops still reach the watchers', async () => {
  const runtime = createRuntime();
  const gateway = await createGateway({}, runtime);
  const reader = await openStream(gateway);
  runtime.journal.add('warning', { message: 'the last' });
  const { seq } = runtime.journal.latest as JournalEntry;
  await gateway.close();
  await reader.closed;
  expect(reader.seqs).toEqual([seq]);
});
