import { formatIdempotencyKey } from '../../shared/dialect-meaning.ts';
import { ruleLines } from './journal-entry-sheet.ts';
import { formatClockTime } from './journal-lines.ts';
import { makeJsonSheetLines } from './json-lines.ts';
import { failureReasonOf, paymentAmountText } from './payment-text.ts';
import type { TuiPayment } from './payments.ts';
import { emptyLine, fieldLines, makeSheetLine, type Sheet, type SheetLine, styleText } from './sheet.ts';
import type { PaymentExplanation } from './source.ts';
import type { TuiState } from './state.ts';
import { terminalNameOf } from './terminal-name.ts';
import { theme } from './theme.ts';

/**
 * Makes the page of a payment: how the payment ended and why, how much money the issuer moved, and the answer that the
 * point of sale got.
 */
export function makePaymentSheet(state: TuiState, payment: TuiPayment): Sheet {
  const { account, fault } = state.explained?.id === payment.id ? state.explained : {};
  return {
    title: `${paymentAmountText(payment)} on ${payment.terminal}`,
    lines: [
      ...outcomeLines(payment, account),
      emptyLine,
      ...fieldLines(payment.givesBack ?? 'payment', payment.id),
      ...fieldLines('gives back', account?.original),
      ...fieldLines('given back', account?.givenBack && `${account.currency} ${account.givenBack}`),
      ...fieldLines('terminal', terminalNameOf(state, payment.terminal)),
      ...fieldLines(
        'Idempotency-Key',
        account?.idempotencyKey && formatIdempotencyKey(account.idempotencyKey),
      ),
      ...fieldLines('saleReferenceId', account?.saleReferenceId),
      ...fieldLines('accepted', formatClockTime(payment.acceptedAt)),
      ...fieldLines('ended', payment.ended && formatClockTime(payment.ended.at)),
      ...(account?.warnings ?? []).map((warning) => makeSheetLine(styleText(`! ${warning}`, theme.warning))),
      ...fieldLines('not read', fault, theme.error),
      ...(account ? [emptyLine, ...bookLines(account), emptyLine, ...answerLines(account)] : []),
    ],
  };
}

function outcomeLines(payment: TuiPayment, account: PaymentExplanation | undefined): SheetLine[] {
  const { ended, rule } = payment;
  if (!ended)
    return [makeSheetLine(styleText('Not ended yet', theme.strong)), ...(rule ? ruleLines(rule) : [])];
  const why = ended.why || account?.why || '';
  return [
    ended.success
      ? makeSheetLine(styleText(`APPROVED ${paymentAmountText(payment)}`, theme.success))
      : makeSheetLine(styleText(`NOT APPROVED: ${failureReasonOf(payment)}`, theme.error)),
    ...fieldLines('because', why),
    ...(rule ? ruleLines(rule) : fieldLines("the host's rule", account?.rule)),
  ];
}

/**
 * Returns the lines that compare the money that the issuer moved for the payment with the money that was reported to
 * the point of sale.
 */
function bookLines({ ledger, reported, moved, agree, currency }: PaymentExplanation): SheetLine[] {
  const entries = ledger.map(({ at, kind, amount, pspReference, rule, why }) =>
    makeSheetLine(
      styleText(`${formatClockTime(at)}  `, theme.faint),
      styleText(`${kind} ${currency} ${amount}`, isMoved(kind) ? theme.success : theme.warning),
      styleText(`  ${pspReference}  `, theme.faint),
      styleText(`${rule}: ${why}`),
    ),
  );
  const verdict = agree ? 'the books agree' : 'the books do not agree';
  const sums = `Moved ${currency} ${moved}, reported ${currency} ${reported}: ${verdict}`;
  return [
    makeSheetLine(styleText('Books', theme.strong)),
    ...(entries.length > 0 ? entries : [makeSheetLine(styleText('The issuer moved nothing.', theme.faint))]),
    ...(agree === undefined ? [] : [makeSheetLine(styleText(sums, agree ? theme.success : theme.error))]),
  ];
}

/** Whether a ledger entry of this kind means that the issuer moved money. */
function isMoved(kind: string): boolean {
  return kind === 'authorized' || kind === 'refunded';
}

function answerLines({ answer }: PaymentExplanation): SheetLine[] {
  if (answer === null || answer === undefined) return [];
  return [
    makeSheetLine(styleText('Answer to the point of sale', theme.strong)),
    ...makeJsonSheetLines(answer),
  ];
}
