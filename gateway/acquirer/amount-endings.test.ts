import { expect, test } from 'vitest';
import { defaultAmountEndingRefusals } from './amount-endings.ts';

/**
 * The refusals that makers of terminals publish for tests. The columns are the ending of the amount, errorCondition,
 * refusalReason and message. The message for 136 has a space where the other messages have underscores.
 */
const published = `
  121 Refusal     | 214 Declined online                 | CANCELLED
  122 Refusal     | 124 acquirer fraud                  | ACQUIRER_FRAUD
  123 Refusal     | 214 Declined online                 | DECLINED
  124 Refusal     | 210 Not enough balance              | NOT_ENOUGH_BALANCE
  125 Refusal     | 199 Card blocked                    | BLOCK_CARD
  126 Refusal     | 228 Card expired                    | CARD_EXPIRED
  127 Refusal     | 214 Declined online                 | INVALID_AMOUNT
  128 InvalidCard | 214 Declined online                 | INVALID_CARD
  129 Refusal     | 214 Declined online                 | NOT_SUPPORTED
  130 Refusal     | 214 Declined online                 | ERROR
  131 Refusal     | 214 Declined online                 | DECLINED
  132 Refusal     | 214 Declined online                 | DECLINED
  133 Refusal     | 214 Declined online                 | REFERRAL
  134 WrongPIN    | 129 Invalid online PIN              | INVALID_PIN
  135 Refusal     | 128 Online PIN tries exceeded       | PIN_TRIES_EXCEEDED
  136 Refusal     | 207 Issuer unavailable              | ISSUER UNAVAILABLE
  137 Refusal     | 211 Withdrawal amount exceeded      | WITHDRAWAL_AMOUNT_EXCEEDED
  138 Refusal     | 212 Withdrawal count exceeded       | WITHDRAWAL_COUNT_EXCEEDED
  139 Refusal     | 210 Not enough balance              | NOT_ENOUGH_BALANCE
  144 Refusal     | 214 Declined online                 | NOT_SUBMITTED
  146 Refusal     | 214 Declined online                 | TRANSACTION_NOT_PERMITTED
  147 Refusal     | 214 Declined online                 | CVC_DECLINED
  148 Refusal     | 214 Declined online                 | RESTRICTED_CARD
  151 Refusal     | 214 Declined online                 | ISSUER_SUSPECTED_FRAUD
  154 Cancel      | 219 Shopper cancelled ctls fallback | 219 Shopper cancelled ctls fallback
  158 Refusal     | 235 AID banned                      | BAN_CURRENT_AID
  162 Refusal     | 214 Declined online                 | SECURITY_VIOLATION
  166 Cancel      | 102 Shopper cancelled pin entry     | Shopper cancelled pin entry
`;

test('the amount endings are those of the published tables, word for word', () => {
  const table = Object.entries(defaultAmountEndingRefusals).map(
    ([ending, { errorCondition, refusalReason, message }]) =>
      `${ending} ${errorCondition} | ${refusalReason} | ${message}`,
  );
  const expected = published
    .trim()
    .split('\n')
    .map((row) => row.trim().replaceAll(/ +/g, ' '));
  expect(table).toEqual(expected);
});
