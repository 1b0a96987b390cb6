import type { HostRefusal } from '../../shared/nexo/acquirer.ts';

/**
 * The refusal for each ending of an amount. An ending is the last three digits of the requested amount in minor units.
 */
export type AmountEndingRefusals = Readonly<Record<string, HostRefusal>>;

const declinedOnline = (message: string): HostRefusal => refusal('214 Declined online', message);

function refusal(refusalReason: string, message: string): HostRefusal {
  return { errorCondition: 'Refusal', refusalReason, message };
}

/**
 * The amount endings that usually cause a refusal on card terminals. The host approves an amount with any other ending.
 */
export const defaultAmountEndingRefusals: AmountEndingRefusals = {
  121: declinedOnline('CANCELLED'),
  122: refusal('124 acquirer fraud', 'ACQUIRER_FRAUD'),
  123: declinedOnline('DECLINED'),
  124: refusal('210 Not enough balance', 'NOT_ENOUGH_BALANCE'),
  125: refusal('199 Card blocked', 'BLOCK_CARD'),
  126: refusal('228 Card expired', 'CARD_EXPIRED'),
  127: declinedOnline('INVALID_AMOUNT'),
  128: { errorCondition: 'InvalidCard', refusalReason: '214 Declined online', message: 'INVALID_CARD' },
  129: declinedOnline('NOT_SUPPORTED'),
  130: declinedOnline('ERROR'),
  131: declinedOnline('DECLINED'),
  132: declinedOnline('DECLINED'),
  133: declinedOnline('REFERRAL'),
  134: { errorCondition: 'WrongPIN', refusalReason: '129 Invalid online PIN', message: 'INVALID_PIN' },
  135: refusal('128 Online PIN tries exceeded', 'PIN_TRIES_EXCEEDED'),
  136: refusal('207 Issuer unavailable', 'ISSUER UNAVAILABLE'),
  137: refusal('211 Withdrawal amount exceeded', 'WITHDRAWAL_AMOUNT_EXCEEDED'),
  138: refusal('212 Withdrawal count exceeded', 'WITHDRAWAL_COUNT_EXCEEDED'),
  139: refusal('210 Not enough balance', 'NOT_ENOUGH_BALANCE'),
  144: declinedOnline('NOT_SUBMITTED'),
  146: declinedOnline('TRANSACTION_NOT_PERMITTED'),
  147: declinedOnline('CVC_DECLINED'),
  148: declinedOnline('RESTRICTED_CARD'),
  151: declinedOnline('ISSUER_SUSPECTED_FRAUD'),
  154: {
    errorCondition: 'Cancel',
    refusalReason: '219 Shopper cancelled ctls fallback',
    message: '219 Shopper cancelled ctls fallback',
  },
  158: refusal('235 AID banned', 'BAN_CURRENT_AID'),
  162: declinedOnline('SECURITY_VIOLATION'),
  166: {
    errorCondition: 'Cancel',
    refusalReason: '102 Shopper cancelled pin entry',
    message: 'Shopper cancelled pin entry',
  },
};

/** Returns the last three digits of an amount in minor units, for example 124 for 10.124 KWD and for 1.24 EUR. */
export function amountEndingOf(minor: number): string {
  return String(minor % 1000).padStart(3, '0');
}
