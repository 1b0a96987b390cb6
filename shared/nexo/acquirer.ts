import { z } from 'zod';
import { entryMode, errorCondition, paymentBrand } from './enums.ts';

/**
 * The one message pair on /poi that is ours, not nexo's: terminal to acquirer host and back.
 * Amounts are whole minor units. No full card number ever travels.
 */
const reference = {
  /** The payment, reversal or refund, by SaleTransactionID.TransactionID of its request. */
  PaymentReference: z.uuid(),
};

/** One try of a terminal to have a payment authorized; a new one for every try (B134). */
export const attemptId = z.string().regex(/^[A-Za-z0-9-]{1,36}$/);

/** A card number with its middle hidden: a whole one is refused with its message, before anything keeps it. */
export const maskedPan = z.string().regex(/^\d{0,6} ?\*+ ?\d{0,4}$/, 'must be masked');

/** What a test card makes the issuer do, where that is not approving (B128). */
export const hostBehaviour = z.object({
  errorCondition: errorCondition,
  refusalReason: z.string(),
  message: z.string(),
});
export type AcquirerBehaviour = z.infer<typeof hostBehaviour>;

/** The card that pays, or that is given money back. */
const card = z.object({
  Brand: paymentBrand,
  /** AID of the chip's application that pays; absent where the card came in another way. */
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
    /** Requested amount plus tip: what is authorized. */
    TotalAmount: z.int(),
    Card: card,
    OnlinePin: onlinePin.optional(),
  }),
  /** Gives money back: a reversal or refund of its own name, with attempts of its own, which `Reverse` ends as a payment's. */
  z.object({
    Type: z.literal('Refund'),
    ...reference,
    AttemptID: attemptId,
    Currency: z.string(),
    /** What is given back. */
    Amount: z.int(),
    /** Absent of a reversal, which goes to the card of its payment. */
    Card: card.optional(),
    OnlinePin: onlinePin.optional(),
  }),
  z.object({
    Type: z.literal('Reverse'),
    ...reference,
    /** Ends this attempt alone. Absent where the terminal noted the reversal down with version 0.1.0. */
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
  /** Present when not approved. WrongPIN with a PIN try left means: ask again. */
  ErrorCondition: errorCondition.optional(),
  RefusalReason: z.string().optional(),
  Message: z.string().optional(),
  /** The host's answer as additionalResponse acquirerResponseCode gives it, e.g. APPROVED. */
  AcquirerResponseCode: z.string(),
};

export const acquirerResponse = z.discriminatedUnion('Type', [
  z.object({ Type: z.literal('Authorize'), ...decision }),
  z.object({ Type: z.literal('Refund'), ...decision }),
  z.object({ Type: z.literal('Reverse'), ...reference, AttemptID: attemptId.optional() }),
]);
export type AcquirerResponse = z.infer<typeof acquirerResponse>;
