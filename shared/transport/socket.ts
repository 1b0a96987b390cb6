/** The part of a `ws` socket that a link uses. Client and server give the link an object of this shape. */
export interface Socket {
  /** The bytes that were sent, but not read by the other end yet. */
  readonly bufferedAmount: number;
  /** Whether `send` can carry the count of handled messages. If not, the link sends the count by itself. */
  readonly carriesAcknowledgements?: true;
  send(text: string, acknowledged?: number): void;
  ping(data?: Buffer): void;
  pong(data: Buffer): void;
  close(code: number, reason: string): void;
  terminate(): void;
  /**
   * Calls `run` at the end of this turn of the event loop, before the frames that were sent in this turn leave. If
   * absent, the link calls `run` at once.
   */
  atTurnEnd?(run: () => void): void;
  on(event: 'message', listener: (data: Buffer, isBinary: boolean, acknowledged?: number) => void): unknown;
  on(event: 'ping' | 'pong', listener: (data: Buffer) => void): unknown;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** A frame that came on a socket. */
export interface Frame {
  readonly data: Buffer;
  readonly isBinary: boolean;
  /** The number of messages that the other end has handled, if the frame carries it. */
  readonly acknowledged: number;
}

/** The address at which a WebSocket is opened, and the caller's key. */
export interface ConnectOptions {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly signal?: AbortSignal;
}
