import type { Answer } from '../../http/endpoint.ts';
import { ApiError } from '../../http/errors.ts';
import type { Services } from '../../services.ts';
import type { Terminal } from '../../terminals/directory.ts';
import {
  makeAnswerMessage,
  makeFailureField,
  makeRejectionEvent,
  type ResponseOrRejection,
  successField,
} from './answers.ts';
import { checkMessageBody } from './check-message-body.ts';
import type { LaterResultSender } from './later-results.ts';
import { diagnosisRequestSchema, type MessageHeader, readMessage } from './message.ts';
import {
  type AdyenCall,
  AdyenPayments,
  type ReplyWithMeaning,
  type TillMessage,
  terminalUnreachableResult,
} from './payments.ts';

type TerminalApiParts = Pick<Services, 'runtime' | 'payments' | 'terminals' | 'connectedTerminals'>;

/**
 * Handles a till's messages for a terminal. The messages arrive through the cloud API or at the terminal's own port.
 * This class reads each message, lets {@link AdyenPayments} carry it out, and makes the HTTP answer.
 */
export class TerminalApi {
  readonly #services: TerminalApiParts;
  readonly #payments: AdyenPayments;

  constructor(services: TerminalApiParts) {
    this.#services = services;
    this.#payments = new AdyenPayments(services);
  }

  /**
   * Answers a message. `device` is the terminal in the request's path.
   *
   * @throws ApiError terminalNotFound if the terminal does not belong to the caller
   */
  async answerNow(call: AdyenCall, device?: string): Promise<Answer> {
    const asked = this.#readMessage(call, device);
    if ('rejected' in asked) return this.#rejectionAnswer(call, asked.rejected);
    return this.#answer(asked, await this.#replyTo(asked));
  }

  /**
   * Accepts a message. The message's result is sent later, to the address that the account has for results (B460). If
   * the message is rejected, the answer says so at once.
   *
   * @throws ApiError terminalNotFound if the terminal does not belong to the caller
   */
  async answerLater(call: AdyenCall, later: LaterResultSender, device?: string): Promise<Answer> {
    const asked = this.#readMessage(call, device);
    if ('rejected' in asked) return this.#rejectionAnswer(call, asked.rejected);
    const isHeld = ['Payment', 'Reversal'].includes(asked.message.header.MessageCategory);
    const reply = isHeld ? await this.#acceptForLater(asked, later) : await this.#replyTo(asked);
    if (!('response' in reply)) return this.#answer(asked, reply);
    await later.send(call.caller, call.requestId, this.#answerMessage(asked, reply));
    return { ...okAnswer, means: acceptedMeaning };
  }

  /** Gives `ok` if the result will be sent later. Otherwise gives the result. */
  async #acceptForLater(asked: TillMessage, later: LaterResultSender): Promise<ReplyWithMeaning> {
    const { call } = asked;
    const accepted = await this.#payments.accept(asked);
    if (!('payment' in accepted)) return accepted;
    const { payment, repeated } = accepted;
    if (payment.outcome && !later.isAwaited(payment)) return this.#payments.replyOf(call, payment, repeated);
    await later.sendWhenKnown(call.caller, payment);
    return { ok: true, means: acceptedMeaning };
  }

  #readMessage(call: AdyenCall, device: string | undefined): TillMessage | { rejected: string } {
    const message = readMessage(call.json);
    if (!message) return { rejected: 'Input is not a JSONObject' };
    const { POIID } = message.header;
    const terminal = this.terminalOf(call, POIID);
    if (device !== undefined && device !== POIID) return { rejected: 'POIID is not the device of the path' };
    return { call, message, terminal };
  }

  #rejectionAnswer({ json }: AdyenCall, why: string): Answer {
    const body = makeRejectionEvent(json, why, this.#services.runtime.clock.now());
    return { status: 200, body, means: { status: 400, as: 'Reject' } };
  }

  #answer(asked: TillMessage, { outcomeOf, means, ...reply }: ReplyWithMeaning): Answer {
    const said = { ...(outcomeOf !== undefined && { outcomeOf }), ...(means && { means }) };
    if ('ok' in reply) return { ...okAnswer, ...said };
    return { status: 200, body: this.#answerMessage(asked, reply), ...said };
  }

  #answerMessage({ call, message }: TillMessage, said: ResponseOrRejection): object {
    const now = this.#services.runtime.clock.now();
    return makeAnswerMessage(said, { header: message.header, json: call.json, now });
  }

  /** @throws ApiError terminalNotFound */
  terminalOf({ caller }: AdyenCall, poiId: string): Terminal {
    const terminal = this.#services.terminals.byPoiId(poiId);
    if (terminal?.accountId !== caller.accountId || terminal.environment !== caller.environment)
      throw new ApiError('terminalNotFound');
    return terminal;
  }

  #replyTo(asked: TillMessage): Promise<ReplyWithMeaning> {
    switch (asked.message.header.MessageCategory) {
      case 'Payment':
      case 'Reversal':
        return this.#payments.pay(asked);
      case 'Abort':
        return this.#payments.abort(asked);
      case 'TransactionStatus':
        return this.#payments.status(asked);
      case 'Diagnosis':
        return this.#diagnosis(asked);
      default:
        return Promise.resolve(notEmulated(asked.message.header));
    }
  }

  async #diagnosis({ message, terminal }: TillMessage): Promise<ReplyWithMeaning> {
    const request = checkMessageBody(diagnosisRequestSchema, message, 'DiagnosisRequest');
    if ('response' in request) return request;
    const { connectedTerminals, payments } = this.#services;
    if (!(await connectedTerminals()).has(terminal.id)) return terminalUnreachableResult;
    const GlobalStatus = (await payments.isPaying(terminal.id)) ? 'Busy' : 'OK';
    return {
      response: {
        ...successField,
        POIStatus: { GlobalStatus, CommunicationOKFlag: true },
        ...(request.body.HostDiagnosisFlag && { HostStatus: [{ AcquirerID: 1, IsReachableFlag: true }] }),
      },
    };
  }
}

/**
 * The status of the native API with which the journal records the answer `ok`. The status is not 202 or 303: after
 * these, a client must ask for the result itself, but after `ok` the gateway sends the result to the till.
 */
const acceptedMeaning = { status: 201 };

const okAnswer: Answer = {
  status: 200,
  text: 'ok',
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
};

function notEmulated({ MessageCategory }: MessageHeader): ReplyWithMeaning {
  return {
    response: makeFailureField('UnavailableService', `${MessageCategory} is not emulated`),
    means: { status: 501, as: 'UnavailableService' },
  };
}
