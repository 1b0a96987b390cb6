import type { AcquirerRequest, AcquirerResponse } from '../../shared/nexo/acquirer.ts';
import type {
  PaymentRequest,
  PaymentResponse,
  ReversalRequest,
  ReversalResponse,
} from '../../shared/nexo/bodies.ts';
import { encode } from '../../shared/nexo/encode.fixture.ts';
import {
  decodeMessage,
  type Message,
  type MessageBody,
  type MessageKind,
} from '../../shared/nexo/message.ts';
import type { SaleToPoiData } from '../../shared/nexo/sale-to-poi-data.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { type Link, UnreadableMessageError } from '../../shared/transport/link.ts';
import { dialLink } from '../../shared/transport/link-client.ts';

type Received<K extends MessageKind> = Extract<Message, { kind: K }>;

/** The terminal's end of the connection to /poi. It does only what the test tells it to do. */
export class TestTerminal {
  readonly received: Message[] = [];
  readonly poiId: string;
  link: Link | undefined;
  closed: { code: number; reason: string } | undefined;
  /** Decides which messages the terminal cannot read. */
  cannotRead: (message: Message) => boolean = () => false;
  /**
   * Called when a message arrives, before the terminal acknowledges the message. A test can make something go wrong
   * here: the function may throw an error or close the connection.
   */
  fault: (message: Message) => void = () => {};
  #runtime: Runtime;
  #url: string;
  #key: string;
  #waiting: { kind: MessageKind; resolve(message: Message): void }[] = [];
  #react: ((message: Message) => void) | undefined;

  constructor(runtime: Runtime, options: { url: string; poiId: string; deviceKey: string }) {
    this.#runtime = runtime;
    this.#url = options.url;
    this.poiId = options.poiId;
    this.#key = options.deviceKey;
  }

  /** Connects to the gateway. `opened` is called at once when the connection opens. */
  async connect(
    headers: Record<string, string> = {},
    opened: (link: Link) => void = () => {},
  ): Promise<this> {
    this.closed = undefined;
    const { clockId } = this.#runtime;
    await dialLink(
      {
        url: `${this.#url}/poi`,
        headers: {
          authorization: `Bearer ${this.#key}`,
          'pinpad-poi': this.poiId,
          ...(clockId === undefined ? {} : { 'pinpad-clock': clockId }),
          ...headers,
        },
      },
      this.#runtime,
      (link) => {
        this.link = link;
        link.handle((json) => this.#got(decodeMessage(json)));
        link.onClosed((code, reason) => {
          if (this.link === link) this.closed = { code, reason };
        });
        opened(link);
      },
    );
    return this;
  }

  /** Sets the function that handles a message if no call of {@link next} waits for this message. */
  react(react: (message: Message) => void): void {
    this.#react = react;
  }

  /** Resolves with the next message of a kind. Each message is given only once. */
  next<K extends MessageKind>(kind: K): Promise<Received<K>> {
    const at = this.received.findIndex((message) => message.kind === kind);
    if (at >= 0) return Promise.resolve(this.received.splice(at, 1)[0] as Received<K>);
    return new Promise((resolve) =>
      this.#waiting.push({ kind, resolve: (message) => resolve(message as Received<K>) }),
    );
  }

  send<K extends MessageKind>(kind: K, serviceId: string, body: MessageBody<K>, poiId = this.poiId): void {
    this.link?.send(encode(kind, { serviceId, poiId }, body));
  }

  raw(text: string): void {
    this.link?.send(text);
  }

  async authorize(
    request: Received<'PaymentRequest'>,
    more: Partial<Extract<AcquirerRequest, { Type: 'Authorize' }>> = {},
  ): Promise<Extract<AcquirerResponse, { Type: 'Authorize' }>> {
    this.send('AcquirerRequest', request.header.ServiceID, makeAuthorizeRequest(request.body, more));
    return (await this.next('AcquirerResponse')).body as Extract<AcquirerResponse, { Type: 'Authorize' }>;
  }

  async reverse(request: Received<'PaymentRequest'>, AttemptID = attempt): Promise<void> {
    const PaymentReference = request.body.SaleData.SaleTransactionID.TransactionID;
    this.send('AcquirerRequest', request.header.ServiceID, {
      Type: 'Reverse',
      PaymentReference,
      AttemptID,
      Reason: 'Timeout',
    });
    await this.next('AcquirerResponse');
  }

  approve(request: Received<'PaymentRequest'>, tip = 0, of: ApprovalOf = {}): void {
    this.send('PaymentResponse', request.header.ServiceID, makeApproval(request.body, tip, of));
  }

  refuse(
    request: Received<'PaymentRequest'>,
    condition: 'Refusal' | 'Cancel' | 'Aborted' | 'WrongPIN',
  ): void {
    this.send('PaymentResponse', request.header.ServiceID, refusal(request.body, condition));
  }

  /** Carries out a whole payment that is approved. It waits for the request, and answers the request. */
  async pay(): Promise<Received<'PaymentRequest'>> {
    const request = await this.next('PaymentRequest');
    await this.authorize(request);
    this.approve(request);
    return request;
  }

  /** Asks the host to return the money that a reversal gives back. */
  async refund(
    { header, body }: Received<'ReversalRequest'>,
    more: Partial<Extract<AcquirerRequest, { Type: 'Refund' }>> = {},
  ): Promise<Extract<AcquirerResponse, { Type: 'Refund' }>> {
    const { reversal } = JSON.parse(body.SaleData.SaleToPOIData ?? '{}') as SaleToPoiData;
    this.send('AcquirerRequest', header.ServiceID, {
      Type: 'Refund',
      PaymentReference: body.SaleData.SaleTransactionID.TransactionID,
      AttemptID: attempt,
      Currency: reversal?.currency ?? '',
      Amount: Math.round(body.ReversedAmount * 100),
      ...more,
    });
    return (await this.next('AcquirerResponse')).body as Extract<AcquirerResponse, { Type: 'Refund' }>;
  }

  /** Answers a reversal with success, or with the reason why the money was not given back. */
  answerReversal(
    { header, body }: Received<'ReversalRequest'>,
    condition?: 'Refusal' | 'UnreachableHost',
  ): void {
    this.send('ReversalResponse', header.ServiceID, makeReversalAnswer(body, condition));
  }

  /** Carries out a whole reversal that succeeds. It waits for the request, and answers the request. */
  async giveBack(): Promise<Received<'ReversalRequest'>> {
    const request = await this.next('ReversalRequest');
    await this.refund(request);
    this.answerReversal(request);
    return request;
  }

  answerStatus(
    asked: Received<'TransactionStatusRequest'>,
    answer: PaymentResponse | { reversal: ReversalResponse } | 'InProgress' | 'NotFound',
  ): void {
    const { MessageReference } = asked.body;
    this.send(
      'TransactionStatusResponse',
      asked.header.ServiceID,
      typeof answer === 'string'
        ? { Response: { Result: 'Failure', ErrorCondition: answer }, MessageReference }
        : {
            Response: { Result: 'Success' },
            MessageReference,
            RepeatedMessageResponse: {
              RepeatedResponseMessageBody:
                'reversal' in answer ? { ReversalResponse: answer.reversal } : { PaymentResponse: answer },
            },
          },
    );
  }

  #got(message: Message): void {
    if (this.cannotRead(message)) {
      this.received.push(message);
      throw new UnreadableMessageError(`${message.kind} cannot be read`);
    }
    this.fault(message);
    const at = this.#waiting.findIndex(({ kind }) => kind === message.kind);
    if (at >= 0) this.#waiting.splice(at, 1)[0]?.resolve(message);
    else {
      this.received.push(message);
      this.#react?.(message);
    }
  }
}

/** The identifier of the attempt, for a payment with only one attempt. */
const attempt = 'attempt-1';

/** The parts of an approval that the caller chooses, such as the charged amount. */
interface ApprovalOf {
  AttemptID?: string;
  MaskedPan?: string;
  PaymentBrand?: 'visa' | 'mc';
  AID?: string;
  Currency?: string;
}

export function makeAuthorizeRequest(
  request: PaymentRequest,
  more: Partial<Extract<AcquirerRequest, { Type: 'Authorize' }>> = {},
): Extract<AcquirerRequest, { Type: 'Authorize' }> {
  const { Currency, RequestedAmount } = request.PaymentTransaction.AmountsReq;
  const minor = Math.round(RequestedAmount * 100);
  return {
    Type: 'Authorize',
    PaymentReference: request.SaleData.SaleTransactionID.TransactionID,
    AttemptID: attempt,
    Currency,
    RequestedAmount: minor,
    TotalAmount: minor,
    Card: { Brand: 'visa', MaskedPan: '476173 **** 0119', EntryMode: 'ICC' },
    ...more,
  };
}

export function makeApproval(request: PaymentRequest, tip = 0, of: ApprovalOf = {}): PaymentResponse {
  const { AttemptID, MaskedPan, PaymentBrand, AID } = {
    AttemptID: attempt,
    MaskedPan: '476173 **** 0119',
    PaymentBrand: 'visa' as const,
    ...of,
  };
  const { SaleData, POIData } = answer(request);
  const { RequestedAmount } = request.PaymentTransaction.AmountsReq;
  const { Currency = request.PaymentTransaction.AmountsReq.Currency } = of;
  const AuthorizedAmount = Number((RequestedAmount + tip).toFixed(2));
  return {
    SaleData,
    POIData: { ...POIData, AttemptID },
    Response: {
      Result: 'Success',
      AdditionalResponse: `${AID ? `AID=${AID}&` : ''}cardScheme=visa&cardSummary=0119`,
    },
    PaymentResult: {
      PaymentInstrumentData: {
        PaymentInstrumentType: 'Card',
        CardData: {
          PaymentBrand,
          MaskedPan,
          EntryMode: ['ICC'],
          CardCountryCode: '528',
        },
      },
      AmountsResp: { Currency, AuthorizedAmount, ...(tip > 0 ? { TipAmount: tip } : {}) },
      OnlineFlag: true,
    },
    PaymentReceipt: [
      {
        DocumentQualifier: 'CashierReceipt',
        RequiredSignatureFlag: false,
        OutputContent: {
          OutputFormat: 'Text',
          OutputText: [
            {
              Text: 'name=TOTAL&value=%e2%82%ac%2025.00&key=totalAmount',
              CharacterStyle: 'Bold',
              EndOfLineFlag: true,
            },
            { Text: 'key=filler', EndOfLineFlag: true },
          ],
        },
      },
    ],
  };
}

function refusal(
  request: PaymentRequest,
  ErrorCondition: 'Refusal' | 'Cancel' | 'Aborted' | 'WrongPIN',
): PaymentResponse {
  return {
    ...answer(request),
    Response: { Result: 'Failure', ErrorCondition, AdditionalResponse: 'refusalReason=104%20reason' },
  };
}

export function makeReversalAnswer(
  request: ReversalRequest,
  ErrorCondition?: 'Refusal' | 'UnreachableHost',
): ReversalResponse {
  const { SaleData, POIData } = answer(request);
  const { OriginalPOITransaction, ReversedAmount } = request;
  if (ErrorCondition)
    return { SaleData, POIData, OriginalPOITransaction, Response: { Result: 'Failure', ErrorCondition } };
  return {
    SaleData,
    POIData: { ...POIData, AttemptID: attempt },
    OriginalPOITransaction,
    ReversedAmount,
    Response: { Result: 'Success' },
  };
}

function answer({
  SaleData,
}: PaymentRequest | ReversalRequest): Pick<PaymentResponse, 'SaleData' | 'POIData'> {
  const { SaleTransactionID, SaleReferenceID } = SaleData;
  return {
    SaleData: { SaleTransactionID, SaleReferenceID },
    POIData: {
      POITransactionID: {
        TransactionID: `T.${SaleTransactionID.TransactionID}`,
        TimeStamp: SaleTransactionID.TimeStamp,
      },
    },
  };
}
