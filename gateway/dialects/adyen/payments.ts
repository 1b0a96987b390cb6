import type { Runtime } from '../../../shared/runtime.ts';
import type { Answer, CheckedRequest } from '../../http/endpoint.ts';
import { ApiError } from '../../http/errors.ts';
import type { PaymentOutcome } from '../../payments/core/outcome.ts';
import type { PaymentSoFar } from '../../payments/moving/payment-so-far.ts';
import type { Services } from '../../services.ts';
import type { Terminal } from '../../terminals/directory.ts';
import { makeAnswerMessage, makeFailureField, type ResponseOrRejection, successField } from './answers.ts';
import { checkMessageBody } from './check-message-body.ts';
import { abortOrStatusRequestSchema, type Message } from './message.ts';
import { MessageRefusedError } from './order.ts';
import { fingerprintMessage, makeAdyenIdempotencyKey } from './payment-key.ts';
import {
  type EchoedRequestParts,
  makePaymentResponse,
  makePlaceholderTransaction,
  makeRefusedPaymentResponse,
  readRequestCategory,
} from './payment-response.ts';
import { readPaymentRequest } from './request.ts';

export type AdyenCall = CheckedRequest<unknown, unknown, unknown, unknown>;

/** A message of a till for a terminal of the same account. */
export interface TillMessage {
  readonly call: AdyenCall;
  readonly message: Message;
  readonly terminal: Terminal;
}

/**
 * The result of a message, and the data about the result's meaning that the journal stores. The result is the body of
 * the response, an event that rejects the message, or Adyen's `ok`.
 */
export type ReplyWithMeaning = (ResponseOrRejection | { readonly ok: true }) & Meaning;
type Meaning = Pick<Answer, 'outcomeOf' | 'means'>;

/** The caller, and the time at which the call arrived. */
type Asking = Pick<AdyenCall, 'caller' | 'arrivedAt'>;

/** An accepted payment, and the parts of its request that its answers repeat. */
interface AcceptedPayment {
  readonly payment: PaymentSoFar;
  readonly repeated: EchoedRequestParts;
}

const noAnswer: ResponseOrRejection & Meaning = {
  rejected: 'Did not receive a response from the POI.',
  means: { status: 303, as: 'Reject' },
};
/** The result if the terminal is not connected. */
export const terminalUnreachableResult: ResponseOrRejection & Meaning = {
  rejected: 'Terminal is not reachable',
  means: { status: 409, as: 'Reject' },
};

/**
 * Handles the payments, reversals and refunds of Adyen's Terminal API. It turns each message into calls of the service
 * that all APIs of the gateway use.
 */
export class AdyenPayments {
  readonly #runtime: Runtime;
  readonly #payments: Services['payments'];

  constructor({ runtime, payments }: Pick<Services, 'runtime' | 'payments'>) {
    this.#runtime = runtime;
    this.#payments = payments;
  }

  /**
   * Makes a payment, and answers when the payment is concluded. If the time limit of the payment passes before that,
   * the answer is an event that rejects the message. The payment continues, and a status request gives its outcome.
   */
  async pay(asked: TillMessage): Promise<ReplyWithMeaning> {
    const accepted = await this.accept(asked);
    if (!('payment' in accepted)) return accepted;
    const { payment, repeated } = accepted;
    const held = payment.outcome ? payment : await this.#payments.hold(payment, asked.call);
    return this.replyOf(asked.call, held, repeated);
  }

  /** Makes the message that the till gets later: either the response, or the event that rejects the till's message. */
  async laterMessage(asking: Asking, payment: PaymentSoFar): Promise<object> {
    const repeated = repeatedPartsOf(payment) as EchoedRequestParts;
    const { header, sale } = repeated;
    const category = `${readRequestCategory(repeated)}Request`;
    const reply = await this.replyOf(asking, payment, repeated);
    // `header` and `sale` are the only parts of the request that are stored.
    const json = { SaleToPOIRequest: { MessageHeader: header, [category]: { SaleData: sale } } };
    return makeAnswerMessage(reply, { header, json, now: this.#runtime.clock.now() });
  }

  /**
   * Accepts a payment. Resolves when the payment is on disk. If the payment is refused, resolves with the response
   * that refuses it.
   */
  async accept({ call, message, terminal }: TillMessage): Promise<AcceptedPayment | ReplyWithMeaning> {
    const { header } = message;
    const request = readPaymentRequest(message);
    if ('response' in request) {
      const POIData = makePlaceholderTransaction(header, this.#runtime.clock.now());
      return { ...request, response: { ...request.response, POIData } };
    }
    const { repeated } = request;
    try {
      request.check();
      call.keepAwake();
      const payment = await this.#payments.accept(
        {
          ...request.order,
          caller: call.caller,
          terminalId: terminal.id,
          requestId: call.requestId,
          unknownFields: [],
          key: {
            key: makeAdyenIdempotencyKey(header),
            fingerprint: fingerprintMessage({ header, body: message.body }),
          },
          dialect: { name: 'adyen', data: JSON.stringify(repeated) },
          needsLink: true,
        },
        call,
      );
      return { payment, repeated: repeatedPartsOf(payment) ?? repeated };
    } catch (error) {
      const refusal = error instanceof MessageRefusedError ? error : refusalOf(error);
      if (!refusal) throw error;
      return {
        response: makeRefusedPaymentResponse(repeated, refusal, this.#runtime.clock.now()),
        means: {
          status: refusal.status,
          as: refusal.condition,
          ...(refusal.reusesKey && { reusesKey: true }),
        },
      };
    }
  }

  /**
   * Aborts a payment. The answer is always `ok`, even if there is no payment to abort. Only the payment's outcome
   * shows whether the payment was aborted.
   */
  async abort({ call, message }: TillMessage): Promise<ReplyWithMeaning> {
    const request = checkMessageBody(abortOrStatusRequestSchema, message, 'AbortRequest');
    if ('response' in request) return request;
    const key = makeAdyenIdempotencyKey({ ...message.header, ...request.body.MessageReference });
    await this.#payments.abortNow(call.caller, { idempotencyKey: key }, call);
    return { ok: true, means: { status: 204 } };
  }

  /** Answers with the present state of a payment. */
  async status(asked: TillMessage): Promise<ReplyWithMeaning> {
    const { call, message } = asked;
    const request = checkMessageBody(abortOrStatusRequestSchema, message, 'TransactionStatusRequest');
    if ('response' in request) return request;
    const { MessageReference, ReceiptReprintFlag = false } = request.body;
    const reference = { SaleID: message.header.SaleID, POIID: message.header.POIID, ...MessageReference };
    const found = await this.#payments.statusNow(
      call.caller,
      { idempotencyKey: makeAdyenIdempotencyKey(reference) },
      call,
    );
    const repeated = found && repeatedPartsOf(found);
    const outcome = found && outcomeOfPayment(found);
    const without = (
      condition: 'NotFound' | 'InProgress',
      why: string,
      status: number,
    ): ReplyWithMeaning => ({
      response: { ...makeFailureField(condition, why), MessageReference: reference },
      means: { status, as: condition },
    });
    if (!repeated || outcome?.unsent) return without('NotFound', 'No such transaction', 404);
    if (!outcome) return without('InProgress', 'The transaction is in progress', 202);
    const body = makePaymentResponse(repeated, outcome, await this.#busyWith(call, outcome));
    const category = readRequestCategory(repeated);
    return {
      ...outcomeMeaning(found.id),
      response: {
        ...successField,
        MessageReference: { MessageCategory: category, ...reference },
        RepeatedMessageResponse: {
          MessageHeader: { ...repeated.header, MessageType: 'Response' },
          RepeatedResponseMessageBody: {
            [`${category}Response`]: ReceiptReprintFlag ? body : { ...body, PaymentReceipt: [] },
          },
        },
      },
    };
  }

  /** Makes the result that fits the present state of a payment. */
  async replyOf(
    asking: Asking,
    payment: PaymentSoFar,
    repeated: EchoedRequestParts,
  ): Promise<ResponseOrRejection & Meaning> {
    const outcome = outcomeOfPayment(payment);
    if (!outcome) return noAnswer;
    if (outcome.unsent) return { ...terminalUnreachableResult, ...outcomeMeaning(payment.id) };
    const response = makePaymentResponse(repeated, outcome, await this.#busyWith(asking, outcome));
    return { ...outcomeMeaning(payment.id), response };
  }

  /**
   * Gives the ServiceID of the payment that occupied the terminal. Returns undefined if that payment was made through
   * another API.
   */
  async #busyWith(asking: Asking, { busyWith }: PaymentOutcome): Promise<string | undefined> {
    if (busyWith === undefined) return undefined;
    const other = await this.#payments.statusNow(asking.caller, { transactionId: busyWith }, asking);
    return other && repeatedPartsOf(other)?.header.ServiceID;
  }
}

/**
 * Gives the payment and the status that the journal stores with a result that has an outcome. The status is 200,
 * because the native API would answer any outcome with 200.
 */
function outcomeMeaning(payment: string): Required<Pick<ReplyWithMeaning, 'outcomeOf' | 'means'>> {
  return { outcomeOf: payment, means: { status: 200 } };
}

function repeatedPartsOf({ dialectData }: PaymentSoFar): EchoedRequestParts | undefined {
  return dialectData === undefined ? undefined : (JSON.parse(dialectData) as EchoedRequestParts);
}

/**
 * Gives the outcome of a payment. Version 0.1.0 stored outcomes in another form. That form does not occur here,
 * because version 0.1.0 did not serve this API.
 */
function outcomeOfPayment({ outcome }: PaymentSoFar): PaymentOutcome | undefined {
  return outcome as PaymentOutcome | undefined;
}

/** Turns an error into a refusal in nexo's form. Returns undefined if the error must be answered as an HTTP error. */
function refusalOf(error: unknown): MessageRefusedError | undefined {
  if (!(error instanceof ApiError)) return undefined;
  switch (error.code) {
    case 'invalidAmount':
      return new MessageRefusedError('MessageFormat', error.message, error);
    case 'amountExceedsTransactionLimit':
    case 'gratuityExceedsTransactionLimit':
      return new MessageRefusedError('PaymentRestriction', error.message, error);
    case 'originalNotFound':
      return new MessageRefusedError('NotFound', error.message, error);
    case 'originalNotReversible':
    case 'alreadyGivenBack':
    case 'amountExceedsRest':
    case 'currencyMismatch':
    case 'payoutAccountMissing':
      return new MessageRefusedError('NotAllowed', error.message, error);
    case 'idempotencyKeyReused':
      return new MessageRefusedError(
        'NotAllowed',
        'An earlier message of the last 48 hours has this ServiceID, but another body',
        {
          status: error.status,
          reusesKey: true,
        },
      );
    case 'olderGateway':
      return new MessageRefusedError('UnavailableService', error.message, error);
    default:
      return undefined;
  }
}
