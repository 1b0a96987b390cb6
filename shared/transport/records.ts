/**
 * The kinds of records on a shared WebSocket. Its binary frames consist of records, each for one channel. A record
 * consists of its kind (1 byte), its channel (4 bytes), the number of messages that the record's sender has handled on
 * the channel (4 bytes), the length of its content (4 bytes), and the content.
 */
export const recordKinds = {
  /** Asks to open a channel. The content is the headers that a terminal sends to /poi, as JSON. */
  open: 1,
  /** The channel is open. */
  opened: 2,
  /** The channel was refused. The content is a status and a reason as JSON. */
  refused: 3,
  /** One message. If the content is empty, the record only carries an acknowledgement. */
  message: 4,
  ping: 5,
  pong: 6,
  /**
   * Ends the channel. The other end answers with a record of the same kind. The content is a close code (2 bytes) and a
   * reason.
   */
  close: 7,
  /** Ends the channel without a handshake. */
  reset: 8,
} as const;
export type RecordKind = (typeof recordKinds)[keyof typeof recordKinds];

/** One record that is to be sent. */
export interface OutgoingRecord {
  readonly kind: RecordKind;
  readonly channel: number;
  readonly acknowledged: number;
  readonly content: string | Buffer;
  /** The length of the content, in bytes. */
  readonly length: number;
}

export const recordHeaderBytes = 13;

/** Thrown if the other end breaks the protocol of shared sockets. The socket ends, with all of its channels. */
export class ProtocolBreachError extends Error {}

/**
 * Encodes records into one buffer. With `alone`, the buffer does not share its memory with other buffers, because it
 * may be kept for long.
 */
export function encodeRecords(records: readonly OutgoingRecord[], length: number, alone = false): Buffer {
  const frame = alone ? Buffer.allocUnsafeSlow(length) : Buffer.allocUnsafe(length);
  let at = 0;
  for (const record of records) {
    frame[at] = record.kind;
    frame.writeUInt32BE(record.channel, at + 1);
    frame.writeUInt32BE(record.acknowledged, at + 5);
    frame.writeUInt32BE(record.length, at + 9);
    at += recordHeaderBytes;
    write(record, frame, at);
    at += record.length;
  }
  return frame;
}

function write({ content, length }: OutgoingRecord, frame: Buffer, at: number): void {
  if (typeof content !== 'string') content.copy(frame, at);
  else if (content.length === length) frame.write(content, at, length, 'latin1');
  else frame.write(content, at, length, 'utf8');
}

/**
 * Calls `take` with every record of a frame, in order, until `take` returns false.
 *
 * @throws ProtocolBreachError if the frame has bytes that are no record
 */
export function forEachRecord(
  frame: Buffer,
  take: (kind: RecordKind, channel: number, acknowledged: number, content: Buffer) => boolean,
): void {
  let at = 0;
  while (at < frame.length) {
    if (at + recordHeaderBytes > frame.length)
      throw new ProtocolBreachError('the frame ends in the middle of a record');
    const kind = frame[at] as RecordKind;
    if (kind < recordKinds.open || kind > recordKinds.reset)
      throw new ProtocolBreachError('an unknown kind of record');
    const length = frame.readUInt32BE(at + 9);
    const start = at + recordHeaderBytes;
    if (length > frame.length - start)
      throw new ProtocolBreachError('a record is shorter than its length says');
    const content = frame.subarray(start, start + length);
    if (!take(kind, frame.readUInt32BE(at + 1), frame.readUInt32BE(at + 5), content)) return;
    at = start + length;
  }
}
