import type { HttpAnswer } from './http-request.ts';

/** One payment as the point of sale knows it. */
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
  readonly begunAt: number;
  /** How often it was sent, and how often of those its terminal had no link. */
  sent: number;
  unlinked: number;
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
