import { connect, type Socket } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { visaCard } from '../visa-card.fixture.ts';

// The tests run this file as a worker, so that its cards can answer while the tests compute.

/**
 * The card to put into vsmartcard's virtual reader; `none` takes the card out. `silent` is a contactless card that
 * answers nothing until `speak` is sent. `slow` takes 8 s for its first answer. The first read of `weak` fails.
 */
export type VpcdCard = 'chip' | 'tap' | 'badge' | 'silent' | 'slow' | 'weak' | 'none';
/** The worker's messages: a silent or slow card got a command (`asked`), or it gave the delayed answer (`answered`). */
export type VpcdWorkerMessage = 'asked' | 'answered';
/** What is to happen in a slot of the reader: another card is put in, or a silent card gives its delayed answer. */
export interface VpcdSlotAction {
  readonly slot: number;
  readonly put?: VpcdCard;
}

/**
 * The TCP port of the virtual reader. On this port, each command comes with its length in front. The port is below
 * the range for outgoing connections. Otherwise an outgoing connection could occupy the port, even for a minute after
 * that connection was closed.
 */
export const vpcdPort = 0x2c7b;
/** Commands of one byte. Longer commands are APDUs for the card. */
const control = { powerOff: 0, reset: 2, atr: 4 };
/**
 * The answer to reset that a contactless reader makes if the card's answer to select has no historical bytes (PC/SC
 * part 3, §3.1.3.2.3.1).
 */
const contactlessAtr = Uint8Array.of(0x3b, 0x80, 0x80, 0x01, 0x01);
const slowMs = 8_000;
const fileNotFound = Uint8Array.of(0x6a, 0x82);

interface Inserted {
  readonly line: Socket;
  /** Makes a silent card give its delayed answer. From then on, the card gives every answer at once. */
  readonly speak: () => void;
}

const slots = new Map<number, Inserted>();
parentPort?.on('message', ({ slot, put }: VpcdSlotAction) => {
  if (put === undefined) return slots.get(slot)?.speak();
  slots.get(slot)?.line.destroy();
  slots.delete(slot);
  if (put !== 'none') slots.set(slot, insert(put, slot));
});

const tell = (said: VpcdWorkerMessage) => parentPort?.postMessage(said);

function insert(kind: VpcdCard, slot: number): Inserted {
  const card = visaCard({}, 'T=1');
  const contactless = kind !== 'chip';
  let failures = kind === 'weak' ? 1 : 0;
  const answer = (message: Uint8Array): Uint8Array | undefined => {
    const [command] = message;
    if (message.length > 1 && failures-- > 0) return Uint8Array.of(0x6f);
    if (message.length > 1) return kind === 'badge' ? fileNotFound : card.transmit(message, contactless);
    if (command === control.atr) return contactless ? contactlessAtr : card.atr;
    if (command === control.powerOff || command === control.reset) card.reset();
    return undefined;
  };
  const line = connect(vpcdPort + slot, '127.0.0.1');
  const say = (said: Uint8Array) =>
    line.write(Buffer.concat([Uint8Array.of(said.length >> 8, said.length & 0xff), said]));
  let silent = kind === 'silent' || kind === 'slow';
  let owed: Uint8Array | undefined;
  let received = Buffer.alloc(0);
  line.on('error', () => {});
  line.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const message = Uint8Array.from(received.subarray(2, end));
      const said = answer(message);
      received = received.subarray(end);
      if (silent && message.length > 1) {
        owed = said;
        tell('asked');
        if (kind === 'slow') setTimeout(speak, slowMs);
      } else if (said) say(said);
    }
  });
  const speak = () => {
    silent = false;
    if (owed) {
      say(owed);
      tell('answered');
    }
    owed = undefined;
  };
  return { line, speak };
}
