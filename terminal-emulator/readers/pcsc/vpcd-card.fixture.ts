import { connect, type Socket } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { visaCard } from '../visa-card.fixture.ts';

// Run as a worker: calls of the PC/SC library block the thread that makes them until the card has answered.

/** Which card is put into vsmartcard's virtual reader; `none` takes it out. */
export type VpcdCard = 'chip' | 'tap' | 'badge' | 'none';

/**
 * TCP port of the reader; commands come with their length before them. Below the ports that systems give to outgoing
 * connections: one of them, even a closed one that still waits, keeps the reader from having its port for a minute.
 */
export const vpcdPort = 0x2c7b;
/** Commands of one byte; whatever is longer is an APDU for the card. */
const control = { powerOff: 0, reset: 2, atr: 4 };
/** PC/SC part 3, §3.1.3.2.3.1: what a contactless reader makes of an answer to select without historical bytes. */
const contactlessAtr = Uint8Array.of(0x3b, 0x80, 0x80, 0x01, 0x01);
const fileNotFound = Uint8Array.of(0x6a, 0x82);

let socket: Socket | undefined;
parentPort?.on('message', (card: VpcdCard) => {
  socket?.destroy();
  socket = card === 'none' ? undefined : insert(card);
});

function insert(kind: VpcdCard): Socket {
  const card = visaCard({}, 'T=1');
  const contactless = kind !== 'chip';
  const answer = (message: Uint8Array): Uint8Array | undefined => {
    const [command] = message;
    if (message.length > 1) return kind === 'badge' ? fileNotFound : card.transmit(message, contactless);
    if (command === control.atr) return contactless ? contactlessAtr : card.atr;
    if (command === control.powerOff || command === control.reset) card.reset();
    return undefined;
  };
  const line = connect(vpcdPort, '127.0.0.1');
  let received = Buffer.alloc(0);
  line.on('error', () => {});
  line.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const said = answer(Uint8Array.from(received.subarray(2, end)));
      received = received.subarray(end);
      if (said) line.write(Buffer.concat([Uint8Array.of(said.length >> 8, said.length & 0xff), said]));
    }
  });
  return line;
}
