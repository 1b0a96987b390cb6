/** How a question to other gateways ended. */
export type HintReply =
  | { is: 'answer'; data: unknown }
  /** No gateway listens to that subject now. NATS reports this at once. */
  | { is: 'nobody' }
  /** The gateways that listen did not answer in time. */
  | { is: 'silent' }
  /** NATS is not there. */
  | { is: 'unreachable' };

/** Handles a hint. If the hint is a question, the returned or resolved value is the answer. */
export type HintHandler = (data: unknown) => unknown;

/**
 * The way to the other gateways of this database: fast, but nothing depends on it. The news of a lost hint is found in
 * the database a little later (docs/decisions/0022). A subject consists of words with dots between them.
 */
export interface Hints {
  /** Sends a hint to all other gateways that listen to the subject. The hint is lost if NATS is not there. */
  publish(subject: string, data?: unknown): void;
  /**
   * Calls `handler` with the hints and questions of other gateways; returns a function that stops this. A gateway of
   * any release may have sent them.
   */
  subscribe(subject: string, handler: HintHandler): () => void;
  /** Asks the gateways that listen, and gives the first answer. */
  request(subject: string, data: unknown, limits: { timeoutMs: number }): Promise<HintReply>;
  /**
   * Asks the gateways that listen, and gives each answer when it comes. Resolves when the time is over, or if no
   * gateway listens.
   */
  gather(
    subject: string,
    data: unknown,
    limits: { timeoutMs: number },
    each: (answer: unknown) => void,
  ): Promise<void>;
  close(): Promise<void>;
}

/** The hints without NATS: they reach no gateway. */
export const noHints: Hints = {
  publish() {},
  subscribe: () => () => {},
  request: async () => ({ is: 'unreachable' }),
  async gather() {},
  async close() {},
};
