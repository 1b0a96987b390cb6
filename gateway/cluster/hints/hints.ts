/** What became of a question to other gateways. */
export type HintReply =
  | { is: 'answer'; data: unknown }
  /** None of them listens to that subject now; known at once. */
  | { is: 'nobody' }
  /** Whoever listens said nothing in time. */
  | { is: 'silent' }
  /** NATS is not there. */
  | { is: 'unreachable' };

/** What is done with a hint. What it returns, or resolves with, answers a question. */
export type HintHandler = (data: unknown) => unknown;

/**
 * The way to the other gateways of this database: fast, and never relied on. Whatever is lost here is found in the
 * database a little later (docs/decisions/0022). A subject is words with dots between them.
 */
export interface Hints {
  /** Tells all other gateways that listen to the subject; lost where NATS is not there. */
  publish(subject: string, data?: unknown): void;
  /** Listens to what other gateways say and ask; returns how to stop. What comes was sent by a gateway of any release. */
  subscribe(subject: string, handler: HintHandler): () => void;
  /** Asks whoever listens, and takes the first answer. */
  request(subject: string, data: unknown, limits: { timeoutMs: number }): Promise<HintReply>;
  /** Asks all that listen, and gives each answer when it comes; resolves when the time is over, or nobody listens. */
  gather(
    subject: string,
    data: unknown,
    limits: { timeoutMs: number },
    each: (answer: unknown) => void,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Without NATS there is nobody to be reached. */
export const noHints: Hints = {
  publish() {},
  subscribe: () => () => {},
  request: async () => ({ is: 'unreachable' }),
  async gather() {},
  async close() {},
};
