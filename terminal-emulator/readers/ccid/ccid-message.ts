/** Commands to a reader (CCID 1.1 §6.1), those a payment needs and those pcscd sends. */
export const ccidCommands = {
  setParameters: 0x61,
  iccPowerOn: 0x62,
  iccPowerOff: 0x63,
  getSlotStatus: 0x65,
  escape: 0x6b,
  getParameters: 0x6c,
  resetParameters: 0x6d,
  xfrBlock: 0x6f,
} as const;
export type CcidCommandType = (typeof ccidCommands)[keyof typeof ccidCommands];

/** Answers of a reader (CCID 1.1 §6.2). */
export const ccidResponses = {
  dataBlock: 0x80,
  slotStatus: 0x81,
  parameters: 0x82,
  escape: 0x83,
} as const;

/** A header's bytes, before the data. */
export const ccidHeaderLength = 10;
/** Serial readers say 271 bytes is their longest message; anything far above is noise that looks like a length. */
export const largestCcidData = 4096;

/** One message in either direction; `parameters` are the header's last three bytes. */
export interface CcidMessage {
  readonly type: number;
  readonly slot: number;
  readonly sequence: number;
  readonly parameters: readonly [number, number, number];
  readonly data: Uint8Array;
}

/** Where the card is, by the low bits of bStatus. */
type CardPresence = 'active' | 'inactive' | 'absent';

/** A message read as a reader's answer. */
export interface CcidResponse extends CcidMessage {
  readonly card: CardPresence;
  /** `extended`: the reader needs more time and will answer again. */
  readonly outcome: 'ok' | 'failed' | 'extended';
  /** bError: meaningful where the outcome is `failed` (the cause) or `extended` (the multiplier). */
  readonly error: number;
}

/** bError values that say what is wrong with the card rather than with the command (CCID 1.1 table 6.2-2). */
export const ccidErrors = {
  iccMute: 0xfe,
  xfrParity: 0xfd,
  xfrOverrun: 0xfc,
  hardware: 0xfb,
  /** The command's fifth byte, its slot, names none. */
  noSuchSlot: 0x05,
} as const;

export function encodeCcid(message: CcidMessage): Uint8Array {
  const bytes = new Uint8Array(ccidHeaderLength + message.data.length);
  bytes[0] = message.type;
  new DataView(bytes.buffer).setUint32(1, message.data.length, true);
  bytes[5] = message.slot;
  bytes[6] = message.sequence;
  bytes.set(message.parameters, 7);
  bytes.set(message.data, ccidHeaderLength);
  return bytes;
}

/** Undefined where the bytes are not exactly one message. */
export function decodeCcid(bytes: Uint8Array): CcidMessage | undefined {
  if (bytes.length < ccidHeaderLength || bytes.length !== ccidHeaderLength + ccidDataLength(bytes))
    return undefined;
  const [type = 0, , , , , slot = 0, sequence = 0, first = 0, second = 0, third = 0] = bytes;
  return { type, slot, sequence, parameters: [first, second, third], data: bytes.slice(ccidHeaderLength) };
}

/** dwLength of a header whose first five bytes are there. */
export function ccidDataLength(header: Uint8Array): number {
  return new DataView(header.buffer, header.byteOffset, header.byteLength).getUint32(1, true);
}

/** Reads a message's status bytes; undefined where it is no answer at all, such as an echo of a command. */
export function asCcidResponse(message: CcidMessage): CcidResponse | undefined {
  if (message.type < 0x80) return undefined;
  const [status, error] = message.parameters;
  const outcome = (status & 0xc0) === 0 ? 'ok' : (status & 0xc0) === 0x80 ? 'extended' : 'failed';
  const card = (['active', 'inactive', 'absent', 'absent'] as const)[status & 0x03] ?? 'absent';
  return { ...message, card, outcome, error };
}
