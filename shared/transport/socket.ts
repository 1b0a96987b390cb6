/** The part of a `ws` socket a link stands on; the client and the server file hand one in. */
export interface Socket {
  /** Bytes that were sent and not taken by the other end. */
  readonly bufferedAmount: number;
  send(text: string): void;
  ping(): void;
  pong(data: Buffer): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): unknown;
  on(event: 'ping' | 'pong', listener: (data: Buffer) => void): unknown;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}
