import type { Answer } from '../../http/endpoint.ts';
import { ApiError } from '../../http/errors.ts';
import type { Services } from '../../services.ts';
import type { Terminal } from '../../terminals/directory.ts';
import { failure, rejected, responseTo, success } from './answers.ts';
import { diagnosisRequest, type MessageHeader, readMessage } from './message.ts';
import { type AdyenCall, AdyenPayments, type Asked, notReachable, type Reply } from './payments.ts';
import { readBody } from './read-body.ts';

type Needed = Pick<Services, 'runtime' | 'payments' | 'terminals' | 'connectedTerminals'>;

/** Messages of a till to a terminal, whichever way they came. */
export class TerminalApi {
  readonly #services: Needed;
  readonly #payments: AdyenPayments;

  constructor(services: Needed) {
    this.#services = services;
    this.#payments = new AdyenPayments(services);
  }

  /**
   * Answers a message. `device` is the terminal that its path names.
   *
   * @throws ApiError terminalNotFound where the terminal is not the caller's
   */
  async sync(call: AdyenCall, device?: string): Promise<Answer> {
    const { json } = call;
    const now = () => this.#services.runtime.clock.now();
    const message = readMessage(json);
    const reject = (why: string): Answer => ({
      status: 200,
      body: rejected(json, why, now()),
      means: { status: 400, as: 'Reject' },
    });
    if (!message) return reject('Input is not a JSONObject');
    const { header } = message;
    const terminal = this.terminalOf(call, header.POIID);
    if (device !== undefined && device !== header.POIID) return reject('POIID is not the device of the path');
    const { outcomeOf, means, ...reply } = await this.#replyTo({ call, message, terminal });
    const said = { ...(outcomeOf !== undefined && { outcomeOf }), ...(means && { means }) };
    if ('ok' in reply) return { ...okAnswer, ...said };
    const body =
      'rejected' in reply ? rejected(json, reply.rejected, now()) : responseTo(header, reply.response);
    return { status: 200, body, ...said };
  }

  /** @throws ApiError terminalNotFound */
  terminalOf({ caller }: AdyenCall, poiId: string): Terminal {
    const terminal = this.#services.terminals.byPoiId(poiId);
    if (terminal?.accountId !== caller.accountId || terminal.environment !== caller.environment)
      throw new ApiError('terminalNotFound');
    return terminal;
  }

  #replyTo(asked: Asked): Promise<Reply> {
    switch (asked.message.header.MessageCategory) {
      case 'Payment':
        return this.#payments.pay(asked);
      case 'Abort':
        return this.#payments.abort(asked);
      case 'TransactionStatus':
        return this.#payments.status(asked);
      case 'Diagnosis':
        return this.#diagnosis(asked);
      default:
        return Promise.resolve(notHere(asked.message.header));
    }
  }

  async #diagnosis({ message, terminal }: Asked): Promise<Reply> {
    const request = readBody(diagnosisRequest, message, 'DiagnosisRequest');
    if ('response' in request) return request;
    const { connectedTerminals, payments } = this.#services;
    if (!(await connectedTerminals()).has(terminal.id)) return notReachable;
    const GlobalStatus = (await payments.isPaying(terminal.id)) ? 'Busy' : 'OK';
    return {
      response: {
        ...success,
        POIStatus: { GlobalStatus, CommunicationOKFlag: true },
        ...(request.body.HostDiagnosisFlag && { HostStatus: [{ AcquirerID: 1, IsReachableFlag: true }] }),
      },
    };
  }
}

const okAnswer: Answer = {
  status: 200,
  text: 'ok',
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
};

function notHere({ MessageCategory }: MessageHeader): Reply {
  return {
    response: failure('UnavailableService', `${MessageCategory} is not emulated`),
    means: { status: 501, as: 'UnavailableService' },
  };
}
