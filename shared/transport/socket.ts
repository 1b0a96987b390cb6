/**
 * The functions of a `ws` socket that a link uses. Each link gets an object with these functions, at the client and at
 * the server.
 */
export interface LinkSocket {
  /** The number of bytes that were sent and still wait to be written, because the other end does not read. */
  readonly bufferedAmount: number;
  /** Whether `send` can carry the count of handled messages. If not, the link sends the count in a frame of its own. */
  readonly carriesAcknowledgements?: true;
  send(text: string, acknowledged?: number): void;
  ping(data?: Buffer): void;
  pong(data: Buffer): void;
  close(code: number, reason: string): void;
  terminate(): void;
  /**
   * Calls `run` at the end of this turn of the event loop. The frames that were sent in this turn leave only after this
   * call. If absent, the link calls `run` with `setImmediate`.
   */
  atTurnEnd?(run: () => void): void;
  on(event: 'message', listener: (data: Buffer, isBinary: boolean, acknowledged?: number) => void): unknown;
  on(event: 'ping' | 'pong', listener: (data: Buffer) => void): unknown;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** A frame that arrived on a socket. */
export interface ReceivedFrame {
  readonly data: Buffer;
  readonly isBinary: boolean;
  /** The number of messages that the other end has handled; 0 if the frame does not contain this number. */
  readonly acknowledged: number;
}

/** The address of a WebSocket that is to be opened, and the headers with the caller's key. */
export interface ConnectOptions {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly signal?: AbortSignal;
}
