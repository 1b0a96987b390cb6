import fc from 'fast-check';
import { encode } from '../../shared/nexo/encode.fixture.ts';
import type { MessageBody, MessageKind } from '../../shared/nexo/message.ts';
import { largestFrameBytes } from '../../shared/transport/largest-frame.ts';
import { encodeRecords, type RecordKind, recordHeaderBytes } from '../../shared/transport/records.ts';
import { frameBytes, opcodes } from '../raw-web-socket.ts';
import { applyFieldMutation, type FieldMutation, fieldMutation, nastyJson, nastyText } from './bytes.ts';

export const exampleTransactionId = '019b78c9-0a80-7000-8000-000000000001';
const at = '2026-01-01T09:00:00.000Z';
const reference = { MessageCategory: 'Payment', ServiceID: 'ABC123' } as const;
/** One example of each kind of message. */
export const exampleBodies: { [K in MessageKind]: MessageBody<K> } = {
  PaymentRequest: {
    SaleData: { SaleTransactionID: { TransactionID: exampleTransactionId, TimeStamp: at } },
    PaymentTransaction: { AmountsReq: { Currency: 'EUR', RequestedAmount: 10 } },
  },
  PaymentResponse: {
    Response: { Result: 'Success', AdditionalResponse: 'tid=1&message=%zz' },
    SaleData: { SaleTransactionID: { TransactionID: exampleTransactionId, TimeStamp: at } },
    POIData: { POITransactionID: { TransactionID: 'T', TimeStamp: at } },
  },
  ReversalRequest: {
    SaleData: { SaleTransactionID: { TransactionID: exampleTransactionId, TimeStamp: at } },
    OriginalPOITransaction: { POITransactionID: { TransactionID: 'T', TimeStamp: at } },
    ReversalReason: 'MerchantCancel',
    ReversedAmount: 10,
  },
  ReversalResponse: {
    Response: { Result: 'Success', AdditionalResponse: 'tid=1&message=%zz' },
    SaleData: { SaleTransactionID: { TransactionID: exampleTransactionId, TimeStamp: at } },
    POIData: { POITransactionID: { TransactionID: 'R', TimeStamp: at } },
    OriginalPOITransaction: { POITransactionID: { TransactionID: 'T', TimeStamp: at } },
    ReversedAmount: 10,
  },
  AbortRequest: { MessageReference: reference, AbortReason: 'MerchantAbort' },
  TransactionStatusRequest: { MessageReference: reference },
  TransactionStatusResponse: {
    Response: { Result: 'Failure', ErrorCondition: 'NotFound' },
    MessageReference: reference,
  },
  DiagnosisRequest: { HostDiagnosisFlag: false },
  DiagnosisResponse: { Response: { Result: 'Success' }, POIStatus: { GlobalStatus: 'OK' } },
  DisplayRequest: {
    DisplayOutput: [
      {
        ResponseRequiredFlag: false,
        Device: 'CashierDisplay',
        InfoQualify: 'Status',
        OutputContent: {
          OutputFormat: 'MessageRef',
          PredefinedContent: { ReferenceID: `TransactionID=T&TimeStamp=${at}&event=%E0%A4%A` },
        },
      },
    ],
  },
  EventNotification: { TimeStamp: at, EventToNotify: 'Initialised' },
  AcquirerRequest: {
    Type: 'Authorize',
    PaymentReference: exampleTransactionId,
    AttemptID: 'A1',
    Currency: 'EUR',
    RequestedAmount: 1000,
    TotalAmount: 1000,
    Card: { Brand: 'visa', MaskedPan: '411111 **** 1111', EntryMode: 'ICC' },
  },
  AcquirerResponse: { Type: 'Reverse', PaymentReference: exampleTransactionId },
};

/** A terminal's request to the host for a refund. The terminal's request for a payment is in `exampleBodies`. */
const refundAsked: MessageBody<'AcquirerRequest'> = {
  Type: 'Refund',
  PaymentReference: exampleTransactionId,
  AttemptID: 'A1',
  Currency: 'EUR',
  Amount: 1000,
};

const emulatorFrames: object[] = [
  { type: 'hello', terminals: [{ poiId: 'OWN-1', deviceKey: 'dev_wrong' }] },
  { type: 'hello', terminals: [{ poiId: 'V400m-100000001', deviceKey: 'dev_wrong' }] },
  { type: 'hello', terminals: [] },
  { type: 'screen', poiId: 'V400m-100000001', screen: { state: 'idle' } },
  { type: 'answer', id: 1, cards: [], receipts: [] },
  { type: 'answer', id: 999_999 },
  {
    type: 'journal',
    entries: [{ at: 0, kind: 'terminal.key', terminal: 'V400m-100000001', data: '{"key":"x"}' }],
  },
  { type: 'journal', entries: [{ at: 1e300, kind: 'warning', data: '' }] },
  { type: 'journal', entries: [{ at: 0, kind: 'payment.concluded', data: '{}' }] },
];

export const encodeTextFrame = (text: string) => frameBytes(opcodes.text, Buffer.from(text));
const message = (path: '/poi' | '/emulator'): fc.Arbitrary<unknown> =>
  path === '/poi'
    ? fc
        .tuple(
          fc.constantFrom(...Object.entries(exampleBodies), ['AcquirerRequest', refundAsked] as [
            MessageKind,
            MessageBody<'AcquirerRequest'>,
          ]),
          fc.constantFrom('OWN-1', 'V400m-100000001', 'x'),
        )
        .map(([[kind, body], poiId]) =>
          JSON.parse(encode(kind as MessageKind, { serviceId: 'ABC123', poiId }, body as never)),
        )
    : fc.constantFrom(...emulatorFrames);
const applied = (value: unknown, changes: FieldMutation[]) =>
  JSON.stringify(
    changes.reduce((changing: unknown, change) => applyFieldMutation(changing, change), value),
  ) ?? 'null';

/** The bytes of one message on a link of the terminal OWN-1, made from data that fast-check can shrink. */
export const fuzzedFrames = (path: '/poi' | '/emulator'): fc.Arbitrary<Buffer> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(message(path), fc.array(fieldMutation, { maxLength: 2 }))
        .map(([value, changes]) => encodeTextFrame(applied(value, changes))),
    },
    { weight: 2, arbitrary: nastyJson.map(encodeTextFrame) },
    { weight: 1, arbitrary: nastyText.map(encodeTextFrame) },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(-1, 0, 1, 2, 1e9, 0.5, '1', null, [1])
        .map((count) => encodeTextFrame(JSON.stringify({ Acknowledged: count }))),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.nat({ max: 15 }),
          fc.uint8Array({ maxLength: 200 }),
          fc.record({ final: fc.boolean(), masked: fc.boolean(), reserved: fc.nat({ max: 7 }) }),
        )
        .map(([opcode, payload, bits]) => frameBytes(opcode, payload, bits)),
    },
    {
      weight: 1,
      arbitrary: fc.uint8Array({ maxLength: 100 }).map((payload) => frameBytes(opcodes.text, payload)),
    },
    {
      weight: 1,
      arbitrary: fc.constant(frameBytes(opcodes.text, Buffer.alloc(largestFrameBytes + 1, 0x20))),
    },
    { weight: 1, arbitrary: fc.constant(frameBytes(opcodes.text, Buffer.alloc(largestFrameBytes, 0x20))) },
  );

/** Returns the bytes of one record of a shared socket. */
export function recordBytes(kind: number, channel: number, content: string | Buffer, count = 0): Buffer {
  const length = Buffer.byteLength(content);
  const record = { kind: kind as RecordKind, channel, acknowledged: count, content, length };
  return encodeRecords([record], recordHeaderBytes + length);
}

/**
 * A frame on a shared socket whose channel 1 is open. Each record of the frame belongs to channel 1 or to another
 * channel, and is whole or cut.
 */
export const fuzzedSharedFrames = (openings: string[]): fc.Arbitrary<Buffer> => {
  const content = fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .tuple(message('/poi'), fc.array(fieldMutation, { maxLength: 2 }))
        .map(([value, changes]) => applied(value, changes)),
    },
    { weight: 2, arbitrary: fc.constantFrom(...openings) },
    { weight: 1, arbitrary: nastyJson },
    { weight: 1, arbitrary: nastyText },
    { weight: 1, arbitrary: fc.constant('') },
  );
  const record = fc
    .tuple(
      fc.oneof({ weight: 4, arbitrary: fc.constant(4) }, { weight: 3, arbitrary: fc.nat({ max: 9 }) }),
      fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, { weight: 3, arbitrary: fc.nat({ max: 4 }) }),
      content,
      fc.constantFrom(0, 0, 0, 1, 99),
    )
    .map((parts) => recordBytes(...parts));
  const bytes = fc.array(record, { maxLength: 6 }).map((records) => Buffer.concat(records));
  const cut = fc.tuple(bytes, fc.nat({ max: 40 })).map(([all, less]) => all.subarray(0, all.length - less));
  return fc
    .oneof({ weight: 8, arbitrary: bytes }, { weight: 1, arbitrary: cut })
    .map((payload) => frameBytes(opcodes.binary, payload));
};
