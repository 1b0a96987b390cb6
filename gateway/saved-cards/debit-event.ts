import { formatDecimalAmount } from '../../shared/money.ts';
import type { EventType } from '../events/schemas.ts';
import type { NewEvent } from '../events/stored-event.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';

type DebitEventType = Extract<EventType, `payments.debits.${string}`>;

/** Makes the event for a debit that has changed its state (B105). */
export function makeDebitEvent(debit: DebitRow): NewEvent<DebitEventType> {
  return {
    accountId: debit.account_id,
    environment: debit.environment,
    type: typeOf(debit),
    resourceId: debit.id,
    data: {
      transactionId: debit.id,
      status: debit.state,
      amount: formatDecimalAmount(debit.amount, debit.currency),
      contactId: debit.contact_id,
      fromCreditCardId: debit.credit_card_id,
      toBankAccountId: debit.to_bank_account_id,
      statement: debit.statement,
      ...(debit.note === null ? {} : { note: debit.note }),
      ...(debit.decline_code === null ? {} : { declineCode: debit.decline_code }),
    },
  };
}

/**
 * Gives the type of the event. For a paid debit, the type ends with `completed` after a charge, and with `paid` after a
 * capture (B104).
 */
function typeOf({ state, flow }: DebitRow): DebitEventType {
  if (state === 'paid') return flow === 'charge' ? 'payments.debits.completed' : 'payments.debits.paid';
  return `payments.debits.${state}`;
}
