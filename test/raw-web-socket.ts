import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** WebSocket opcodes (RFC 6455 §5.2). */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface Frame {
  opcode: number;
  payload: Buffer;
}

export interface FrameBits {
  /** False if the message continues in the next frame. */
  final?: boolean;
  /** Whether the frame is masked. A client breaks the protocol if it sends a frame without a mask. */
  masked?: boolean;
  /** The bits RSV1–3, which were not negotiated. */
  reserved?: number;
}

/** Returns the bytes of one frame. The frame may be one that no library would send. */
export function frameBytes(opcode: number, payload: Uint8Array, bits: FrameBits = {}): Buffer {
  const { final = true, masked = true, reserved = 0 } = bits;
  const first = (final ? 0x80 : 0) | (reserved << 4) | opcode;
  const size = payload.length;
  const length =
    size < 126
      ? Buffer.from([size])
      : size < 65_536
        ? Buffer.from([126, size >> 8, size & 0xff])
        : Buffer.concat([Buffer.from([127, 0, 0, 0, 0]), uint32(size)]);
  if (masked) length[0] = (length[0] as number) | 0x80;
  // Four zeros are a valid mask.
  return Buffer.concat([Buffer.from([first]), length, masked ? Buffer.alloc(4) : Buffer.alloc(0), payload]);
}

/** A WebSocket client that sends any bytes and receives everything. */
export class RawWebSocket {
  readonly socket: Socket;
  /** The frames that have come and were not read yet, oldest first. */
  readonly frames: Frame[] = [];
  #buffer = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket, rest: Buffer) {
    this.socket = socket;
    socket.on('data', (data) => this.#received(data));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
    this.#received(rest);
  }

  /** Opens the connection with the handshake. Resolves to the client, or to the status of a refusal. */
  static async open(
    url: string,
    path: string,
    headers: Record<string, string>,
  ): Promise<RawWebSocket | number> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const lines = { Host: 'pinpad', Upgrade: 'websocket', Connection: 'Upgrade', ...headers };
    socket.write(
      `GET ${path} HTTP/1.1\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16, 7).toString('base64')}\r\n` +
        Object.entries(lines)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('') +
        '\r\n',
    );
    let head = Buffer.alloc(0);
    while (!head.includes('\r\n\r\n')) {
      const [data] = (await once(socket, 'data')) as [Buffer];
      head = Buffer.concat([head, data]);
    }
    const status = Number(head.toString('latin1').split(' ')[1]);
    if (status === 101) return new RawWebSocket(socket, head.subarray(head.indexOf('\r\n\r\n') + 4));
    socket.destroy();
    return status;
  }

  write(bytes: Uint8Array): void {
    if (!this.#ended) this.socket.write(bytes);
  }

  text(message: string): void {
    this.write(frameBytes(opcodes.text, Buffer.from(message)));
  }

  /** Resolves to the next frame, or to undefined if the connection is over. */
  async next(): Promise<Frame | undefined> {
    while (this.frames.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.frames.shift();
  }

  /** Resolves to the next message that is not an acknowledgement. Acknowledges that message and all before it. */
  async message(): Promise<Record<string, Record<string, never>>> {
    for (;;) {
      const frame = await this.next();
      if (!frame) throw new Error('the link is closed');
      if (frame.opcode !== opcodes.text) continue;
      const json = JSON.parse(frame.payload.toString());
      if (!('Acknowledged' in json)) return json;
    }
  }

  /**
   * Sends a ping after everything else, to learn whether the link is still open. If the link is open, resolves to
   * undefined. If the other end has closed the link, resolves to the close code, or to 0 if there was no close frame.
   */
  async verdict(): Promise<number | undefined> {
    this.write(frameBytes(opcodes.ping, Buffer.from('alive?')));
    for (let frame = await this.next(); frame; frame = await this.next()) {
      if (frame.opcode === opcodes.pong && frame.payload.toString() === 'alive?') return undefined;
      if (frame.opcode === opcodes.close)
        return frame.payload.length >= 2 ? frame.payload.readUInt16BE() : 1005;
    }
    return 0;
  }

  destroy(): void {
    this.socket.destroy();
  }

  #received(data: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, data]);
    for (let size = wholeFrame(this.#buffer); size !== undefined; size = wholeFrame(this.#buffer)) {
      const { start, end } = size;
      const opcode = (this.#buffer[0] as number) & 0x0f;
      this.frames.push({ opcode, payload: Buffer.from(this.#buffer.subarray(start, end)) });
      this.#buffer = this.#buffer.subarray(end);
    }
    this.#wake();
  }
}

/**
 * Returns where the payload of the first frame begins and ends, or undefined if a part of the frame has not come yet. A
 * server does not mask its frames.
 */
function wholeFrame(bytes: Buffer): { start: number; end: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] as number) & 0x7f;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < start) return undefined;
  const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return bytes.length < start + size ? undefined : { start, end: start + size };
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
