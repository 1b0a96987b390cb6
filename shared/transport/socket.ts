/** The functions of a `ws` socket that a link uses. Client and server give the link an object of this shape. */
export interface Socket {
  /** The number of bytes that were sent, but that the other end has not read yet. */
  readonly bufferedAmount: number;
  /** Whether `send` can carry the count of handled messages. If not, the link sends the count in a frame of its own. */
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

/** A frame that arrived on a socket. */
export interface Frame {
  readonly data: Buffer;
  readonly isBinary: boolean;
  /** How many messages the other end has handled, if the frame says it. */
  readonly acknowledged: number;
}

/** The address of a WebSocket that is to be opened, and the caller's key. */
export interface ConnectOptions {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly signal?: AbortSignal;
}
