/** How a question to other gateways ended. */
export type HintReply =
  | { is: 'answer'; data: unknown }
  /** No gateway listens to that subject now. This is known at once. */
  | { is: 'nobody' }
  /** The gateways that listen did not answer in time. */
  | { is: 'silent' }
  /** NATS is not there. */
  | { is: 'unreachable' };

/** Takes a hint. If the hint is a question, the returned or resolved value answers it. */
export type HintHandler = (data: unknown) => unknown;

/**
 * The way to the other gateways of this database: fast, and never relied on. A hint that is lost is found in the
 * database a little later (docs/decisions/0022). A subject is words with dots between them.
 */
export interface Hints {
  /** Tells all other gateways that listen to the subject. The hint is lost if NATS is not there. */
  publish(subject: string, data?: unknown): void;
  /** Listens to what other gateways say and ask; returns a function that stops it. A gateway of any release may have sent it. */
  subscribe(subject: string, handler: HintHandler): () => void;
  /** Asks the gateways that listen, and takes the first answer. */
  request(subject: string, data: unknown, limits: { timeoutMs: number }): Promise<HintReply>;
  /** Asks the gateways that listen, and gives each answer when it comes. Resolves when the time is over, or if no gateway listens. */
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
