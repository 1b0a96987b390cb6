/** The types of commands to a reader (CCID 1.1 §6.1): those that a payment needs, and those that pcscd sends. */
export const ccidCommandTypes = {
  setParameters: 0x61,
  iccPowerOn: 0x62,
  iccPowerOff: 0x63,
  getSlotStatus: 0x65,
  escape: 0x6b,
  getParameters: 0x6c,
  resetParameters: 0x6d,
  xfrBlock: 0x6f,
} as const;
export type CcidCommandType = (typeof ccidCommandTypes)[keyof typeof ccidCommandTypes];

/** The types of a reader's answers (CCID 1.1 §6.2). */
export const ccidResponseTypes = {
  dataBlock: 0x80,
  slotStatus: 0x81,
  parameters: 0x82,
  escape: 0x83,
} as const;

/** The length of the header, which comes before the data. */
export const ccidHeaderLength = 10;
/**
 * The maximum number of data bytes in a message. The longest message of serial readers has 271 bytes, so a much larger
 * number is noise that looks like a length.
 */
export const largestCcidDataBytes = 4096;

/** A message in either direction; `parameters` are the last three bytes of its header. */
export interface CcidMessage {
  readonly type: number;
  readonly slot: number;
  readonly sequence: number;
  readonly parameters: readonly [number, number, number];
  readonly data: Uint8Array;
}

/** The state of the card, from the low bits of bStatus. */
type CardPresence = 'active' | 'inactive' | 'absent';

/** A reader's message, read as an answer to a command. */
export interface CcidResponse extends CcidMessage {
  readonly card: CardPresence;
  /** `extended` says that the reader needs more time and will answer again. */
  readonly outcome: 'ok' | 'failed' | 'extended';
  /**
   * The byte bError. If the outcome is `failed`, it names the cause; if the outcome is `extended`, it multiplies the
   * waiting time.
   */
  readonly error: number;
}

/** The bError values that are about the card rather than the command (CCID 1.1 table 6.2-2). */
export const ccidErrors = {
  iccMute: 0xfe,
  xfrParity: 0xfd,
  xfrOverrun: 0xfc,
  hardware: 0xfb,
  /** The bError value that means that the command's fifth byte names a slot that does not exist. */
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

/** Reads a message; undefined if the bytes are not exactly one message. */
export function decodeCcid(bytes: Uint8Array): CcidMessage | undefined {
  if (bytes.length < ccidHeaderLength || bytes.length !== ccidHeaderLength + readCcidDataLength(bytes))
    return undefined;
  const [type = 0, , , , , slot = 0, sequence = 0, first = 0, second = 0, third = 0] = bytes;
  return { type, slot, sequence, parameters: [first, second, third], data: bytes.slice(ccidHeaderLength) };
}

/** Gives the field dwLength of a header. The first five bytes of the header are enough. */
export function readCcidDataLength(header: Uint8Array): number {
  return new DataView(header.buffer, header.byteOffset, header.byteLength).getUint32(1, true);
}

/**
 * Reads the status bytes of a message; undefined if the message is no answer but, for example, the echo of a command.
 */
export function asCcidResponse(message: CcidMessage): CcidResponse | undefined {
  if (message.type < 0x80) return undefined;
  const [status, error] = message.parameters;
  const outcome = (status & 0xc0) === 0 ? 'ok' : (status & 0xc0) === 0x80 ? 'extended' : 'failed';
  const card = (['active', 'inactive', 'absent', 'absent'] as const)[status & 0x03] ?? 'absent';
  return { ...message, card, outcome, error };
}
