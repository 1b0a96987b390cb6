import { expect, test } from 'vitest';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { Pn532Emulator } from '../emulators/pn532-emulator.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { IsoDepChannel } from './iso-dep-channel.ts';
import { Pn532Link } from './pn532-link.ts';

/** Makes a channel to a card. The function `answer` computes the card's answer to a command. */
async function setup(answer: (apdu: Uint8Array) => Uint8Array) {
  const clock = new VirtualClock({ startMs: 0 });
  const [host, device] = createMemoryLine();
  const chip = new Pn532Emulator(device, clock);
  chip.present({ uid: Uint8Array.of(1, 2, 3, 4), ats: Uint8Array.of(1), reset() {}, transmit: answer });
  const link = new Pn532Link(host, clock);
  await link.command(0x4a, [0x01, 0x00]);
  const channel = new IsoDepChannel(link, 1, Uint8Array.of(1));
  const options = { timeoutMs: 5_000, signal: new AbortController().signal };
  return { clock, chip, link, transmit: (apdu: Uint8Array) => channel.transmit(apdu, options) };
}

const counted = (length: number) => Uint8Array.from({ length }, (_, at) => at & 0xff);

test.each([1, 261, 262, 263, 600])('a command of %i bytes reaches the card completely', async (length) => {
  const received: Uint8Array[] = [];
  const { transmit } = await setup((apdu) => {
    received.push(Uint8Array.from(apdu));
    return Uint8Array.of(0x90, 0x00);
  });
  await transmit(counted(length));
  expect(received).toEqual([counted(length)]);
});

test.each([0, 252, 253, 260, 261, 524, 1_000])(
  'an answer of %i bytes and its status arrive completely',
  async (length) => {
    const whole = Uint8Array.of(...counted(length), 0x90, 0x00);
    const { transmit } = await setup(() => whole);
    expect(await transmit(Uint8Array.of(0, 0xb2, 1, 0x0c, 0))).toEqual(whole);
  },
);

test('a removed card and a released card are reported', async () => {
  const { transmit, chip, link } = await setup(() => Uint8Array.of(0x90, 0x00));
  await link.command(0x52, [0x00]);
  await expect(transmit(Uint8Array.of(0))).rejects.toMatchObject({ code: 'BAD_READ' });
  chip.remove();
  await expect(transmit(Uint8Array.of(0))).rejects.toMatchObject({ code: 'REMOVED' });
});

test('an answer without a status word is a bad read', async () => {
  const { transmit } = await setup(() => Uint8Array.of(0x90));
  await expect(transmit(Uint8Array.of(0))).rejects.toMatchObject({ code: 'BAD_READ' });
});
