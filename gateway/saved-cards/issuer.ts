import type { IssuerAnswer } from '../acquirer/debit-ledger.ts';
import type { SavedCardRow } from '../store/rows/saved-cards.ts';
import type { IssuerDecline, TestCard } from './default/test-cards.ts';
import { findTestCard } from './test-cards.ts';

const expired: IssuerDecline = { declineCode: 'expiredCard', responseCode: '54', message: 'Expired card' };

/** Gives the issuer's answer to a charge or preauthorization of a saved card. `now` is in epoch milliseconds. */
export function answerAuthorization(card: SavedCardRow, now: number): IssuerAnswer {
  const testCard = testCardOf(card);
  if (testCard.authorize) return refused(card, testCard.authorize, 'declines');
  if (now >= expiryEnd(card.expiry))
    return {
      rule: 'expiry',
      why: `the card ${card.masked_number} expired in ${card.expiry.slice(0, 2)}/${card.expiry.slice(2)}`,
      refusal: expired,
    };
  return { rule: 'default', why: 'no rule declines the card' };
}

/** Gives the issuer's answer to the capture of an authorization of this card. */
export function answerCapture(card: SavedCardRow): IssuerAnswer {
  const { capture } = testCardOf(card);
  if (capture) return refused(card, capture, 'declines captures');
  return { rule: 'default', why: 'it was authorized' };
}

/** Says how refunds of this card's debits fail. Returns undefined if they succeed. */
export function findRefundBehaviour(card: SavedCardRow | undefined): TestCard['refund'] {
  return card && findTestCard(card.test_card)?.refund;
}

function refused(card: SavedCardRow, refusal: IssuerDecline, what: string): IssuerAnswer {
  const why = `the test card ${card.masked_number} (${card.test_card}) ${what}: ${refusal.declineCode}`;
  return { rule: 'card', why, refusal };
}

/** Gives the time at which a card expires: the end of its month, in epoch milliseconds. */
function expiryEnd(expiry: string): number {
  return Date.UTC(2000 + Number(expiry.slice(2)), Number(expiry.slice(0, 2)), 1);
}

/** Gives the behaviour of the test card. If this version does not know the card, the issuer approves everything. */
function testCardOf(card: SavedCardRow): Pick<TestCard, 'authorize' | 'capture'> {
  return findTestCard(card.test_card) ?? {};
}
