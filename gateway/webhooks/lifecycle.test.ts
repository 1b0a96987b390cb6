import { expect, test } from 'vitest';
import { deliveryStates, type WebhookAttemptRow, type WebhookDeliveryRow } from '../store/rows/webhooks.ts';
import { makeDeliveryRow } from './delivery-row.fixture.ts';
import { decide, type Input, lifecycle, makeAttemptInput } from './lifecycle.ts';

const now = 1_000;
const retryInMs = (tries: number) => (tries < 10 ? 100 * tries : undefined);

const rows: Record<WebhookDeliveryRow['state'], WebhookDeliveryRow> = {
  pending: makeDeliveryRow({ state: 'pending', why: 'it waits', tries: 3, due_at: 900 }),
  delivered: makeDeliveryRow({
    state: 'delivered',
    why: 'it was taken',
    tries: 4,
    due_at: null,
    ended_at: 500,
  }),
  failed: makeDeliveryRow({
    state: 'failed',
    why: 'it was tried often',
    tries: 10,
    due_at: null,
    ended_at: 500,
  }),
};

const givers = ['schedule', 'hand', 'fault'] as const satisfies readonly WebhookAttemptRow['by'][];
const inputs: readonly (readonly [string, Input])[] = [
  ...(['taken', 'refused', 'gone'] as const).flatMap((is) =>
    givers.map((by) => [`${is} by ${by}`, { is, by, why: 'so' }] as const),
  ),
  ['unwanted', { is: 'unwanted' }],
  ['putOff', { is: 'putOff', forMs: 50, why: 'a test wants it' }],
];

test('every state of a delivery handles every input', () => {
  expect(Object.keys(lifecycle)).toEqual(deliveryStates);
  const names = [...new Set(inputs.map(([, { is }]) => is))];
  for (const does of Object.values(lifecycle)) expect(Object.keys(does)).toEqual(names);
  expect(comesTo.map(([state, input]) => `${state} ${input}`)).toEqual(
    deliveryStates.flatMap((state) => inputs.map(([input]) => `${state} ${input}`)),
  );
});

/**
 * Describes a step in words: how the delivery changes, and which effects follow. If the delivery ends, its row gets the
 * end time, and the time at which it is due is removed.
 */
const taken = (tries: number) => `delivered (so), ${tries} tries`;
const comesTo: readonly (readonly [state: WebhookDeliveryRow['state'], input: string, comesTo: string])[] = [
  ['pending', 'taken by schedule', taken(4)],
  ['pending', 'taken by hand', taken(3)],
  ['pending', 'taken by fault', taken(3)],
  ['pending', 'refused by schedule', 'pending (so), 4 tries, due in 400 ms'],
  ['pending', 'refused by hand', 'as it is, 3 tries'],
  ['pending', 'refused by fault', 'as it is, 3 tries'],
  ['pending', 'gone by schedule', 'failed (so), 4 tries; journalFailure (so), disableWebhook'],
  ['pending', 'gone by hand', 'as it is, 3 tries; disableWebhook'],
  ['pending', 'gone by fault', 'as it is, 3 tries; disableWebhook'],
  ['pending', 'unwanted', 'failed (the webhook was deleted or disabled)'],
  ['pending', 'putOff', 'pending (a test wants it), due in 50 ms'],
  ['delivered', 'taken by schedule', taken(5)],
  ['delivered', 'taken by hand', taken(4)],
  ['delivered', 'taken by fault', taken(4)],
  ['delivered', 'refused by schedule', 'as it is, 5 tries'],
  ['delivered', 'refused by hand', 'as it is, 4 tries'],
  ['delivered', 'refused by fault', 'as it is, 4 tries'],
  ['delivered', 'gone by schedule', 'as it is, 5 tries; disableWebhook'],
  ['delivered', 'gone by hand', 'as it is, 4 tries; disableWebhook'],
  ['delivered', 'gone by fault', 'as it is, 4 tries; disableWebhook'],
  ['delivered', 'unwanted', 'nothing'],
  ['delivered', 'putOff', 'nothing'],
  ['failed', 'taken by schedule', taken(11)],
  ['failed', 'taken by hand', taken(10)],
  ['failed', 'taken by fault', taken(10)],
  ['failed', 'refused by schedule', 'as it is, 11 tries; journalFailure (it was tried often)'],
  ['failed', 'refused by hand', 'as it is, 10 tries; journalFailure (it was tried often)'],
  ['failed', 'refused by fault', 'as it is, 10 tries; journalFailure (it was tried often)'],
  ['failed', 'gone by schedule', 'as it is, 11 tries; journalFailure (it was tried often), disableWebhook'],
  ['failed', 'gone by hand', 'as it is, 10 tries; journalFailure (it was tried often), disableWebhook'],
  ['failed', 'gone by fault', 'as it is, 10 tries; journalFailure (it was tried often), disableWebhook'],
  ['failed', 'unwanted', 'nothing'],
  ['failed', 'putOff', 'nothing'],
];

test.each(comesTo)('a delivery that is %s and gets %s becomes: %s', (state, name, comes) => {
  const [, input] = inputs.find(([each]) => each === name) ?? expect.fail(`no input ${name}`);
  expect(said(rows[state], input)).toBe(comes);
});

test('a delivery fails after the last try of the schedule, and is tried once more before that (B107)', () => {
  const input = { is: 'refused', by: 'schedule', why: 'so' } as const;
  expect(said({ ...rows.pending, tries: 8 }, input)).toBe('pending (so), 9 tries, due in 900 ms');
  expect(said({ ...rows.pending, tries: 9 }, input)).toBe('failed (so), 10 tries; journalFailure (so)');
});

test.each([
  [200, 'taken', 'the receiver answered 200'],
  [299, 'taken', 'the receiver answered 299'],
  [199, 'refused', 'the receiver answered 199'],
  [300, 'refused', 'the receiver answered 300'],
  [410, 'gone', 'the receiver answered 410'],
  [undefined, 'refused', 'the receiver did not answer within 15000 ms'],
] as const)('an attempt that is answered %s makes the delivery %s (B107)', (status, is, why) => {
  const posted = { status, error: status === undefined ? why : undefined, answer: undefined };
  expect(makeAttemptInput('hand', posted)).toEqual({ is, by: 'hand', why });
});

function said(from: WebhookDeliveryRow, input: Input): string {
  const { set, effects } = decide(from, input, { now, retryInMs });
  const { state, why, tries, due_at, ended_at } = set;
  const ends = state === undefined ? undefined : null;
  expect([due_at === null ? null : undefined, ended_at]).toEqual([ends, state && now]);
  const parts = [
    why === undefined ? tries !== undefined && 'as it is' : `${state ?? from.state} (${why})`,
    tries !== undefined && `${tries} tries`,
    due_at != null && `due in ${due_at - now} ms`,
  ].filter(Boolean);
  const follows = effects.map((effect) =>
    effect.do === 'journalFailure' ? `${effect.do} (${effect.why})` : effect.do,
  );
  return [parts.join(', ') || 'nothing', follows.join(', ')].filter(Boolean).join('; ');
}
