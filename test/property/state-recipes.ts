import type { HttpAnswer, StackHarness } from '../stack/stack-harness.ts';

/** How to bring a payment to a state of the terminal. An accident then happens in that state. */
export interface StateRecipe {
  /** The name of that state of the terminal's screen, such as `tip`. */
  readonly state: string;
  readonly amount?: number;
  readonly body?: object;
  /** Whether to use natural pacing. The state then lasts for some time, although the terminal waits for no action. */
  readonly natural?: true;
  /** A host that keeps the terminal waiting. */
  readonly host?: object;
  readonly acts: readonly (readonly [name: string, body?: object])[];
  /** Whether the outcome is decided already. If so, an accident does not change it. */
  readonly after?: 'approval';
}

const tip = { gratuity: { enabled: true } };
const press = (...keys: string[]) => ['press', { keys }] as const;
const pin = press('1', '2', '3', '4', 'enter');

/** Every state of a payment on the terminal, in the order of a payment. */
export const stateRecipes: readonly StateRecipe[] = [
  { state: 'tip', body: tip, acts: [] },
  { state: 'customTip', body: tip, acts: [press('4')] },
  { state: 'presentCard', acts: [] },
  { state: 'keyedNumber', acts: [press('4')] },
  { state: 'keyedExpiry', acts: [press(...'4242424242424242', 'enter')] },
  { state: 'readingCard', natural: true, acts: [['insert', { card: 'visa-credit' }]] },
  { state: 'chipUnreadable', acts: [['insert', { card: 'chip-dead' }]] },
  {
    state: 'swipeInstead',
    acts: [
      ['insert', { card: 'chip-dead' }],
      ['remove'],
      ['insert', { card: 'chip-dead' }],
      ['remove'],
      ['insert', { card: 'chip-dead' }],
    ],
  },
  { state: 'cardUnreadable', natural: true, acts: [['swipe', { card: 'stripe-dead' }]] },
  { state: 'insertInstead', amount: 60, acts: [['tap', { card: 'visa-credit' }]] },
  { state: 'applicationChoice', acts: [['insert', { card: 'credit-debit' }]] },
  { state: 'pin', acts: [['insert', { card: 'visa-credit' }]] },
  {
    state: 'pinWrong',
    natural: true,
    acts: [['insert', { card: 'visa-credit' }], press('9', '9', '9', '9', 'enter')],
  },
  { state: 'authorizing', host: { type: 'late', delayMs: 20_000 }, acts: [['tap', { card: 'visa-credit' }]] },
  { state: 'approved', natural: true, after: 'approval', acts: [['tap', { card: 'visa-credit' }]] },
  { state: 'removeCard', after: 'approval', acts: [['insert', { card: 'visa-credit' }], pin] },
  { state: 'printing', natural: true, after: 'approval', acts: [['tap', { card: 'visa-credit' }]] },
];

/** Requests a payment and brings the payment into the state. Returns the promise of the answer to the request. */
export async function reach(
  harness: StackHarness,
  { state, amount = 10, body = {}, host, acts }: StateRecipe,
): Promise<{ answer: Promise<HttpAnswer> }> {
  if (host) await harness.control('PUT', `/terminals/${harness.poiId}/outcome`, { outcome: host });
  const answer = harness.pay(amount, body, { 'idempotency-key': 'journey' });
  await harness.settled();
  for (const [name, given] of acts) {
    const { status, body: observed } = await harness.act(name, given);
    if (status !== 200) throw new Error(`${name}: ${JSON.stringify(observed)}`);
    if (await shows(harness, state)) break;
    await harness.advance(2_000); // natural pacing shows each text long enough to be read
  }
  for (let waited = 0; waited < 60 && !(await shows(harness, state)); waited++) await harness.advance(100);
  if (!(await shows(harness, state))) throw new Error(`${state} was not reached`);
  return { answer };
}

async function shows(harness: StackHarness, state: string): Promise<boolean> {
  const { body } = await harness.control<{ state: string }>('GET', `/terminals/${harness.poiId}/screen`);
  return body.state === state;
}
