import type { HttpAnswer } from './http-request.ts';

/** A till gives back of a payment that it has the answer of, without its card. */
export interface Reversal {
  readonly kind: 'reversal';
  /** The payment: its key, how its answer calls it, and what it took, tip included, minor units. */
  readonly of: string;
  readonly reference: string;
  readonly taken: number;
  /** What each reversal of it was told to have given back, by its key: known once it is checked. */
  readonly given: Map<string, number>;
  /** All that is left, whatever that is; else the amount asked for. */
  readonly whole: boolean;
}

/** What a till gives back: money of a payment, or money to the card that is presented. */
export type GivesBack = Reversal | { readonly kind: 'refund' };

/** One payment as the point of sale knows it; or what gives money back. */
export interface PosPayment {
  readonly api: PosApi;
  /** Names it among all payments of all points of sale. */
  readonly key: string;
  /** Who sells. */
  readonly pos: string;
  /** How its till signs messages, and its number of this one: with the terminal they are a key, none of them is one alone. */
  readonly till: string;
  readonly serviceId: string;
  readonly terminalId: string;
  readonly poiId: string;
  /** Requested, minor units. */
  readonly amount: number;
  readonly asksTip: boolean;
  /** Absent of a payment. */
  readonly gives?: GivesBack;
  readonly begunAt: number;
  /** How often it was sent, and how often of those its terminal had no link. */
  sent: number;
  unlinked: number;
  /** How often it was refused since nothing, or less, is left of its payment. */
  tooMuch: number;
  /** Every outcome it received, unchanged. */
  answers: string[];
  /** What a POS must never see. */
  complaints: string[];
  /** The gateway's payments that were made of it, where its API does not name them. */
  stored?: readonly StoredPayment[];
}

/** A payment as GET /control/payments gives it. */
export interface StoredPayment {
  readonly identifier: string;
  readonly saleReferenceId: string | null;
  readonly acceptedAt: string;
  readonly deliveredAt: string | null;
}

export type Question = 'send' | 'status' | 'abort';

/** What an answer is for a POS. */
export type Understood =
  | { is: 'outcome'; outcome: string }
  /** The terminal has no link, so nothing was begun; nobody knows the payment; it is open, or nobody can say now. */
  | { is: 'unlinked' | 'unknown' | 'open' }
  /** Not so much is left to be given back, so nothing was begun. */
  | { is: 'tooMuch' }
  /** There is nothing to know; it must not be. */
  | { is: 'done' | 'wrong' };

/** The parts of an outcome that money depends on. */
export interface Outcome {
  /** Where the API names it. */
  payment?: string;
  /** The errorCondition; undefined where it was approved. */
  failure: string | undefined;
  maskedPan: string | undefined;
  /** Major units. */
  tip: number;
  /** What names it where something is given back of it; of an API that can. */
  reference?: string;
  /** Of a reversal, major units. */
  givenBack?: number;
}

/** How a POS speaks to a gateway. */
export interface PosApi {
  readonly name: string;
  /** A status is told at once, so a POS waits before it asks for it again. */
  readonly tellsAtOnce: boolean;
  request(
    payment: PosPayment,
    question: Question,
    token: string,
  ): { method: string; path: string; headers: Record<string, string>; body?: string };
  understand(question: Question, answer: HttpAnswer): Understood;
  read(outcome: string): Outcome;
}
