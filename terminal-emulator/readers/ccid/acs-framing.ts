import { xorOf } from '../hex.ts';
import { type CcidFraming, createCcidDecoder, type FrameParseResult } from './ccid-framing.ts';
import { ccidHeaderLength, largestCcidDataBytes, readCcidDataLength } from './ccid-message.ts';

const start = 0x02;
const end = 0x03;
const slotChangeType = 0x50;
const chipSlot = 1;

/**
 * The frames of ACS serial readers with a chip slot (ACR1281S): `02`, the CCID message, the XOR of its bytes, `03`. The
 * reader confirms a good frame with `02 00 00 03` before it answers, and reports a bad one with `02 FF FF 03` (or with
 * FE, FD, FC or 99 in place of FF). Eleven zeros between 02 and 03 ask for the last answer again. Slot 0 is the
 * antenna.
 */
export const acsFraming: CcidFraming = {
  name: 'ACS',
  slot: chipSlot,
  carries: 'APDU',
  wrap: (message) => Uint8Array.of(start, ...message, xorOf(message), end),
  repeatRequest: Uint8Array.of(start, ...new Uint8Array(11), end),
  createDecoder: () => createCcidDecoder(take),
};

/** The reader's confirmation that a frame arrived whole. */
export const acsConfirmationFrame = Uint8Array.of(start, 0x00, 0x00, end);
/** The reader's complaint that a frame's checksum was wrong. */
export const acsChecksumErrorFrame = Uint8Array.of(start, 0xff, 0xff, end);

const complaints = new Set([0xff, 0xfe, 0xfd, 0xfc, 0x99]);

function take(buffer: Uint8Array): FrameParseResult {
  if (buffer[0] !== start) return { take: 1 };
  if (buffer.length < 4) return 'incomplete';
  const [, code = 0, copy, last] = buffer;
  if (code === 0x00) return takeZeros(buffer);
  if (complaints.has(code) && copy === code && last === end) return { take: 4, event: { kind: 'repeat' } };
  return takeMessage(buffer);
}

function takeZeros(buffer: Uint8Array): FrameParseResult {
  const zeros = buffer.subarray(1, 12);
  const whole = zeros.findIndex((byte) => byte !== 0);
  if (whole === 2 && zeros[2] === end) return { take: 4, event: { kind: 'working' } };
  if (whole >= 0) return { take: 1 };
  if (buffer.length < 13) return 'incomplete';
  return buffer[12] === end ? { take: 13, event: { kind: 'repeat' } } : { take: 1 };
}

function takeMessage(buffer: Uint8Array): FrameParseResult {
  const type = buffer[1] ?? 0;
  if (type === slotChangeType) return takeSlotChange(buffer);
  if (!((type >= 0x61 && type <= 0x73) || (type >= 0x80 && type <= 0x84))) return { take: 1 };
  const header = buffer.subarray(1, 1 + ccidHeaderLength);
  if (header.length < ccidHeaderLength) return 'incomplete';
  const dataLength = readCcidDataLength(header);
  if (dataLength > largestCcidDataBytes) return { take: 1 };
  const bodyEnd = 1 + ccidHeaderLength + dataLength;
  if (buffer.length < bodyEnd + 2) return 'incomplete';
  const body = buffer.slice(1, bodyEnd);
  if (buffer[bodyEnd] !== xorOf(body) || buffer[bodyEnd + 1] !== end) return { take: 1 };
  return { take: bodyEnd + 2, event: { kind: 'message', bytes: body } };
}

/**
 * Reads the report `02 50 ss xor 03`. The byte ss has two bits for each slot. The lower bit says whether a card is in
 * the slot. The upper bit says whether a card has just been put into the slot or taken out of it.
 */
function takeSlotChange(buffer: Uint8Array): FrameParseResult {
  if (buffer.length < 5) return 'incomplete';
  const [, type = 0, state = 0, check, last] = buffer;
  if (check !== (type ^ state) || last !== end) return { take: 1 };
  const [present, changed] = [0x01, 0x02].map((bit) => (state & (bit << (2 * chipSlot))) !== 0);
  return { take: 5, event: changed ? { kind: 'card', present: present === true } : { kind: 'elsewhere' } };
}
