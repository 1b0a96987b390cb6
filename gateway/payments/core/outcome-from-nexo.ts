import { memoizeRecent } from '../../../shared/memoize-recent.ts';
import type {
  OutputText,
  PaymentReceipt,
  PaymentResponse,
  ReversalResponse,
} from '../../../shared/nexo/bodies.ts';
import { decodePairs, forEachPair } from '../../../shared/nexo/pairs.ts';
import type { OutcomeReceipt, OutcomeReceiptLine, PaymentOutcome } from './outcome.ts';
import type { Payment } from './states.ts';

/** Reads the outcome of a payment from the terminal's answer in nexo. */

type Result = NonNullable<PaymentResponse['PaymentResult']>;
type Card = Result['PaymentInstrumentData']['CardData'];
type Acquirer = NonNullable<Result['PaymentAcquirerData']>;
type Answer = PaymentResponse | ReversalResponse;
type Reference = NonNullable<PaymentOutcome['references']>['terminal'];

/**
 * Reads a terminal's answer to a payment.
 *
 * @throws URIError if the answer's percent-encoding is broken
 */
export function readOutcomeOfPaymentResponse(response: PaymentResponse): PaymentOutcome {
  const { PaymentResult } = response;
  return {
    ...verdictIn(response),
    ...(PaymentResult && resultParts(PaymentResult)),
    ...evidenceIn(response, PaymentResult?.PaymentAcquirerData),
  };
}

/**
 * Reads a terminal's answer to a reversal. No card was read, and the currency is that of the reversed payment.
 *
 * @throws URIError if the answer's percent-encoding is broken
 */
export function readOutcomeOfReversalResponse(
  response: ReversalResponse,
  { currency }: Payment,
): PaymentOutcome {
  const { ReversedAmount, PaymentAcquirerData } = response;
  return {
    ...verdictIn(response),
    ...(ReversedAmount !== undefined && { amounts: { currency, authorized: ReversedAmount } }),
    ...evidenceIn(response, PaymentAcquirerData),
  };
}

/** Reads which payment or reversal an answer is about, and how it ended. */
function verdictIn({ Response, SaleData }: Answer) {
  const failed = Response.Result === 'Failure';
  return {
    payment: SaleData.SaleTransactionID.TransactionID,
    result: failed ? 'failure' : 'success',
    ...(failed && { reason: Response.ErrorCondition ?? 'Refusal' }),
    ...(Response.AdditionalResponse !== undefined && {
      notes: [...decodePairs(Response.AdditionalResponse)],
    }),
    ...(SaleData.SaleReferenceID !== undefined && { saleReference: SaleData.SaleReferenceID }),
  } satisfies Partial<PaymentOutcome>;
}

/** Reads the references and receipts of a payment or reversal. */
function evidenceIn({ POIData, PaymentReceipt }: Answer, acquirer: Acquirer | undefined) {
  return {
    references: {
      terminal: referenceOf(POIData.POITransactionID),
      ...(POIData.AttemptID !== undefined && { attempt: POIData.AttemptID }),
      ...(acquirer && { acquirer: acquirerOf(acquirer) }),
    },
    ...(PaymentReceipt && { receipts: PaymentReceipt.map(receiptOf) }),
  } satisfies Partial<PaymentOutcome>;
}

function resultParts({ PaymentInstrumentData, AmountsResp, AuthenticationMethod, OnlineFlag }: Result) {
  const { CardData } = PaymentInstrumentData;
  const { Currency, AuthorizedAmount, TipAmount } = AmountsResp ?? {};
  return {
    ...(Currency !== undefined &&
      AuthorizedAmount !== undefined && {
        amounts: {
          currency: Currency,
          authorized: AuthorizedAmount,
          ...(TipAmount !== undefined && { tip: TipAmount }),
        },
      }),
    card: {
      brand: CardData.PaymentBrand,
      maskedNumber: CardData.MaskedPan,
      entryModes: CardData.EntryMode,
      country: CardData.CardCountryCode,
      ...sensitiveParts(CardData.SensitiveCardData),
    },
    ...(AuthenticationMethod && { verification: AuthenticationMethod }),
    online: OnlineFlag,
  };
}

function sensitiveParts(data: Card['SensitiveCardData']) {
  return {
    ...(data?.CardSeqNumb !== undefined && { sequence: data.CardSeqNumb }),
    ...(data?.ExpiryDate !== undefined && { expiry: data.ExpiryDate }),
  };
}

/** Gives the acquirer's identifiers of the payment: merchant, terminal, transaction and approval code. */
function acquirerOf(data: Acquirer) {
  return {
    merchant: data.MerchantID,
    terminal: data.AcquirerPOIID,
    ...(data.AcquirerTransactionID && { transaction: referenceOf(data.AcquirerTransactionID) }),
    ...(data.ApprovalCode !== undefined && { approvalCode: data.ApprovalCode }),
  };
}

function referenceOf({
  TransactionID: id,
  TimeStamp: at,
}: {
  TransactionID: string;
  TimeStamp: string;
}): Reference {
  return { id, at };
}

function receiptOf({
  DocumentQualifier,
  RequiredSignatureFlag,
  OutputContent,
}: PaymentReceipt): OutcomeReceipt {
  return {
    for: DocumentQualifier === 'CashierReceipt' ? 'cashier' : 'customer',
    signature: RequiredSignatureFlag,
    lines: OutputContent.OutputText.map(lineOf),
  };
}

function lineOf({ Text, CharacterStyle, EndOfLineFlag: ends }: OutputText): OutcomeReceiptLine {
  const { plain, bold, normal } = lines(Text);
  const styled = CharacterStyle === undefined ? plain : CharacterStyle === 'Bold' ? bold : normal;
  return ends ? styled.ending : styled.open;
}

/**
 * Reads the lines of receipts. The result for each line is cached, because most lines of a receipt were also on the
 * previous receipt. Two equal lines in the same style are the same object, so `outcome.ts` makes the JSON of each line
 * only once.
 */
const lines = memoizeRecent((encoded) => {
  const text = textIn(encoded);
  const styled = (style: Pick<OutcomeReceiptLine, 'style'>) => ({
    ending: { text, ...style, ends: true },
    open: { text, ...style, ends: false },
  });
  return { plain: styled({}), bold: styled({ style: 'bold' }), normal: styled({ style: 'normal' }) };
});

function textIn(encoded: string): OutcomeReceiptLine['text'] {
  let name = '';
  let value: string | undefined;
  let key = '';
  forEachPair(encoded, (field, content) => {
    if (field === 'name') name = content;
    else if (field === 'value') value = content;
    else if (field === 'key') key = content;
  });
  return value === undefined ? { name, key } : { name, value, key };
}
