import type { CardholderVerification } from '../../shared/emulator/cards.ts';
import { toMajor } from '../../shared/money.ts';
import type { EntryMode } from '../../shared/nexo/enums.ts';
import type { MaskedCard } from '../cards/presented-card.ts';
import { type CardVerdict, type PaymentContext, totalMinorOf } from './payment-context.ts';
import type { UsedCard } from './used-card.ts';

/** After this many failed tries to read the chip, the terminal does not try the chip again. */
export const mostChipTries = 3;

/** Whether the chip reader failed to read the card at the present try. */
export function isChipUnreadable(used: UsedCard, failures: number): boolean {
  if (used.entryMode !== 'ICC') return false;
  const readable = used.card.chip?.readable ?? 'no';
  return readable === 'no' || (readable === 'secondTry' && failures === 0);
}

/**
 * Judges the card that was just read. Real terminals check in this order: how the card was presented, whether the
 * card is readable, the brand of the card, whether the card has expired or is blocked, and whether the amount is
 * above the card's limit for taps (B127, B128). `chipFailures` already counts the present try.
 */
export function judgeCard(payment: PaymentContext): CardVerdict {
  const { used, order, chipFailures } = payment;
  if (!used) return 'cardUnreadable';
  const { card, entryMode } = used;
  const offers = (way: EntryMode) => order.ways.includes(way);
  if (payment.chipFailed) {
    if (chipFailures < mostChipTries) return 'chipUnreadable';
    return offers('MagStripe') ? 'swipeInstead' : 'chipNotReadable';
  }
  if (entryMode === 'MagStripe') {
    if (!card.stripe?.readable) return 'cardUnreadable';
    if (card.chip && offers('ICC') && chipFailures < mostChipTries) return 'insertInstead';
  }
  if (used.applications.length === 0) return 'brandNotAllowed';
  // If each application has its own account, the terminal can check nothing more before the shopper chooses an
  // application.
  if (used.applications.length > 1 && used.application.card) return 'chooseApplication';
  if (hasExpired(card, used.at)) return 'expiredCard';
  if (used.blocked.includes(card.id)) return 'blockedCard';
  if (entryMode === 'Keyed' && !card.keyed) return 'keyedNotAccepted';
  if (order.sale.givesBack && card.funding === 'prepaid') return 'notRefundable';
  if (isAboveContactlessLimit(payment) && card.contactless?.aboveLimit === 'insert')
    return offers('ICC') && card.chip ? 'insertInstead' : 'aboveContactlessLimit';
  return used.applications.length > 1 ? 'chooseApplication' : 'accepted';
}

/**
 * Gives the method that verifies the cardholder. A refund gives money to the card, so the issuer does not check a PIN
 * for a refund (B477).
 */
export function chooseVerification(payment: PaymentContext): CardholderVerification {
  const verification = verificationToPay(payment);
  return payment.order.sale.givesBack && verification === 'onlinePin' ? 'none' : verification;
}

/**
 * The verification method for a payment. A magnetic stripe or a tapped card cannot check a PIN, so the issuer checks
 * the PIN.
 */
function verificationToPay(payment: PaymentContext): CardholderVerification {
  const { used } = payment;
  if (!used) return 'none';
  if (used.entryMode === 'ICC') return used.card.chip?.verification ?? 'none';
  if (used.entryMode === 'MagStripe') {
    const verification = used.card.stripe?.verification ?? 'signature';
    return verification === 'offlinePin' ? 'onlinePin' : verification;
  }
  const pinAbove = used.card.contactless?.aboveLimit === 'pin';
  return pinAbove && isAboveContactlessLimit(payment) ? 'onlinePin' : 'none';
}

function isAboveContactlessLimit(payment: PaymentContext): boolean {
  const limit = payment.used?.entryMode === 'Contactless' ? payment.used.card.contactless?.limit : undefined;
  return limit !== undefined && toMajor(totalMinorOf(payment), payment.order.currency) > limit;
}

/** Whether the card's expiry date has passed. A card is good until the end of the month printed on it. */
function hasExpired(card: MaskedCard, at: number): boolean {
  const month = Number(card.expiry.slice(0, 2));
  const year = 2000 + Number(card.expiry.slice(2));
  return at >= Date.UTC(year, month, 1);
}
