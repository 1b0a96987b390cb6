import type { ApprovalRequest } from '../../gateway/acquirer/answers.ts';
import type { ReverseRequest } from '../../gateway/acquirer/host.ts';
import type { HostOutcome } from '../../gateway/acquirer/schemas.ts';
import { paymentFromRow } from '../../gateway/payments/core/states.ts';
import type { Input } from '../../gateway/payments/core/step.ts';
import type { PaymentRow } from '../../gateway/store/rows/payments.ts';
import type { Terminal } from '../../gateway/terminals/directory.ts';
import type { PaymentResponse } from '../../shared/nexo/bodies.ts';

export const terminal: Terminal = {
  id: 'terminal',
  poiId: 'poi',
  accountId: 'shop',
  environment: 'sandbox',
  store: { id: 'store', name: 'Shop', address: '' },
  payoutAccount: null,
  deviceKeyHash: '',
  magicAmounts: null,
};

export const maskedCardNumber = '476173 **** 0119';

export const outcomes: HostOutcome[] = [
  { type: 'approve' },
  { type: 'decline', errorCondition: 'Refusal', refusalReason: '199 Card blocked', message: 'BLOCK_CARD' },
  { type: 'wrongPin' },
  { type: 'silent' },
  { type: 'late', delayMs: 20_000 },
];

export function makeAcceptedInput(
  id: string,
  amount: number,
  pinRule: string | null,
  now: number,
  monotonic: number,
): Extract<Input, { is: 'accepted' }> {
  const row: PaymentRow = {
    id,
    kind: 'payment',
    original_id: null,
    account_id: terminal.accountId,
    environment: terminal.environment,
    terminal_id: terminal.id,
    service_id: `S${id}`,
    amount,
    currency: 'EUR',
    idempotency_key: null,
    key_use: 0,
    request_hash: null,
    accepted_at: now,
    message: '{"SaleData":{}}',
    unknown_fields: null,
    // Payments with the amount 1.24 need a link, like the payments of a dialect: they are refused if the terminal has
    // no link.
    ...{ dialect: null, dialect_data: null, needs_link: amount === 124 ? 1 : null },
    sale_reference_id: null,
    pin_rule: pinRule,
  };
  const payment = paymentFromRow(row, { poiId: terminal.poiId, saleReferenceId: undefined, now, monotonic });
  return { is: 'accepted', row, payment, requestId: 'r' };
}

export function makeAuthorizationRequest(
  id: string,
  attempt: string,
  amount: number,
  pin: 'Correct' | 'Wrong',
): ApprovalRequest {
  return {
    Type: 'Authorize',
    PaymentReference: id,
    AttemptID: attempt,
    Currency: 'EUR',
    RequestedAmount: amount,
    TotalAmount: amount,
    Card: { Brand: 'visa', MaskedPan: maskedCardNumber, EntryMode: 'ICC' },
    OnlinePin: pin,
  };
}

export function makeReverseRequest(id: string, attempt: string): ReverseRequest {
  return { Type: 'Reverse', PaymentReference: id, AttemptID: attempt, Reason: 'Timeout' };
}

/** Returns a terminal's answer. The answer says that an attempt was approved, or that the payment failed. */
export function makePaymentResponse(
  id: string,
  answer: { attempt: string; amount: number } | { failed: 'Cancel' | 'WrongPIN' },
): PaymentResponse {
  const moment = '2026-01-01T09:00:00.000Z';
  const POITransactionID = { TransactionID: `T.${id}`, TimeStamp: moment };
  const SaleData = { SaleTransactionID: { TransactionID: id, TimeStamp: moment } };
  if ('failed' in answer)
    return {
      SaleData,
      POIData: { POITransactionID },
      Response: { Result: 'Failure', ErrorCondition: answer.failed },
    };
  return {
    SaleData,
    POIData: { POITransactionID, AttemptID: answer.attempt },
    Response: { Result: 'Success' },
    PaymentResult: {
      PaymentInstrumentData: {
        PaymentInstrumentType: 'Card',
        CardData: {
          PaymentBrand: 'visa',
          MaskedPan: maskedCardNumber,
          EntryMode: ['ICC'],
          CardCountryCode: '528',
        },
      },
      AmountsResp: { Currency: 'EUR', AuthorizedAmount: answer.amount / 100 },
      OnlineFlag: true,
    },
  };
}
