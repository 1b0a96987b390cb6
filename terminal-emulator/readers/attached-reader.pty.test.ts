import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { Journal } from '../../shared/journal.ts';
import { makeSeededRandom } from '../../shared/random.ts';
import { isThoroughRun, sampleCases } from '../../test/draws.ts';
import { testWith } from '../../test/optional-programs.ts';
import { AttachedReader } from './attached-reader.ts';
import { openPtyLine } from './emulators/pty-line.ts';
import type { ByteTransport, ReaderEvent } from './reader-driver.ts';
import { type HarnessReader, harnessReaders, makeTemporaryFolder } from './reader-harness.fixture.ts';
import { parseReaderSpec } from './reader-spec.ts';

/**
 * Wraps a line so that the line breaks as soon as `budget` bytes have passed. `passed` counts the bytes of both
 * directions.
 */
function hangingUp(inner: ByteTransport, budget: number, hangUp: () => void) {
  let passed = 0;
  const pass = (bytes: Uint8Array) => {
    const through = bytes.subarray(0, Math.max(0, budget - passed));
    passed += bytes.length;
    return through;
  };
  const transport: ByteTransport = {
    name: inner.name,
    onClosed: (listener) => inner.onClosed(listener),
    close: () => inner.close(),
    onData: (listener) =>
      inner.onData((bytes) => {
        const through = pass(bytes);
        if (passed > budget) hangUp();
        listener(through);
      }),
    write: async (bytes) => {
      await inner.write(pass(bytes));
      if (passed > budget) hangUp();
    },
  };
  return { transport, passed: () => passed };
}

/** Plugs in a reader at `path` with a card in it. The reader is unplugged after `budget` bytes. */
async function plugIn(kind: HarnessReader, path: string, budget = Number.POSITIVE_INFINITY) {
  const line = await openPtyLine(path);
  const unplugged = Promise.withResolvers<void>();
  const counted = hangingUp(line.transport, budget, () => void line.close().then(unplugged.resolve));
  const { draw } = kind.plugIn(counted.transport, systemClock);
  return { draw, passed: counted.passed, unplugged: unplugged.promise, close: () => line.close() };
}

function attach(kind: HarnessReader, path: string, back: () => void) {
  const runtime = { clock: systemClock, random: makeSeededRandom(1), journal: new Journal(systemClock) };
  const reader = new AttachedReader(
    { spec: parseReaderSpec(kind.spec(path)), fingerprintKey: new Uint8Array(16) },
    runtime,
  );
  const events: ReaderEvent[] = [];
  const read = Promise.withResolvers<void>();
  reader.arm({ entries: ['ICC', 'Contactless', 'MagStripe'], amount: 100, currency: 'EUR' });
  reader.onEvent((event) => {
    events.push(event);
    if (event.type === 'card.read') read.resolve();
    // `back` is called with setImmediate, so that the reader is armed again before the call
    if (event.type === 'reader.back') setImmediate(back);
  });
  return { reader, events, read: read.promise };
}

/**
 * Unplugs the reader after `offset` bytes and plugs it in again. Returns how often the terminal lost the reader during
 * the test.
 */
async function unplugAfter(kind: HarnessReader, path: string, offset: number): Promise<number> {
  const first = await plugIn(kind, path, offset);
  let plugged = first;
  const { reader, events, read } = attach(kind, path, () => plugged.draw?.());
  await first.unplugged;
  const second = await plugIn(kind, path);
  plugged = second;
  await read;
  for (const event of events)
    if (event.type === 'card.read') expect(event.read.maskedPan).toBe('476173 **** 0010');
  expect(reader.status.state).toBe('ready');
  await reader.close();
  await second.close();
  const count = (type: ReaderEvent['type']) => events.filter((event) => event.type === type).length;
  expect(count('reader.back')).toBe(count('reader.lost') + 1);
  return count('reader.lost');
}

const openFiles = () => readdirSync('/proc/self/fd').length;

// To test every offset takes minutes, so usually only a selection is tested. PINPAD_EVERY_OFFSET=1 tests every offset.
const everyOffset = process.env.PINPAD_EVERY_OFFSET === '1';
const spread = isThoroughRun ? 16 : 6;
const atOnce = 8;

testWith('socat').each(sampleCases(Object.entries(harnessReaders), 3))(
  'a %s whose cable is pulled after any number of bytes is found again and reads the card',
  { timeout: 1_800_000 },
  async (name, kind) => {
    const folder = makeTemporaryFolder();
    const whole = await plugIn(kind, join(folder, 'whole'));
    const undisturbed = attach(kind, join(folder, 'whole'), () => whole.draw?.());
    await undisturbed.read;
    const total = whole.passed();
    await undisturbed.reader.close();
    await whole.close();
    const filesBefore = openFiles();

    const stride = everyOffset ? 1 : Math.ceil(total / spread);
    const offsets = Array.from({ length: Math.ceil(total / stride) }, (_, index) => index * stride);
    let lost = 0;
    for (let at = 0; at < offsets.length; at += atOnce) {
      const batch = offsets.slice(at, at + atOnce);
      const losses = await Promise.all(
        batch.map((offset) => unplugAfter(kind, join(folder, `at-${offset}`), offset)),
      );
      lost += losses.reduce((sum, each) => sum + each, 0);
    }
    console.info(
      `${name}: pulled at ${offsets.length} of ${total} offsets, lost ${lost} times, card read every time`,
    );
    expect(openFiles()).toBeLessThanOrEqual(filesBefore + 2);
  },
);
