import { expect, test } from 'vitest';
import { encode } from './encode.fixture.ts';
import { toLowerCamel } from './enums.ts';
import { decodeMessage, MessageFormatError } from './message.ts';
import { decodePairs, encodePairs } from './pairs.ts';

const ids = { serviceId: 'AB12CD34EF', poiId: 'V400m-123456789' };

test('a message is the same after it is sent and received', () => {
  const body = {
    MessageReference: { MessageCategory: 'Payment', ServiceID: 'X1' },
    AbortReason: 'MerchantAbort',
  };
  const message = decodeMessage(JSON.parse(encode('AbortRequest', ids, body)));
  expect(message.kind).toBe('AbortRequest');
  expect(message.body).toEqual(body);
  expect(message.header).toEqual({
    ProtocolVersion: '3.0',
    MessageClass: 'Service',
    MessageCategory: 'Abort',
    MessageType: 'Request',
    ServiceID: 'AB12CD34EF',
    SaleID: 'pinpad',
    POIID: 'V400m-123456789',
  });
});

test('a correct message is not copied', () => {
  const envelope = JSON.parse(
    encode('AcquirerResponse', ids, {
      Type: 'Authorize',
      PaymentReference: '019b78ce-9280-7000-8000-5f3759df0003',
      AttemptID: 'A1',
      Approved: true,
      PspReference: 'P1',
      AcquirerResponseCode: 'APPROVED',
    }),
  );
  expect(decodeMessage(envelope).body).toBe(envelope.SaleToPOIResponse.AcquirerResponse);
});

test('responses are sent in SaleToPOIResponse', () => {
  const text = encode('DiagnosisResponse', ids, {
    Response: { Result: 'Success' },
    POIStatus: { GlobalStatus: 'OK' },
  });
  expect(Object.keys(JSON.parse(text))).toEqual(['SaleToPOIResponse']);
});

test('unknown fields are dropped', () => {
  const envelope = JSON.parse(encode('DiagnosisRequest', ids, {}));
  envelope.SaleToPOIRequest.DiagnosisRequest.Surprise = 1;
  expect(decodeMessage(envelope).body).toEqual({});
});

test.each([
  ['null', null],
  ['a number', 5],
  ['an array', []],
  ['an empty object', {}],
  ['an empty envelope', { SaleToPOIRequest: {} }],
  ['a body without header', { SaleToPOIRequest: { DiagnosisRequest: {} } }],
  ['a key of Object.prototype', { SaleToPOIRequest: { toString: {}, MessageHeader: {} } }],
  ['a ServiceID that is too long', longServiceId()],
])('%s is not a message', (_what, json) => {
  expect(() => decodeMessage(json)).toThrow(MessageFormatError);
});

function longServiceId() {
  return JSON.parse(encode('DiagnosisRequest', { ...ids, serviceId: '12345678901' }, {}));
}

test('the API spells nexo values in lowerCamel (B34)', () => {
  expect(['Busy', 'MessageFormat', 'WrongPIN'].map(toLowerCamel)).toEqual([
    'busy',
    'messageFormat',
    'wrongPin',
  ]);
  expect(['ICC', 'Contactless', 'MagStripe', 'Keyed'].map(toLowerCamel)).toEqual([
    'icc',
    'contactless',
    'magStripe',
    'keyed',
  ]);
});

test('pairs are percent-encoded as in nexo and read back in order', () => {
  const pairs: [string, string][] = [
    ['message', 'Not enough balance'],
    ['odd', "a=b&c*d:e/f,g'(h)!"],
    ['euro', '€ 10.99'],
    ['empty', ''],
  ];
  const text = encodePairs(pairs);
  expect(text).toContain('message=Not%20enough%20balance');
  expect(text).toContain('%2a');
  expect(text).toContain('%3a');
  expect(decodePairs(text)).toEqual(pairs);
  expect(decodePairs('')).toEqual([]);
});

test.each([
  ['4761730000000119', false],
  ['4761 7300 0000 0119', false],
  ['476173 **** 0119', true],
  ['**** 0119', true],
  ['476173******0119', true],
])(
  'an unmasked card number makes a message unreadable, and is not in the error: %s',
  (MaskedPan, readable) => {
    const text = encode('AcquirerRequest', ids, {
      Type: 'Authorize',
      PaymentReference: '019b78ce-9280-7000-8000-5f3759df0003',
      AttemptID: 'A1',
      Currency: 'EUR',
      RequestedAmount: 2500,
      TotalAmount: 2500,
      Card: { Brand: 'visa', MaskedPan, EntryMode: 'ICC' },
    });
    if (readable) expect(decodeMessage(JSON.parse(text)).kind).toBe('AcquirerRequest');
    else expect(() => decodeMessage(JSON.parse(text))).toThrow(/^AcquirerRequest: \D*MaskedPan$/);
  },
);
