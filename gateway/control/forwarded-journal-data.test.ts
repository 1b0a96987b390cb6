import { expect, test } from 'vitest';
import { emulatorFrameSchema } from '../../shared/emulator/frames.ts';
import { makeForwardedDataReader } from './forwarded-journal-data.ts';

const read = (kind: string, data: string): unknown => makeForwardedDataReader(kind)({ data });
/** A value that cannot be turned into a text. */
const noText = '{"toString":1}';

test.each([
  ['terminal.screen', '{}', { state: '?', title: '?' }],
  [
    'terminal.screen',
    `{"state":"pin","title":${noText},"amount":5,"lines":["a",${noText}],"choices":{"a":1}}`,
    { state: 'pin', title: '?', amount: '?', lines: ['a', '?'] },
  ],
  ['terminal.power', `{"on":${noText},"at":${noText}}`, { on: false, at: '?' }],
  ['terminal.latency', '{"latencyMs":"slow"}', { latencyMs: 0 }],
  ['reader.event', 'null', { reader: '?', event: '?' }],
  ['warning', `{"message":${noText}}`, { message: '?' }],
  ['warning', 'not JSON', { message: '?' }],
  [
    'message.sent',
    `{"link":[],"message":"PaymentRequest","body":${noText}}`,
    { link: '?', message: 'PaymentRequest', body: { toString: 1 } },
  ],
])(
  'the data of a forwarded %s, sent as %s, are reduced to the fields of its kind',
  (kind, data, conforming) => {
    expect(read(kind, data)).toEqual(conforming);
  },
);

test('correct data are kept as they are, and so are data of kinds that are not known here', () => {
  const screen = { state: 'tip', title: 'Tip?', amount: 'EUR 5', lines: ['x'], choices: ['1'] };
  expect(read('terminal.screen', JSON.stringify(screen))).toEqual(screen);
  expect(read('terminal.constructor', '{"a":{"b":1}}')).toEqual({ a: { b: 1 } });
});

test.each([
  [8.64e15, true],
  [8.64e15 + 2, false],
  [1e308, false],
  [-1, false],
])('a forwarded entry at %d has a time of day that can be shown: %s', (at, taken) => {
  const entries = [{ at, kind: 'warning', data: '{}' }];
  expect(emulatorFrameSchema.safeParse({ type: 'journal', entries }).success).toBe(taken);
});
