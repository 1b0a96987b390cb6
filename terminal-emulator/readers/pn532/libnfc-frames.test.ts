import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeSeededRandom } from '../../../shared/random.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { Pn532Emulator } from '../emulators/pn532-emulator.ts';
import { concatBytes, fromHex, toHex } from '../hex.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { visaCard } from '../visa-card.fixture.ts';
import { encodeFrame, Pn532FrameParser } from './frame.ts';
import { Pn532Driver } from './pn532-driver.ts';

/**
 * The frames that libnfc 1.8.0 sent to a PN532 on a serial port. They were recorded from nfc-list, pn53x-diagnose and
 * pn53x-tamashell. The tests compare our driver with these frames, because libnfc was written independently of pinpad.
 */
const libnfc = readFileSync(join(import.meta.dirname, 'libnfc-frames.golden.txt'), 'utf8')
  .trim()
  .split('\n');

const parse = (bytes: Uint8Array) => new Pn532FrameParser().feed(bytes);

test.each(libnfc)('libnfc’s frame %s is parsed and written the same', (hex) => {
  const [frame, ...more] = parse(fromHex(hex));
  if (frame?.type !== 'data') throw new Error('no command');
  expect(more).toEqual([]);
  expect(toHex(encodeFrame(frame.tfi, frame.data))).toBe(hex);
});

test('our driver sends exactly the bytes of libnfc to read a card', async () => {
  const clock = new VirtualClock({ startMs: 0 });
  const [host, device] = createMemoryLine();
  const sent: Uint8Array[] = [];
  device.onData((bytes) => sent.push(bytes));
  new Pn532Emulator(device, clock).present(visaCard());
  const driver = new Pn532Driver(host, {
    clock,
    random: makeSeededRandom(1),
    fingerprintKey: new Uint8Array(32),
  });
  const disarm = new AbortController();
  await driver.open(disarm.signal);
  const request = { entries: ['Contactless'], amount: 100, currency: 'USD', signal: disarm.signal } as const;
  const armed = driver.arm(request, (event) => {
    if (event.type === 'card.read') disarm.abort();
  });
  await clock.advance(1_000);
  await armed;
  const ours = parse(concatBytes(...sent)).flatMap((frame) =>
    frame.type === 'data' ? toHex(encodeFrame(frame.tfi, frame.data)) : [],
  );
  const alone = ours.filter((hex) => !libnfc.includes(hex)).map((hex) => hex.slice(12, -4));
  // Only our driver sends these commands. They limit the number of tries (RFConfiguration item 5), and read two
  // records.
  expect([...new Set(alone)]).toEqual(['3205FF0101', '400100B2020C00', '400100B2011400']);
  expect(ours.length - alone.length).toBeGreaterThanOrEqual(8);
});
