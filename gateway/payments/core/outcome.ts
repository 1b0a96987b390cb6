import { stringifyAsciiJson } from '../../../shared/ascii-json.ts';
import { isoTime } from '../../../shared/clock.ts';
import { joinJsonTexts } from '../../../shared/json-list.ts';
import { memoizeByObject } from '../../../shared/memoize-recent.ts';
import type { PaymentResponse } from '../../../shared/nexo/bodies.ts';
import type { AuthenticationMethod, EntryMode, ErrorCondition } from '../../../shared/nexo/enums.ts';

/**
 * The outcome of a payment, in a form that is the same for every API. It has everything that the terminal answered, or
 * the failure that the gateway found. The outcome is stored in this form, and the gateway makes the answer to the POS
 * from it.
 */
export interface PaymentOutcome {
  readonly payment: string;
  readonly result: 'success' | 'failure';
  readonly reason?: ErrorCondition;
  /** Further fields of the terminal's answer, in the order of the answer. The same name may occur more than once. */
  readonly notes?: readonly Note[];
  readonly saleReference?: string;
  /**
   * Amounts in major units, as the terminal sends them. For a reversal or refund, these are the amounts that were given
   * back.
   */
  readonly amounts?: { readonly currency: string; readonly authorized: number; readonly tip?: number };
  readonly card?: {
    readonly brand: Card['PaymentBrand'];
    readonly maskedNumber: string;
    readonly entryModes: readonly EntryMode[];
    readonly country: string;
    /** Two or three digits that distinguish cards with the same number. */
    readonly sequence?: string;
    /** The expiry date as MMYY. */
    readonly expiry?: string;
  };
  /** How the cardholder was verified. */
  readonly verification?: readonly AuthenticationMethod[];
  readonly online?: boolean;
  /**
   * If this payment was refused because the terminal was busy with another payment: the identifier of the other
   * payment.
   */
  readonly busyWith?: string;
  /** Set if the terminal was not connected and never received the payment. */
  readonly unsent?: true;
  readonly references?: {
    /**
     * The terminal's reference for the payment. If the gateway ended the payment without the terminal, the reference is
     * the payment's ServiceID.
     */
    readonly terminal: Reference;
    readonly attempt?: string;
    readonly acquirer?: {
      readonly merchant: string;
      readonly terminal: string;
      readonly transaction?: Reference;
      readonly approvalCode?: string;
    };
  };
  readonly receipts?: readonly OutcomeReceipt[];
}

/** An outcome as it is stored. Version 0.1.0 stored the native API's answer instead of the outcome, as JSON text. */
export type StoredOutcome = PaymentOutcome | { readonly nativeAnswer: string };

export interface OutcomeReceipt {
  readonly for: 'cashier' | 'customer';
  readonly signature: boolean;
  readonly lines: readonly OutcomeReceiptLine[];
}

export interface OutcomeReceiptLine {
  readonly text: ReceiptText;
  readonly style?: 'bold' | 'normal';
  readonly ends: boolean;
}

interface ReceiptText {
  readonly name: string;
  readonly value?: string;
  readonly key: string;
}

type Note = readonly [name: string, value: string];
type Card = NonNullable<PaymentResponse['PaymentResult']>['PaymentInstrumentData']['CardData'];

interface Reference {
  readonly id: string;
  readonly at: string;
}

/**
 * Makes the outcome of a failure that the gateway found itself and that the terminal did not report. `at` is in
 * milliseconds since 1970.
 */
export function makeGatewayFailureOutcome(
  payment: { id: string; serviceId: string; saleReferenceId?: string | undefined },
  found: {
    reason: ErrorCondition;
    message: string;
    at: number;
    busyWith?: string;
    unsent?: true;
  },
): PaymentOutcome {
  const { id, serviceId, saleReferenceId: saleReference } = payment;
  const { reason, message, at, busyWith, unsent } = found;
  return {
    payment: id,
    result: 'failure',
    reason,
    notes: [['message', message]],
    ...(saleReference !== undefined && { saleReference }),
    ...(busyWith !== undefined && { busyWith }),
    ...(unsent && { unsent }),
    references: { terminal: { id: serviceId, at: isoTime(at) } },
  };
}

/**
 * Gives the outcome's further fields as an object. The field names are its keys. If a name occurs twice, the second
 * value is kept.
 */
export function outcomeNotesByName({ notes = [] }: PaymentOutcome): Readonly<Record<string, string>> {
  return Object.fromEntries(notes);
}

/** Gives one of the outcome's further fields. */
export function findOutcomeNote({ notes = [] }: PaymentOutcome, name: string): string | undefined {
  return notes.findLast(([one]) => one === name)?.[1];
}

/** Reads the outcome from a payment's row; undefined while the payment is open. */
export function readStoredOutcome(row: {
  answer: string | null;
  outcome: string | null;
}): StoredOutcome | undefined {
  if (row.outcome !== null) return JSON.parse(row.outcome) as PaymentOutcome;
  return row.answer === null ? undefined : { nativeAnswer: row.answer };
}

/** Writes an outcome as the JSON text that is stored. */
export function outcomeJson(outcome: PaymentOutcome): string {
  const { receipts, ...rest } = outcome;
  if (!receipts) return stringifyAsciiJson(rest);
  return `${stringifyAsciiJson(rest).slice(0, -1)},"receipts":${joinJsonTexts(receipts.map(receiptText))}}`;
}

function receiptText({ for: whom, signature, lines }: OutcomeReceipt): string {
  return `{"for":"${whom}","signature":${signature},"lines":[${lines.map(lineText).join(',')}]}`;
}

const lineText = memoizeByObject<OutcomeReceiptLine, string>(stringifyAsciiJson);
