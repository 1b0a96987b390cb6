import { concatBytes, xorOf } from '../hex.ts';
import { type CcidFraming, createCcidDecoder, type FrameParseResult } from './ccid-framing.ts';
import { ccidHeaderLength, largestCcidDataBytes, readCcidDataLength } from './ccid-message.ts';

const sync = 0x03;
const acknowledge = 0x06;
const negative = 0x15;
const slotChange = 0x50;

/**
 * The frames of GemPC Twin and PinPad: `03 06`, the CCID message, and the XOR of all these bytes. `03 15 16` asks for
 * the last frame again. `50 02` reports that the card was taken out, `50 03` that a card was put in. A byte from 80 to
 * FF says that a T=0 card still works on its answer.
 */
export const gemPcFraming: CcidFraming = {
  name: 'GemPC',
  slot: 0,
  carries: 'TPDU',
  wrap(message) {
    const framed = concatBytes(Uint8Array.of(sync, acknowledge), message);
    return concatBytes(framed, Uint8Array.of(xorOf(framed)));
  },
  repeatRequest: Uint8Array.of(sync, negative, sync ^ negative),
  createDecoder: () => createCcidDecoder(take),
};

function take(buffer: Uint8Array): FrameParseResult {
  const first = buffer[0] ?? 0;
  if (first === slotChange) return takeSlotChange(buffer);
  if (first >= 0x80) return { take: 1, event: { kind: 'working' } };
  if (first !== sync) return { take: 1 };
  if (buffer.length < 2) return 'incomplete';
  if (buffer[1] === negative) return takeRepeat(buffer);
  if (buffer[1] !== acknowledge) return { take: 1 };
  return takeMessage(buffer);
}

function takeSlotChange(buffer: Uint8Array): FrameParseResult {
  if (buffer.length < 2) return 'incomplete';
  const state = buffer[1];
  if (state !== 0x02 && state !== 0x03) return { take: 1 };
  return { take: 2, event: { kind: 'card', present: state === 0x03 } };
}

function takeRepeat(buffer: Uint8Array): FrameParseResult {
  if (buffer.length < 3) return 'incomplete';
  return buffer[2] === (sync ^ negative) ? { take: 3, event: { kind: 'repeat' } } : { take: 1 };
}

function takeMessage(buffer: Uint8Array): FrameParseResult {
  const header = buffer.subarray(2, 2 + ccidHeaderLength);
  // If the first byte is no type of a message, no frame begins here. Without this check, noise could be taken for a
  // frame of any length.
  if (header.length > 0 && !isMessageType(header[0] ?? 0)) return { take: 1 };
  if (header.length < ccidHeaderLength) return 'incomplete';
  const dataLength = readCcidDataLength(header);
  if (dataLength > largestCcidDataBytes) return { take: 1 };
  const end = 2 + ccidHeaderLength + dataLength + 1;
  if (buffer.length < end) return 'incomplete';
  if (xorOf(buffer.subarray(0, end)) !== 0) return { take: 1 };
  return { take: end, event: { kind: 'message', bytes: buffer.slice(2, end - 1) } };
}

function isMessageType(type: number): boolean {
  return (type >= 0x61 && type <= 0x73) || (type >= 0x80 && type <= 0x84);
}
