import { z } from 'zod';
import { entryMode, errorCondition, paymentBrand } from './enums.ts';

/**
 * The one message pair on /poi that is ours, not nexo's: terminal to acquirer host and back.
 * Amounts are whole minor units. No full card number ever travels.
 */
const reference = {
  /** The transaction identifier of the payment, reversal or refund, from SaleTransactionID of its request. */
  PaymentReference: z.uuid(),
};

/** One attempt of a terminal to have a payment authorized; each attempt has a new identifier (B134). */
export const attemptId = z.string().regex(/^[A-Za-z0-9-]{1,36}$/);

/** A card number with its middle hidden. A message with a whole one is refused before anything keeps it. */
export const maskedPan = z.string().regex(/^\d{0,6} ?\*+ ?\d{0,4}$/, 'must be masked');

/** The issuer's answer to a test card, if it is not an approval (B128). */
export const hostBehaviour = z.object({
  errorCondition: errorCondition,
  refusalReason: z.string(),
  message: z.string(),
});
export type AcquirerBehaviour = z.infer<typeof hostBehaviour>;

/** The card that pays, or to which money is given back. */
const card = z.object({
  Brand: paymentBrand,
  /** The AID of the chip's application that pays; absent if the card was read in another way. */
  ApplicationID: z.string().max(32).optional(),
  MaskedPan: maskedPan,
  EntryMode: entryMode,
  Behaviour: hostBehaviour.optional(),
});

/** An online PIN is verified by the issuer; the emulator only says how it compares. */
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
  /** Gives money back. A reversal or refund has a reference and attempts of its own, and `Reverse` ends it like a payment. */
  z.object({
    Type: z.literal('Refund'),
    ...reference,
    AttemptID: attemptId,
    Currency: z.string(),
    /** The sum that is given back. */
    Amount: z.int(),
    /** Absent for a reversal, which goes to the card of its payment. */
    Card: card.optional(),
    OnlinePin: onlinePin.optional(),
  }),
  z.object({
    Type: z.literal('Reverse'),
    ...reference,
    /** Ends this attempt alone. It is absent if the terminal noted the reversal with version 0.1.0. */
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
  /** Present if not approved. WrongPIN with a PIN try left means that the terminal asks again. */
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
