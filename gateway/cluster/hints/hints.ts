/** The result of a question to other gateways. */
export type HintReply =
  | { is: 'answer'; data: unknown }
  /** No gateway listens to the subject at present. NATS reports this immediately. */
  | { is: 'nobody' }
  /** Some gateways listen to the subject, but none of them answered in time. */
  | { is: 'silent' }
  /** NATS cannot be reached. */
  | { is: 'unreachable' };

/** Handles a hint. If the hint is a question, the returned value is the answer; it may be a promise. */
export type HintHandler = (data: unknown) => unknown;

/**
 * Sends short messages (hints) to the other gateways of this database. Hints are fast but may be lost. If a hint is
 * lost, the receiver finds the same news in the database a little later (docs/decisions/0022). Each hint has a subject,
 * which consists of words with dots between them.
 */
export interface HintBus {
  /** Sends a hint to all other gateways that listen to the subject. If NATS cannot be reached, the hint is lost. */
  publish(subject: string, data?: unknown): void;
  /**
   * Calls `handler` with the hints and questions of other gateways, which may be of any release. Returns a function
   * that ends the subscription.
   */
  subscribe(subject: string, handler: HintHandler): () => void;
  /** Asks the gateways that listen to the subject, and resolves with the first answer. */
  request(subject: string, data: unknown, limits: { timeoutMs: number }): Promise<HintReply>;
  /**
   * Asks the gateways that listen to the subject, and passes each answer to `each` when it arrives. Resolves when the
   * time limit is over, or at once if no gateway listens.
   */
  gather(
    subject: string,
    data: unknown,
    limits: { timeoutMs: number },
    each: (answer: unknown) => void,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Used as the hint bus if there is no NATS server. It sends nothing and receives nothing. */
export const noHints: HintBus = {
  publish() {},
  subscribe: () => () => {},
  request: async () => ({ is: 'unreachable' }),
  async gather() {},
  async close() {},
};
