import type { HttpAnswer } from './http-request.ts';

/** A reversal without the card. It reverses a payment whose answer the till has. */
export interface Reversal {
  readonly kind: 'reversal';
  /**
   * The payment to reverse: its key, the reference in its answer, and the amount that it took including the tip, in
   * minor units.
   */
  readonly of: string;
  readonly reference: string;
  readonly taken: number;
  /**
   * Maps the key of each reversal of the payment to the amount that the reversal gave back. The amounts are filled in
   * when the reversals are checked.
   */
  readonly given: Map<string, number>;
  /** Whether the reversal asks for everything that is left. Otherwise it asks for a certain amount. */
  readonly whole: boolean;
}

/** How a till gives money back: by reversing a payment, or by a refund to the card that is presented. */
export type GiveBackMethod = Reversal | { readonly kind: 'refund' };

/** One payment, reversal or refund, as the point of sale knows it. */
export interface PosPayment {
  readonly api: PosApi;
  /** Identifies the payment among the payments of all points of sale. */
  readonly key: string;
  /** The name of the point of sale. */
  readonly pos: string;
  /**
   * `till` is the till's name in the messages, and `serviceId` is the till's number for this message. Only together
   * with the terminal, both identify a message.
   */
  readonly till: string;
  readonly serviceId: string;
  readonly terminalId: string;
  readonly poiId: string;
  /** The requested amount in minor units. */
  readonly amount: number;
  readonly asksTip: boolean;
  /** How money is given back. It is absent for a payment. */
  readonly gives?: GiveBackMethod;
  readonly begunAt: number;
  /** `sent`: how often the request was sent. `unlinked`: how often it was refused because the terminal had no link. */
  sent: number;
  unlinked: number;
  /** How often a reversal was refused because too little was left of its payment. */
  tooMuch: number;
  /** Every outcome that the point of sale received, unchanged. */
  answers: string[];
  /** Answers that a POS must never get. */
  complaints: string[];
  /** The payments that the gateway created for this request, if the API's answers do not name them. */
  stored?: readonly StoredPayment[];
}

/** A payment as GET /control/payments returns it. */
export interface StoredPayment {
  readonly identifier: string;
  readonly saleReferenceId: string | null;
  readonly acceptedAt: string;
  readonly deliveredAt: string | null;
}

export type PosRequestKind = 'send' | 'status' | 'abort';

/** What a POS understands from an answer. */
export type UnderstoodAnswer =
  | { is: 'outcome'; outcome: string }
  /**
   * `unlinked`: the terminal has no link, so nothing was begun. `unknown`: the gateway does not know the payment.
   * `open`: the payment is open, or its state is not known at present.
   */
  | { is: 'unlinked' | 'unknown' | 'open' }
  /** Too little is left to be given back, so nothing was begun. */
  | { is: 'tooMuch' }
  /**
   * `done`: the answer says nothing about the outcome, and the POS does not ask again. `wrong`: a POS must never get
   * such an answer.
   */
  | { is: 'done' | 'wrong' };

/** The parts of an outcome that matter for the money. */
export interface Outcome {
  /** The payment's identifier, if the API tells it. */
  payment?: string;
  /** The errorCondition, or undefined if the payment was approved. */
  failure: string | undefined;
  maskedPan: string | undefined;
  /** The tip in major units. */
  tip: number;
  /** The reference that a reversal of this payment needs. Only an API that has reversals returns it. */
  reference?: string;
  /** The amount that a reversal gave back, in major units. */
  givenBack?: number;
}

/** How a POS calls a gateway. */
export interface PosApi {
  readonly name: string;
  /**
   * Whether the gateway answers a status request at once, even if there is no outcome yet. If so, the POS waits before
   * it asks again.
   */
  readonly tellsAtOnce: boolean;
  request(
    payment: PosPayment,
    question: PosRequestKind,
    token: string,
  ): { method: string; path: string; headers: Record<string, string>; body?: string };
  understand(question: PosRequestKind, answer: HttpAnswer): UnderstoodAnswer;
  read(outcome: string): Outcome;
}
