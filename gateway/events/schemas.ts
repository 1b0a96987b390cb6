import { z } from 'zod';
import { refundStatuses } from '../store/rows/refunds.ts';
import { debitStates } from '../store/rows/saved-cards.ts';

const decimal = z.string().meta({
  description: 'A decimal number with exactly as many decimals as the currency has',
  example: '12.30',
});

/** The data of an event about a debit of a saved card (B105). */
const debitEventData = z
  .object({
    transactionId: z.string().meta({ description: 'The debit id' }),
    status: z.enum(debitStates),
    amount: decimal,
    contactId: z.string(),
    fromCreditCardId: z.string(),
    toBankAccountId: z.string(),
    statement: z.string(),
    note: z.string().optional(),
    declineCode: z
      .string()
      .optional()
      .meta({ description: 'The reason why the card was declined; absent unless it was declined' }),
  })
  .meta({ id: 'DebitEventData', description: 'The debit at the time of the event' });

/** The data of an event about a refund (B103). */
const refundEventData = z
  .object({
    refundId: z.string(),
    transactionId: z.string().meta({ description: 'The debit id' }),
    status: z.enum(refundStatuses),
    amount: decimal,
    reason: z.string(),
    reasonDetails: z.string().optional(),
  })
  .meta({ id: 'RefundEventData', description: 'The refund at the time of the event' });

/** The data of an event about a credit (B105). */
const creditEventData = z
  .object({
    creditId: z.string(),
    status: z.enum(['initiated', 'completed', 'expired', 'failed']),
    amount: decimal,
    contactId: z.string(),
    fromBankAccountId: z.string(),
    statement: z.string(),
    note: z.string().optional(),
  })
  .meta({ id: 'CreditEventData', description: 'The credit at the time of the event' });

/**
 * The schemas of all events, by the names of the events. Events about debits and credits follow B105. pinpad itself
 * defines the events about refunds (B103).
 */
const eventSchemas = {
  'payments.debits.completed': debitEventData,
  'payments.debits.preauthorized': debitEventData,
  'payments.debits.paid': debitEventData,
  'payments.debits.failed': debitEventData,
  'payments.debits.voided': debitEventData,
  'payments.refunds.created': refundEventData,
  'payments.refunds.submitted': refundEventData,
  'payments.refunds.failed': refundEventData,
  'payments.credits.initiated': creditEventData,
  'payments.credits.completed': creditEventData,
  'payments.credits.expired': creditEventData,
  'payments.credits.failed': creditEventData,
} as const;
export type EventType = keyof typeof eventSchemas;
export type EventData<Type extends EventType = EventType> = z.infer<(typeof eventSchemas)[Type]>;

/** For each event, a sentence that says when the event happens. The documentation uses these sentences. */
export const eventDescriptions: Record<EventType, string> = {
  'payments.debits.completed': 'A charge was authorized and captured',
  'payments.debits.preauthorized': 'An amount was authorized on a saved card, and is not captured yet',
  'payments.debits.paid': 'A preauthorized debit was captured',
  'payments.debits.failed': 'A charge, preauthorization or capture was declined',
  'payments.debits.voided': 'A preauthorized debit was released because it was not captured in time',
  'payments.refunds.created': 'A refund was created and is being processed',
  'payments.refunds.submitted': "A refund was sent to the customer's bank",
  'payments.refunds.failed':
    'A refund failed at its creation, while it was processed, or after its submission',
  'payments.credits.initiated': 'A payment link was created',
  'payments.credits.completed': 'A customer accepted the money at a payment link',
  'payments.credits.expired': 'A payment link expired before a customer accepted the money',
  'payments.credits.failed': 'The bank refused to pay out the money of a payment link',
};

const eventTypes = Object.keys(eventSchemas) as [EventType, ...EventType[]];
export const eventTypeSchema = z.enum(eventTypes).meta({ id: 'EventType' });

/**
 * The type of a result in Adyen's Terminal API. The result belongs to a message that was answered with `ok` before the
 * result was known (docs/adyen.md). A result is delivered like an event, but only to webhooks that name this type. No
 * list of events shows a result, because a result reports no change of a debit, refund or credit.
 */
export const adyenResultType = 'adyen.results';
/** The types that are delivered to webhooks: all types of events, and the type of results. */
export type DeliveredEventType = EventType | typeof adyenResultType;
export const deliveredEventTypeSchema = z.enum([...eventTypes, adyenResultType]).meta({
  id: 'DeliveredType',
  description: `The type of an event for webhooks. The type ${adyenResultType} means a result of Adyen's Terminal API`,
});

/** An event in the form in which lists show it. */
export const storedEventViewSchema = z
  .object({
    id: z.uuid(),
    accountId: z.string(),
    environment: z.enum(['sandbox', 'production']),
    type: eventTypeSchema,
    resourceId: z.string().meta({ description: 'The debit, refund or credit that changed' }),
    createdAt: z.iso.datetime(),
    data: z.union([debitEventData, refundEventData, creditEventData]),
  })
  .meta({ id: 'Event', description: 'A change of a debit, refund or credit' });
export type StoredEventView = z.infer<typeof storedEventViewSchema>;
