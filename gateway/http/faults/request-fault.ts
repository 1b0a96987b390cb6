import type { z } from 'zod';
import { shapeOf } from '../../faults/kind.ts';
import type { RequestFailure } from '../dialect.ts';
import type { Answer } from '../endpoint.ts';

export { milliseconds } from '../../faults/kind.ts';

/** An answer that is ready to be sent. */
export interface SentAnswer {
  readonly answer: Answer;
  readonly text: string;
}

/**
 * The request that a fault affects, and everything that a fault can do to it. The gateway's clock measures how long a
 * fault waits.
 */
export interface FaultyExchange {
  /** Writes the fault into the journal before its effect begins. */
  injected(sent?: SentAnswer): void;
  /** Breaks the connection, so that nothing more is sent. */
  drop(): void;
  /**
   * Breaks the connection because the client still waits for an answer that was held long enough. Notes that in the
   * journal.
   */
  giveUp(sent: SentAnswer): void;
  /**
   * Breaks the connection, as a proxy does that has waited too long. The handler learns that its client has hung up.
   */
  cut(): void;
  /** Sends an answer. */
  send(sent: SentAnswer): void;
  /** Sends an error in the form of the request's API. */
  refuse(
    error: Pick<RequestFailure, 'status' | 'code' | 'message'> & Partial<Pick<RequestFailure, 'headers'>>,
  ): void;
  /** Sends the head of an answer, and gives the body. Send the body with {@link push} and {@link finish}. */
  begin(sent: SentAnswer): Buffer;
  /** Sends a part of the body. Resolves when the bytes are on their way. */
  push(bytes: Uint8Array): Promise<void>;
  finish(): void;
  /** Waits, while virtual time may move. If the gateway shuts down or the client hangs up, the wait ends at once. */
  wait(delayMs: number): Promise<void>;
  /**
   * Waits until the client hangs up, while the gateway's clock stands still. Returns false if the client still waits
   * after `limitMs` of real time.
   */
  hold(limitMs: number): Promise<boolean>;
  /**
   * Calls `run` after the delay, unless by then the answer was sent or the connection has ended. The delay runs from
   * the request's arrival.
   */
  unlessAnsweredAfter(delayMs: number, run: () => void): void;
  /**
   * Sends the same request once more, as a request of its own. The returned function waits for its answer, which is
   * undefined if there is none.
   */
  again(): () => Promise<SentAnswer | undefined>;
  /** Sends the same request once more after the delay, whatever becomes of this one. */
  againAfter(delayMs: number): void;
}

/** Receives the answer. The answer is sent only if this function sends it. */
export type Answering = (sent: SentAnswer) => void | Promise<void>;

/**
 * One kind of thing that can go wrong with a request. `meet` is called before the request is carried out. If it returns
 * `over`, the request is not carried out. If it returns a function, that function gets the answer instead of the
 * client.
 */
export interface RequestFaultKind<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly shape: Shape;
  readonly meet: (
    exchange: FaultyExchange,
    fault: z.output<z.ZodObject<Shape>>,
  ) => Answering | 'over' | undefined;
}

/** Makes a kind of fault from its name, a sentence that describes it, its fields, and the function that causes it. */
export function requestFault<const Name extends string, Fields extends z.ZodRawShape>(
  name: Name,
  description: string,
  fields: Fields,
  meet: RequestFaultKind<Fields>['meet'],
): RequestFaultKind<{ fault: z.ZodLiteral<Name> } & Fields> {
  return { shape: shapeOf(name, description, fields), meet: meet as never };
}
