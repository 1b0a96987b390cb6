import fc from 'fast-check';
import type { TerminalAction } from '../../shared/emulator/frames.ts';
import { type TerminalKey, terminalKeys } from '../../shared/emulator/screen.ts';

/**
 * One action of a shopper or a merchant, or one accident. Commands are plain data, so a run can be printed, shrunk
 * and played again.
 */
export type Command = {
  /**
   * Whether to wait until everything that the command causes has happened. If false, the next command comes while
   * things still happen.
   */
  settle: boolean;
} & (
  | { do: 'pay'; terminal: number; body: PayBody; key?: string; prefer?: string }
  | {
      do: 'act';
      terminal: number;
      action: Exclude<TerminalAction, { action: 'power' | 'network' | 'resetCard' }>;
    }
  | { do: 'keyIn'; terminal: number; card: number }
  | { do: 'answerPrompt'; terminal: number; card: number; choice: number; wrongPin: boolean }
  | { do: 'power'; terminal: number; on: boolean }
  | { do: 'network'; terminal: number; up: boolean }
  | { do: 'outcome'; terminal: number; outcome: object; mode: 'once' | 'always' }
  | { do: 'abortLatest'; terminal: number }
  | { do: 'abortKey'; key: string }
  | { do: 'status'; key: string }
  | { do: 'latest'; terminal: number }
  | { do: 'hangUp' }
  | { do: 'resetCards' }
  | { do: 'advance'; ms: number }
  | { do: 'restart' }
  | { do: 'loseMemory' }
);

export interface PayBody {
  paymentTransaction: { amountsReq: { requestedAmount: number } };
  [field: string]: unknown;
}

/** Those cards of the tray that a random shopper may choose. */
export const shopperCards = [
  'visa-credit',
  'visa-debit',
  'mc-credit',
  'amex',
  'unionpay',
  'online-pin',
  'signature',
  'no-pin',
  'tap-then-insert',
  'tap-then-pin',
  'phone',
  'credit-debit',
  'chip-dead',
  'chip-dirty',
  'stripe-only',
  'stripe-dead',
  'expired',
  'not-enough-balance',
  'invalid-card',
  'secret',
] as const;

/**
 * There are only a few keys, so that the same key comes again: with the same body, with another body, or while the
 * first request with the key still runs.
 */
export const keyNames = ['key-1', 'key-2', 'key-3', 'key-4'];

const terminal = fc.integer({ min: 0, max: 1 });
const card = fc.constantFrom(...shopperCards);
const cardAt = fc.integer({ min: 0, max: shopperCards.length - 1 });

const amount = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 12_000 }).map((minor) => minor / 100) },
  { weight: 2, arbitrary: fc.constantFrom(1.21, 1.24, 1.28, 1.34, 1.54, 10, 20, 9999.99, 10_000) },
  { weight: 1, arbitrary: fc.constantFrom(0, -5, 10_000.01, 1.234, 1e9) },
);

const tipOption = fc.oneof(
  fc.constantFrom(5, 10, 12.5, 100).map((value) => ({ type: 'percentage', value })),
  fc.constantFrom(0.5, 1, 20).map((value) => ({ type: 'fixed', value })),
  fc.constant({ type: 'custom' }),
);
const gratuity = fc.oneof(
  fc.constant({ enabled: true }),
  fc.constant({ enabled: false }),
  fc.record({ enabled: fc.constant(true), options: fc.array(tipOption, { minLength: 1, maxLength: 4 }) }),
);

const conditions = fc.record(
  {
    allowedPaymentBrand: fc.constantFrom(['visa', 'mc'], ['mc', 'amex', 'maestro'], ['visa']),
    debitPreferredFlag: fc.boolean(),
    customerLanguage: fc.constantFrom('en', 'fr', 'de', 'es', 'it', 'nl', 'pl'),
    forceEntryMode: fc.constantFrom(['icc'], ['contactless'], ['magStripe', 'keyed'], ['icc', 'magStripe']),
    merchantCategoryCode: fc.constant('5812'),
  },
  { requiredKeys: [] },
);

const payBody = fc
  .record(
    {
      requestedAmount: amount,
      gratuity,
      transactionConditions: conditions,
      saleData: fc.constantFrom({ saleReferenceId: 'order-1' }, { saleReferenceId: 'Ünïcode ☕ & =%' }),
      somethingElse: fc.constant(true),
    },
    { requiredKeys: ['requestedAmount'] },
  )
  .map(({ requestedAmount, ...more }) => ({
    paymentTransaction: { amountsReq: { requestedAmount } },
    ...more,
  }));

const pay = fc
  .record(
    {
      terminal,
      body: payBody,
      key: fc.constantFrom(...keyNames),
      prefer: fc.constantFrom('respond-sync', 'respond-async', 'handling=lenient'),
    },
    { requiredKeys: ['terminal', 'body'] },
  )
  .map((rest) => ({ do: 'pay' as const, ...rest }));

const action = fc.oneof(
  fc.record({ action: fc.constantFrom('insert', 'tap', 'swipe'), card }),
  fc.constant({ action: 'remove' as const }),
  fc.record({
    action: fc.constant('press' as const),
    keys: fc.array(fc.constantFrom<TerminalKey>(...terminalKeys.filter((name) => name !== 'power')), {
      minLength: 1,
      maxLength: 6,
    }),
  }),
  fc.constant({ action: 'press' as const, keys: ['cancel' as const] }),
);

const outcome = fc.constantFrom(
  { type: 'approve' },
  { type: 'decline' },
  { type: 'decline', errorCondition: 'InvalidCard' },
  { type: 'wrongPin' },
  { type: 'silent' },
  { type: 'late', delayMs: 20_000 },
  { type: 'late', delayMs: 45_000 },
  { type: 'late', delayMs: 200_000 },
);

const ms = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 40_000 }) },
  { weight: 4, arbitrary: fc.constantFrom(500, 10_000, 30_000, 60_000, 120_000, 150_000, 190_000, 200_000) },
  { weight: 1, arbitrary: fc.constantFrom(3_600_000, 49 * 3_600_000) },
);

const unsettled = fc.oneof(
  { weight: 8, arbitrary: pay },
  {
    weight: 16,
    arbitrary: fc
      .record({
        terminal,
        card: cardAt,
        choice: fc.integer({ min: 1, max: 5 }),
        wrongPin: fc.integer({ min: 0, max: 4 }).map((chance) => chance === 0),
      })
      .map((rest) => ({ do: 'answerPrompt' as const, ...rest })),
  },
  {
    weight: 5,
    arbitrary: fc.record({ terminal, action }).map((rest) => ({ do: 'act' as const, ...rest })),
  },
  {
    weight: 1,
    arbitrary: fc.record({ terminal, card: cardAt }).map((rest) => ({ do: 'keyIn' as const, ...rest })),
  },
  {
    weight: 4,
    arbitrary: fc.record({ terminal, on: fc.boolean() }).map((rest) => ({ do: 'power' as const, ...rest })),
  },
  {
    weight: 4,
    arbitrary: fc.record({ terminal, up: fc.boolean() }).map((rest) => ({ do: 'network' as const, ...rest })),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ terminal, outcome, mode: fc.constantFrom('once', 'always') })
      .map((rest) => ({ do: 'outcome' as const, ...rest })),
  },
  { weight: 2, arbitrary: terminal.map((number) => ({ do: 'abortLatest' as const, terminal: number })) },
  { weight: 2, arbitrary: fc.constantFrom(...keyNames).map((key) => ({ do: 'abortKey' as const, key })) },
  { weight: 2, arbitrary: fc.constantFrom(...keyNames).map((key) => ({ do: 'status' as const, key })) },
  { weight: 1, arbitrary: terminal.map((number) => ({ do: 'latest' as const, terminal: number })) },
  { weight: 1, arbitrary: fc.constant({ do: 'hangUp' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'resetCards' as const }) },
  { weight: 7, arbitrary: ms.map((byMs) => ({ do: 'advance' as const, ms: byMs })) },
  { weight: 2, arbitrary: fc.constant({ do: 'restart' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'loseMemory' as const }) },
);

const command = fc
  .tuple(unsettled, fc.integer({ min: 0, max: 4 }))
  .map(([what, chance]) => ({ ...what, settle: chance !== 0 }) as Command);

/**
 * Brings a payment to a later state and then causes an accident. Chance alone would seldom produce such a combination.
 */
const scenario = fc
  .record({
    terminal,
    minor: fc.integer({ min: 200, max: 4_000 }),
    outcome: fc.option(outcome, { nil: undefined }),
    prompts: fc.integer({ min: 1, max: 4 }),
    card: cardAt,
    accident: fc.constantFrom(
      'power',
      'powerBack',
      'network',
      'networkBack',
      'restart',
      'loseMemory',
      'abort',
      'hangUp',
      'wait',
    ),
  })
  .map(({ terminal: at, minor, outcome: set, prompts, card: number, accident }): Command[] => {
    const settle = true;
    const answer = {
      settle,
      do: 'answerPrompt',
      terminal: at,
      card: number,
      choice: 1,
      wrongPin: false,
    } as const;
    const body = { paymentTransaction: { amountsReq: { requestedAmount: minor / 100 } } };
    const power = (on: boolean): Command => ({ settle, do: 'power', terminal: at, on });
    const network = (up: boolean): Command => ({ settle, do: 'network', terminal: at, up });
    const wait: Command = { settle, do: 'advance', ms: 30_000 };
    const accidents: Record<typeof accident, Command[]> = {
      power: [power(false)],
      powerBack: [power(false), power(true), wait],
      network: [network(false)],
      networkBack: [network(false), wait, network(true), wait],
      restart: [{ settle, do: 'restart' }, wait],
      loseMemory: [
        { settle, do: 'loseMemory' },
        wait,
        { ...answer, card: (number + 1) % shopperCards.length },
      ],
      abort: [{ settle, do: 'abortLatest', terminal: at }],
      hangUp: [{ settle, do: 'hangUp' }],
      wait: [wait],
    };
    return [
      ...(set ? [{ settle, do: 'outcome', terminal: at, outcome: set, mode: 'once' } as const] : []),
      { settle, do: 'pay', terminal: at, body },
      ...Array.from({ length: prompts }, () => answer),
      ...accidents[accident],
    ];
  });

/** The commands of one run. */
export const commandScript = fc
  .array(
    fc.oneof({ weight: 6, arbitrary: command.map((one) => [one]) }, { weight: 1, arbitrary: scenario }),
    {
      minLength: 3,
      maxLength: 25,
      size: 'max',
    },
  )
  .map((parts) => parts.flat());

/** Returns a command as a line that a person reads. */
export function inWords({ settle, do: what, ...rest }: Command): string {
  const { terminal: at, ...more } = rest as { terminal?: number };
  const where = at === undefined ? '' : ` at terminal ${at + 1}`;
  const details = Object.keys(more).length > 0 ? ` ${JSON.stringify(more)}` : '';
  return `${what}${where}${details}${settle ? '' : ', and at the same time'}`;
}
