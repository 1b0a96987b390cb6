import type { z } from 'zod';
import { shapeOf } from '../../faults/kind.ts';
import type { RequestFailure } from '../dialect.ts';
import type { Answer } from '../endpoint.ts';

export { milliseconds } from '../../faults/kind.ts';

/** An answer that was about to be sent. */
export interface SentAnswer {
  readonly answer: Answer;
  readonly text: string;
}

/**
 * The request that meets a fault, with everything that a fault can do to it. Waits are measured by the gateway's clock.
 */
export interface FaultyExchange {
  /** Writes the fault into the journal before its effect begins. */
  injected(sent?: SentAnswer): void;
  /** Breaks the connection, so that nothing more is sent. */
  drop(): void;
  /** Breaks the connection instead of sending an answer that was held in vain, and notes that in the journal. */
  giveUp(sent: SentAnswer): void;
  /** Breaks the connection as a proxy does after waiting too long: the handler sees that its client is gone. */
  cut(): void;
  /** Sends an answer. */
  send(sent: SentAnswer): void;
  /** Sends an error in the form of the request's API. */
  refuse(
    error: Pick<RequestFailure, 'status' | 'code' | 'message'> & Partial<Pick<RequestFailure, 'headers'>>,
  ): void;
  /** Sends the head of an answer; gives the body, which is sent with {@link push} and {@link finish}. */
  begin(sent: SentAnswer): Buffer;
  /** Resolves when the bytes are on their way. */
  push(bytes: Uint8Array): Promise<void>;
  finish(): void;
  /** Waits; time may pass meanwhile. If the gateway shuts down or the client hangs up, the wait ends at once. */
  wait(delayMs: number): Promise<void>;
  /**
   * Waits until the client hangs up, while the gateway's time stands still. Gives false if the limit, in real time,
   * comes first.
   */
  hold(limitMs: number): Promise<boolean>;
  /**
   * Calls `run` unless the answer was sent or the connection is gone by then. The delay counts from the request's
   * arrival.
   */
  unlessAnsweredAfter(delayMs: number, run: () => void): void;
  /**
   * Sends the same request again as another request. The returned function waits for the answer, which is undefined if
   * there is none.
   */
  again(): () => Promise<SentAnswer | undefined>;
  /** Sends the same request again after the delay, whatever happens to this one. */
  againAfter(delayMs: number): void;
}

/** Gets the answer, which is not sent unless this function sends it. */
export type Answering = (sent: SentAnswer) => void | Promise<void>;

/**
 * One kind of thing that can go wrong with a request. `meet` is called before the request is executed. If it returns
 * `over`, the request is not executed; if it returns a function, that function gets the answer instead of the client.
 */
export interface RequestFaultKind<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly shape: Shape;
  readonly meet: (
    exchange: FaultyExchange,
    fault: z.output<z.ZodObject<Shape>>,
  ) => Answering | 'over' | undefined;
}

/**
 * Makes a kind of fault from its name, a sentence about its effect, the fields that it has, and the function that
 * causes it.
 */
export function requestFault<const Name extends string, Fields extends z.ZodRawShape>(
  name: Name,
  description: string,
  fields: Fields,
  meet: RequestFaultKind<Fields>['meet'],
): RequestFaultKind<{ fault: z.ZodLiteral<Name> } & Fields> {
  return { shape: shapeOf(name, description, fields), meet: meet as never };
}
