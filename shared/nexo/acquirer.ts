import { z } from 'zod';
import { entryModeSchema, errorConditionSchema, paymentBrandSchema } from './enums.ts';

const reference = {
  /** The identifier of the payment, reversal or refund. It is the SaleTransactionID of the request. */
  PaymentReference: z.uuid(),
};

/**
 * The identifier of one attempt of a terminal to get a payment authorized. Each attempt has a new identifier (B134).
 */
export const attemptIdSchema = z.string().regex(/^[A-Za-z0-9-]{1,36}$/);

/**
 * A card number without the digits in the middle. If a message contains a full card number, the message is refused
 * before anything of it is stored.
 */
export const maskedPanSchema = z.string().regex(/^\d{0,6} ?\*+ ?\d{0,4}$/, 'must be masked');

/** The host's refusal of a test card. It is absent if the host approves (B128). */
export const hostRefusalSchema = z.object({
  errorCondition: errorConditionSchema,
  refusalReason: z.string(),
  message: z.string(),
});
export type HostRefusal = z.infer<typeof hostRefusalSchema>;

/** The card that pays, or the card that gets money back. */
const card = z.object({
  Brand: paymentBrandSchema,
  /** The AID of the application that pays. It is absent if the chip was not read. */
  ApplicationID: z.string().max(32).optional(),
  MaskedPan: maskedPanSchema,
  EntryMode: entryModeSchema,
  Behaviour: hostRefusalSchema.optional(),
});

/**
 * The result of an online check of the PIN. The host decides by this result; the emulator only says whether the PIN was
 * right.
 */
const onlinePin = z.enum(['Correct', 'Wrong']);

/**
 * A terminal's request to the acquirer's host. This request and its response are the only pair of messages on /poi that
 * nexo does not define. Amounts are whole minor units. A full card number is never sent.
 */
export const acquirerRequestSchema = z.discriminatedUnion('Type', [
  z.object({
    Type: z.literal('Authorize'),
    ...reference,
    AttemptID: attemptIdSchema,
    Currency: z.string(),
    RequestedAmount: z.int(),
    /** The amount to authorize: the requested amount and the tip. */
    TotalAmount: z.int(),
    Card: card,
    OnlinePin: onlinePin.optional(),
  }),
  /**
   * Gives money back. A reversal or refund has its own reference and its own attempts. `Reverse` undoes such an attempt
   * just as it undoes an attempt of a payment.
   */
  z.object({
    Type: z.literal('Refund'),
    ...reference,
    AttemptID: attemptIdSchema,
    Currency: z.string(),
    /** The sum that is given back. */
    Amount: z.int(),
    /**
     * The card that gets the money. It is absent for a reversal, because the money goes to the card of the original
     * payment.
     */
    Card: card.optional(),
    OnlinePin: onlinePin.optional(),
  }),
  z.object({
    Type: z.literal('Reverse'),
    ...reference,
    /** The attempt that is to be reversed. It is absent if the reversal was stored by a terminal of version 0.1.0. */
    AttemptID: attemptIdSchema.optional(),
    Reason: z.enum(['Timeout', 'Malfunction', 'CustCancel', 'CardRemoved']),
  }),
]);
export type AcquirerRequest = z.infer<typeof acquirerRequestSchema>;

/** The host's decision on an attempt. */
const decision = {
  ...reference,
  AttemptID: attemptIdSchema,
  Approved: z.boolean(),
  PspReference: z.string(),
  AuthCode: z.string().optional(),
  /**
   * The reason for a refusal; absent if the host approves. If the reason is WrongPIN and a PIN try is left, the
   * terminal asks for the PIN again.
   */
  ErrorCondition: errorConditionSchema.optional(),
  RefusalReason: z.string().optional(),
  Message: z.string().optional(),
  /**
   * The host's answer, e.g. APPROVED. The terminal's answer contains it as acquirerResponseCode in additionalResponse.
   */
  AcquirerResponseCode: z.string(),
};

/** The host's answer to an {@link acquirerRequestSchema}. */
export const acquirerResponseSchema = z.discriminatedUnion('Type', [
  z.object({ Type: z.literal('Authorize'), ...decision }),
  z.object({ Type: z.literal('Refund'), ...decision }),
  z.object({ Type: z.literal('Reverse'), ...reference, AttemptID: attemptIdSchema.optional() }),
]);
export type AcquirerResponse = z.infer<typeof acquirerResponseSchema>;
