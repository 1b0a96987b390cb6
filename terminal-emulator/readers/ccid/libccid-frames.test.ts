import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { CcidEmulator } from '../emulators/ccid-emulator.ts';
import { fromHex, toHex } from '../hex.ts';
import { createMemoryLine } from '../transport/memory-transport.fixture.ts';
import { visaCard } from '../visa-card.fixture.ts';
import { powerOnCard } from './ccid-card.ts';
import { CcidLink } from './ccid-link.ts';
import { type CcidMessage, ccidCommandTypes, decodeCcid, encodeCcid } from './ccid-message.ts';
import { gemPcFraming } from './gempc-framing.ts';

/**
 * The frames that pcscd with libccidtwin 1.5.2 sent to a GemPC Twin, once with a T=0 card and once with a T=1 card. The
 * recording begins with the search for the reader and ends with five commands of the tool scriptor. The tests compare
 * our driver with these frames, because pcscd and libccidtwin were written independently of pinpad.
 */
const libccid = readFileSync(join(import.meta.dirname, 'libccid-frames.golden.txt'), 'utf8')
  .trim()
  .split('\n');
const t1At = libccid.indexOf('T=1');
const framesOf = { 'T=0': libccid.slice(1, t1At), 'T=1': libccid.slice(t1At + 1) };

/** The five commands that scriptor sent. */
const commands = [
  '00A404000E315041592E5359532E444446303100',
  '00B2010C00',
  '00A4040007A000000003101000',
  '80A8000002830000',
  '00B2010C00',
];

function decode(bytes: Uint8Array): CcidMessage {
  const [event] = gemPcFraming.createDecoder().feed(bytes);
  const message = event?.kind === 'message' ? decodeCcid(event.bytes) : undefined;
  if (!message) throw new Error(`no message: ${toHex(bytes)}`);
  return message;
}

const toCard: readonly number[] = [
  ccidCommandTypes.iccPowerOn,
  ccidCommandTypes.setParameters,
  ccidCommandTypes.xfrBlock,
];
/** The parts of a message that are meant for the card. Numbers that only count messages are left out. */
const plain = ({ type, parameters, data }: CcidMessage) =>
  `${type.toString(16)} ${toHex(Uint8Array.from(parameters))} ${toHex(data)}`;

/**
 * Drops the expected length (Le) after a command's data. ISO/IEC 7816-3 leaves out this Le with T=0, but libccid sends
 * an Le if the application gave one.
 */
function withoutLe(message: CcidMessage): CcidMessage {
  const { type, data } = message;
  const hasLe = type === ccidCommandTypes.xfrBlock && data.length > 5 && data.length === 6 + (data[4] ?? 0);
  return hasLe ? { ...message, data: data.slice(0, -1) } : message;
}

/**
 * Whether a message with T=0 only fetches data. Such a message is a GET RESPONSE, or the previous command with another
 * Le. Our driver sends such messages by itself. With libccid, the application has to send them.
 */
function isFetching(message: CcidMessage, before: CcidMessage | undefined): boolean {
  if (message.type !== ccidCommandTypes.xfrBlock) return false;
  const head = ({ data }: CcidMessage) => toHex(data.subarray(0, 4));
  return message.data[1] === 0xc0 || (before !== undefined && head(before) === head(message));
}

test.each(libccid.filter((line) => !line.startsWith('T=')))(
  'libccid’s frame %s is parsed and written the same',
  (hex) => {
    expect(toHex(gemPcFraming.wrap(encodeCcid(decode(fromHex(hex)))))).toBe(hex);
  },
);

test.each(['T=0', 'T=1'] as const)(
  'our driver sends a %s card the same bytes as libccid',
  async (protocol) => {
    const clock = new VirtualClock({ startMs: 0 });
    const [host, device] = createMemoryLine();
    const sent: Uint8Array[] = [];
    device.onData((bytes) => sent.push(bytes));
    new CcidEmulator(device, clock).insert(visaCard({}, protocol));
    const { signal } = new AbortController();
    const channel = await powerOnCard(new CcidLink(host, gemPcFraming, clock), signal);
    for (const command of commands) await channel.transmit(fromHex(command), { timeoutMs: 1_000, signal });
    const ours = sent.map(decode);
    const theirs = framesOf[protocol]
      .map((hex) => decode(fromHex(hex)))
      .filter(({ type }) => toCard.includes(type));
    if (protocol === 'T=1') expect(ours.map(plain)).toEqual(theirs.map(plain));
    else
      expect(ours.filter((message, at) => !isFetching(message, ours[at - 1])).map(plain)).toEqual(
        theirs.map(withoutLe).map(plain),
      );
  },
);
