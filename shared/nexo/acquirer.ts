import { z } from 'zod';
import { entryMode, errorCondition, paymentBrand } from './enums.ts';

/**
 * The one message pair on /poi that is pinpad's own, not nexo's: a terminal asks the acquirer host, and gets its
 * answer. Amounts are whole minor units. No full card number is ever sent.
 */
const reference = {
  /** The transaction identifier of the payment, reversal or refund, from SaleTransactionID of its request. */
  PaymentReference: z.uuid(),
};

/** The identifier of one attempt of a terminal to have a payment authorized; each attempt has a new one (B134). */
export const attemptId = z.string().regex(/^[A-Za-z0-9-]{1,36}$/);

/** A card number with its middle hidden. A message with a full number is refused before it is kept anywhere. */
export const maskedPan = z.string().regex(/^\d{0,6} ?\*+ ?\d{0,4}$/, 'must be masked');

/** The issuer's answer to a test card, if it is not an approval (B128). */
export const hostBehaviour = z.object({
  errorCondition: errorCondition,
  refusalReason: z.string(),
  message: z.string(),
});
export type AcquirerBehaviour = z.infer<typeof hostBehaviour>;

/** The card that pays, or the card that gets money back. */
const card = z.object({
  Brand: paymentBrand,
  /** The AID of the chip's application that pays; absent if the chip was not read. */
  ApplicationID: z.string().max(32).optional(),
  MaskedPan: maskedPan,
  EntryMode: entryMode,
  Behaviour: hostBehaviour.optional(),
});

/** An online PIN is verified by the issuer; the emulator only says whether the PIN was right. */
const onlinePin = z.enum(['Correct', 'Wrong']);

export const acquirerRequest = z.discriminatedUnion('Type', [
  z.object({
    Type: z.literal('Authorize'),
    ...reference,
    AttemptID: attemptId,
    Currency: z.string(),
    RequestedAmount: z.int(),
    /** The amount that is authorized: the requested amount plus the tip. */
    TotalAmount: z.int(),
    Card: card,
    OnlinePin: onlinePin.optional(),
  }),
  /**
   * Gives money back. A reversal or refund has a reference and attempts of its own, and `Reverse` undoes one just as it
   * undoes a payment.
   */
  z.object({
    Type: z.literal('Refund'),
    ...reference,
    AttemptID: attemptId,
    Currency: z.string(),
    /** The sum that is given back. */
    Amount: z.int(),
    /** Absent for a reversal, whose money goes to the card of the original payment. */
    Card: card.optional(),
    OnlinePin: onlinePin.optional(),
  }),
  z.object({
    Type: z.literal('Reverse'),
    ...reference,
    /** Reverses this attempt only. It is absent if the terminal noted the reversal with version 0.1.0. */
    AttemptID: attemptId.optional(),
    Reason: z.enum(['Timeout', 'Malfunction', 'CustCancel', 'CardRemoved']),
  }),
]);
export type AcquirerRequest = z.infer<typeof acquirerRequest>;

/** The host's decision on an attempt. */
const decision = {
  ...reference,
  AttemptID: attemptId,
  Approved: z.boolean(),
  PspReference: z.string(),
  AuthCode: z.string().optional(),
  /** Present if not approved. WrongPIN with a PIN try left means that the terminal asks for the PIN again. */
  ErrorCondition: errorCondition.optional(),
  RefusalReason: z.string().optional(),
  Message: z.string().optional(),
  /** The host's answer, which becomes acquirerResponseCode in additionalResponse, e.g. APPROVED. */
  AcquirerResponseCode: z.string(),
};

export const acquirerResponse = z.discriminatedUnion('Type', [
  z.object({ Type: z.literal('Authorize'), ...decision }),
  z.object({ Type: z.literal('Refund'), ...decision }),
  z.object({ Type: z.literal('Reverse'), ...reference, AttemptID: attemptId.optional() }),
]);
export type AcquirerResponse = z.infer<typeof acquirerResponse>;
