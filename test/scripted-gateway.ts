import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AcquirerResponse } from '../shared/nexo/acquirer.ts';
import type { PaymentRequest, PaymentResponse, ReversalResponse } from '../shared/nexo/bodies.ts';
import { encode } from '../shared/nexo/encode.fixture.ts';
import { decodeMessage, type Message, type MessageBody, type MessageKind } from '../shared/nexo/message.ts';
import type { SaleToPoiData } from '../shared/nexo/sale-to-poi-data.ts';
import type { Runtime } from '../shared/runtime.ts';
import type { Link } from '../shared/transport/link.ts';
import { LinkServer } from '../shared/transport/link-server.ts';
import { type NumberedDial, readDialHeaders } from '../shared/transport/numbered-dial.ts';

/** A request that asks the host to take money or to give it back. */
type HostRequest = Exclude<MessageBody<'AcquirerRequest'>, { Type: 'Reverse' }>;
export type ApprovalResponse = Exclude<AcquirerResponse, { Type: 'Reverse' }>;
export type Received = Message & { poiId: string };

/**
 * Plays the gateway at the other end of the terminals' links, for tests of the terminal. The test decides what the
 * gateway answers.
 */
export interface ScriptedGateway {
  readonly url: string;
  /** Every message of a terminal, in order. */
  readonly received: Received[];
  /** The connections, in the order in which they were opened. */
  readonly links: Link[];
  /** What the terminals reported about their connections, in order. */
  readonly dials: (NumberedDial | undefined)[];
  readonly emulatorLinks: Link[];
  readonly emulatorFrames: unknown[];
  /** Returns the host's answer to a request. If it returns undefined, the host does not answer. */
  host: (request: HostRequest) => Partial<ApprovalResponse> | undefined;
  answersReversals: boolean;
  /** The status with which the gateway refuses connections of terminals. */
  refuse: number | undefined;
  /** If this returns a promise, the gateway acknowledges the message only after the promise has resolved. */
  hold: (message: Message) => Promise<void> | undefined;
  send<K extends MessageKind>(
    kind: K,
    serviceId: string,
    body: MessageBody<K>,
    acknowledged?: () => void,
  ): void;
  pay(serviceId: string, changes?: PaymentChanges, acknowledged?: () => void): void;
  /** Requests a refund to a card. */
  refund(serviceId: string, changes?: PaymentChanges): void;
  /** Requests the reversal of a payment. */
  reverse(serviceId: string, changes?: ReversalChanges, acknowledged?: () => void): void;
  of<K extends MessageKind>(kind: K): (Received & { kind: K })[];
  /** The outcomes that were reported, oldest first. */
  outcomes(): PaymentResponse[];
  /** The outcomes of reversals that were reported, oldest first. */
  reversals(): ReversalResponse[];
  close(): void;
}

export interface PaymentChanges {
  amount?: number;
  currency?: string;
  conditions?: PaymentRequest['PaymentTransaction']['TransactionConditions'];
  saleReference?: string;
  data?: Partial<SaleToPoiData>;
  saleToPoiData?: string;
}

/** The fields of a reversal that a test changes. By default, a payment with Visa is reversed. */
export interface ReversalChanges {
  amount?: number;
  saleReference?: string;
  reversal?: Partial<NonNullable<SaleToPoiData['reversal']>>;
  saleToPoiData?: string;
}

export function makeApprovedResponse(request: HostRequest): ApprovalResponse {
  return {
    Type: request.Type,
    PaymentReference: request.PaymentReference,
    AttemptID: request.AttemptID,
    Approved: true,
    PspReference: 'PSP0000000000001',
    AuthCode: '123456',
    AcquirerResponseCode: 'APPROVED',
  };
}

/** Returns the transaction identifier of the payment with this ServiceID. */
export function transactionOf(serviceId: string): string {
  return `00000000-0000-7000-8000-${serviceId.padStart(12, '0')}`;
}

export function makePaymentRequest(serviceId: string, changes: PaymentChanges = {}): PaymentRequest {
  const data: SaleToPoiData = {
    receiptHeader: ['Shop', 'Street 1'],
    merchantId: 'MERCHANT',
    ...changes.data,
  };
  return {
    SaleData: {
      SaleTransactionID: { TransactionID: transactionOf(serviceId), TimeStamp: '2026-01-01T09:00:00.000Z' },
      SaleReferenceID: changes.saleReference ?? 'order-1',
      SaleToPOIData: changes.saleToPoiData ?? JSON.stringify(data),
    },
    PaymentTransaction: {
      AmountsReq: { Currency: changes.currency ?? 'EUR', RequestedAmount: changes.amount ?? 10 },
      ...(changes.conditions ? { TransactionConditions: changes.conditions } : {}),
    },
  };
}

/** The transaction whose money a reversal gives back. */
export const originalTransaction = {
  TransactionID: 'V401000000000007.PSP0000000000007',
  TimeStamp: '2026-01-01T08:00:00.000Z',
};

export function makeReversalRequest(
  serviceId: string,
  changes: ReversalChanges = {},
): MessageBody<'ReversalRequest'> {
  const data: SaleToPoiData = {
    receiptHeader: ['Shop', 'Street 1'],
    merchantId: 'MERCHANT',
    reversal: {
      currency: 'EUR',
      original: transactionOf('7'),
      card: { brand: 'visa', maskedNumber: '411111 **** 1111', entryMode: 'ICC' },
      ...changes.reversal,
    },
  };
  return {
    SaleData: {
      SaleTransactionID: { TransactionID: transactionOf(serviceId), TimeStamp: '2026-01-01T09:00:00.000Z' },
      SaleReferenceID: changes.saleReference ?? 'order-1',
      SaleToPOIData: changes.saleToPoiData ?? JSON.stringify(data),
    },
    OriginalPOITransaction: { POITransactionID: originalTransaction },
    ReversalReason: 'MerchantCancel',
    ReversedAmount: changes.amount ?? 10,
  };
}

export async function startScriptedGateway(runtime: Runtime, poiId: string): Promise<ScriptedGateway> {
  const server = createServer();
  const links = new LinkServer(server, runtime);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gateway: ScriptedGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    links: [],
    dials: [],
    emulatorLinks: [],
    emulatorFrames: [],
    host: makeApprovedResponse,
    answersReversals: true,
    refuse: undefined,
    hold: () => undefined,
    send: (kind, serviceId, body, acknowledged) =>
      gateway.links.at(-1)?.send(encode(kind, { serviceId, poiId }, body), acknowledged),
    pay: (serviceId, changes, acknowledged) =>
      gateway.send('PaymentRequest', serviceId, makePaymentRequest(serviceId, changes), acknowledged),
    refund: (serviceId, changes) => {
      const PaymentData = { PaymentType: 'Refund' } as const;
      gateway.send('PaymentRequest', serviceId, { ...makePaymentRequest(serviceId, changes), PaymentData });
    },
    reverse: (serviceId, changes, acknowledged) =>
      gateway.send('ReversalRequest', serviceId, makeReversalRequest(serviceId, changes), acknowledged),
    of: (kind) => gateway.received.filter((message) => message.kind === kind) as never,
    outcomes: () => gateway.of('PaymentResponse').map(({ body }) => body),
    reversals: () => gateway.of('ReversalResponse').map(({ body }) => body),
    close: () => {
      links.terminate();
      server.close();
    },
  };
  const received = (link: Link, json: unknown): Promise<void> | undefined => {
    const message = decodeMessage(json);
    gateway.received.push({ ...message, poiId: message.header.POIID });
    if (message.kind === 'AcquirerRequest') answerHost(gateway, link, message);
    return gateway.hold(message);
  };
  links.serve('/poi', {
    admit: async ({ headers }) => {
      gateway.dials.push(readDialHeaders(headers));
      return gateway.refuse === undefined ? {} : { refuse: gateway.refuse, reason: 'refused by the test' };
    },
    connected: (link) => {
      gateway.links.push(link);
      link.handle((json) => received(link, json));
    },
  });
  links.serve('/emulator', {
    admit: async () => ({}),
    connected: (link) => {
      gateway.emulatorLinks.push(link);
      link.handle((json) => {
        gateway.emulatorFrames.push(json);
      });
    },
  });
  return gateway;
}

function answerHost(
  gateway: ScriptedGateway,
  link: Link,
  { header, body }: Extract<Message, { kind: 'AcquirerRequest' }>,
): void {
  const ids = { serviceId: header.ServiceID, poiId: header.POIID };
  if (body.Type === 'Reverse') {
    const { PaymentReference, AttemptID } = body;
    const answer = { Type: 'Reverse', PaymentReference, AttemptID } as const;
    if (gateway.answersReversals) link.send(encode('AcquirerResponse', ids, answer));
    return;
  }
  const answer = gateway.host(body);
  if (answer) link.send(encode('AcquirerResponse', ids, { ...makeApprovedResponse(body), ...answer }));
}
