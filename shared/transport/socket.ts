/** The part of a `ws` socket a link stands on; the client and the server file hand one in. */
export interface Socket {
  /** Bytes that were sent and not taken by the other end. */
  readonly bufferedAmount: number;
  /** Whether `send` takes along how many messages were handled; a link says so by itself otherwise. */
  readonly carriesAcknowledgements?: true;
  send(text: string, acknowledged?: number): void;
  ping(data?: Buffer): void;
  pong(data: Buffer): void;
  close(code: number, reason: string): void;
  terminate(): void;
  /** Calls `run` at the end of this turn of the event loop, before what was sent in it leaves; absent: at once. */
  atTurnEnd?(run: () => void): void;
  on(event: 'message', listener: (data: Buffer, isBinary: boolean, acknowledged?: number) => void): unknown;
  on(event: 'ping' | 'pong', listener: (data: Buffer) => void): unknown;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** What came on a socket. */
export interface Frame {
  readonly data: Buffer;
  readonly isBinary: boolean;
  /** So many messages the other end has handled, where it says so along with this. */
  readonly acknowledged: number;
}

/** Where a WebSocket is opened, and as whom. */
export interface ConnectOptions {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly signal?: AbortSignal;
}
