import type { DialectRequestMeaning } from '../../../shared/dialect-meaning.ts';
import type { TerminalService } from '../../terminals/service.ts';
import { fieldOf, readMessage } from './message.ts';
import { isUnreferencedRefund, readPspReference } from './order.ts';
import { makeAdyenIdempotencyKey, makeSaleReference } from './payment-key.ts';

/**
 * Reads what a message asks for. The journal stores the result, and the code for sales, findings and traces reads the
 * result from the journal.
 */
export function readMessagePurpose(
  json: unknown,
  terminals: Pick<TerminalService, 'byPoiId'>,
): DialectRequestMeaning {
  const message = readMessage(json);
  if (!message) return { kind: 'other' };
  const { header, body } = message;
  const terminal = terminals.byPoiId(header.POIID)?.id;
  const at = terminal === undefined ? {} : { terminal };
  switch (header.MessageCategory) {
    case 'Payment':
      return {
        kind: isUnreferencedRefund(fieldOf(body, 'PaymentData') as Parameters<typeof isUnreferencedRefund>[0])
          ? 'refund'
          : 'payment',
        key: makeAdyenIdempotencyKey(header),
        id: header.ServiceID,
        ...at,
        ...saleIn(header.SaleID, body),
      };
    case 'Reversal':
      return {
        kind: 'reversal',
        key: makeAdyenIdempotencyKey(header),
        id: header.ServiceID,
        ...at,
        ...saleIn(header.SaleID, body),
        ...givenBackIn(body),
      };
    case 'TransactionStatus':
      return { kind: 'status', ...at, ...referredTo(header, body) };
    case 'Abort':
      return { kind: 'abort', ...at, ...referredTo(header, body) };
    default:
      return { kind: 'other', ...at };
  }
}

function saleIn(saleId: string, body: unknown) {
  const transaction = fieldOf(fieldOf(fieldOf(body, 'SaleData'), 'SaleTransactionID'), 'TransactionID');
  const amount = fieldOf(fieldOf(fieldOf(body, 'PaymentTransaction'), 'AmountsReq'), 'RequestedAmount');
  return {
    ...(typeof transaction === 'string' && { reference: makeSaleReference(saleId, transaction) }),
    ...(typeof amount === 'number' && Number.isFinite(amount) && { amount }),
  };
}

/** Gives the amount that a reversal gives back, and the payment that is reversed. */
function givenBackIn(body: unknown) {
  const named = fieldOf(
    fieldOf(fieldOf(body, 'OriginalPOITransaction'), 'POITransactionID'),
    'TransactionID',
  );
  const amount = fieldOf(body, 'ReversedAmount');
  return {
    ...(typeof named === 'string' && { original: readPspReference(named) }),
    ...(typeof amount === 'number' && Number.isFinite(amount) && { amount }),
  };
}

/**
 * Gives the payment that a status or abort request names. If the request names no till or terminal, the till or
 * terminal in the request's header is meant.
 */
function referredTo(header: { SaleID: string; POIID: string }, body: unknown) {
  const reference = fieldOf(body, 'MessageReference');
  const named = (name: string, otherwise?: string) => {
    const value = fieldOf(reference, name);
    return typeof value === 'string' ? value : otherwise;
  };
  const ServiceID = named('ServiceID');
  if (ServiceID === undefined) return {};
  const SaleID = named('SaleID', header.SaleID) ?? header.SaleID;
  const POIID = named('POIID', header.POIID) ?? header.POIID;
  return { key: makeAdyenIdempotencyKey({ SaleID, POIID, ServiceID }), id: ServiceID.slice(0, 20) };
}
