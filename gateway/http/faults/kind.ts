import type { z } from 'zod';
import { shapeOf } from '../../faults/kind.ts';
import type { RequestFailure } from '../dialect.ts';
import type { Answer } from '../endpoint.ts';

export { milliseconds } from '../../faults/kind.ts';

/** An answer as it was about to be sent. */
export interface SentAnswer {
  readonly answer: Answer;
  readonly text: string;
}

/** The request that meets a fault, with what the fault can do to it. Waits are by the gateway's clock. */
export interface FaultyExchange {
  /** Writes into the journal that the fault happened, before it does. */
  injected(sent?: SentAnswer): void;
  /** The connection breaks, and nothing more is sent. */
  drop(): void;
  /** The connection breaks instead of an answer that waited in vain, and the journal says so. */
  giveUp(sent: SentAnswer): void;
  /** The connection breaks, as a proxy breaks it that has waited long enough: the request sees its client go. */
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
  /** Time may pass meanwhile; a shutdown or a client that hangs up ends it at once. */
  wait(delayMs: number): Promise<void>;
  /** The gateway's time stands meanwhile; gives true if the client hung up within the limit in real time. */
  hold(limitMs: number): Promise<boolean>;
  /** Runs unless the answer is out or the connection gone by then; the time counts from when the request arrived. */
  unlessAnsweredAfter(delayMs: number, run: () => void): void;
  /** Sends the same request again, as one of its own. What it gives waits for its answer; undefined where it got none. */
  again(): () => Promise<SentAnswer | undefined>;
  /** Sends the same request again when the time has passed, whatever becomes of this one. */
  againAfter(delayMs: number): void;
}

/** What happens to the answer instead of being sent. */
export type Answering = (sent: SentAnswer) => void | Promise<void>;

/**
 * One thing that can go wrong with a request. `meet` is called before the request is executed: `over` means that it is not
 * executed, and a function is what its answer goes through.
 */
export interface RequestFaultKind<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly shape: Shape;
  readonly meet: (
    exchange: FaultyExchange,
    fault: z.output<z.ZodObject<Shape>>,
  ) => Answering | 'over' | undefined;
}

/** A kind of fault by its name, what it does in a sentence, the fields it takes, and the doing of it. */
export function faultKind<const Name extends string, Fields extends z.ZodRawShape>(
  name: Name,
  description: string,
  fields: Fields,
  meet: RequestFaultKind<Fields>['meet'],
): RequestFaultKind<{ fault: z.ZodLiteral<Name> } & Fields> {
  return { shape: shapeOf(name, description, fields), meet: meet as never };
}
