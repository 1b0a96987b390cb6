import { formatDecimalAmount } from '../../shared/money.ts';
import type { NewEvent } from '../events/stored-event.ts';
import type { CreditRow } from '../store/rows/credits.ts';

/** Makes the event for a credit that has changed its state (B105). */
export function makeCreditEvent(credit: CreditRow): NewEvent<`payments.credits.${CreditRow['state']}`> {
  return {
    accountId: credit.account_id,
    environment: credit.environment,
    type: `payments.credits.${credit.state}`,
    resourceId: credit.id,
    data: {
      creditId: credit.id,
      status: credit.state,
      amount: formatDecimalAmount(credit.amount, credit.currency),
      contactId: credit.contact_id,
      fromBankAccountId: credit.from_bank_account_id,
      statement: credit.statement,
      ...(credit.note === null ? {} : { note: credit.note }),
    },
  };
}
