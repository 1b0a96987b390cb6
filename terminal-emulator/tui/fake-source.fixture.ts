import type { CardSummary } from '../../shared/emulator/cards.ts';
import type {
  ActionRefusal,
  AutomaticShopperSettings,
  PrintedReceipt,
  TerminalAction,
} from '../../shared/emulator/frames.ts';
import type { Screen, ScreenState } from '../../shared/emulator/screen.ts';
import { Journal } from '../../shared/journal.ts';
import type { Sale, SaleFinding } from '../../shared/sales/sale.ts';
import { SaleAssembler } from '../../shared/sales/sales.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { renderScreen } from '../screens/render-screen.ts';
import type { ScreenFacts, ScreenFailure } from '../screens/screen-facts.ts';
import { makeTipChoices } from '../screens/tip-choices.ts';
import type { TuiPayment } from './payments.ts';
import type {
  OfferedTrouble,
  PaymentExplanation,
  TroubleMode,
  TuiGatewayFacts,
  TuiSource,
  TuiTerminal,
} from './source.ts';

/**
 * A `TuiSource` without real terminals. Tests set the data that the text UI shows, and read the actions that the text
 * UI took.
 */
export class FakeSource implements TuiSource {
  readonly facts: TuiGatewayFacts = {
    gatewayUrl: 'http://127.0.0.1:8080',
    apiToken: 'test_3q2nR8mVxT1sK0aYwPz7LdHbUcEeJfGgIiOo4956',
    controlToken: 'control_7hQ2mZpX4vK9sD1rTnB6wYcLfG3jE8aUiOo5NxVbRtM',
    beliefsUrl: 'http://127.0.0.1:8080/beliefs/belief_qXHCkiqNNZkj3u9h4mTB4Gz1fFlI02NL3ZCk9x7HvHw',
    currency: 'EUR',
  };
  readonly clock = new VirtualClock({ startMs: Date.UTC(2026, 0, 1, 9, 0, 0) });
  readonly journal = new Journal(this.clock);
  readonly done: unknown[] = [];
  terminalList: TuiTerminal[];
  screens = new Map<string, Screen>();
  cardList: CardSummary[] = [...fakeCards];
  receiptList: PrintedReceipt[] = [];
  refusal: ActionRefusal | undefined;
  outcome = async (_onRecovery?: (line: string) => void): Promise<void> => {};
  account = (): Promise<PaymentExplanation> => new Promise(() => {});
  #listeners = new Set<() => void>();
  #sales = new SaleAssembler();
  #saleListeners = new Set<(sale: Sale) => void>();

  constructor(stores: readonly string[] = ['Café Zentral', 'Café Zentral']) {
    this.terminalList = stores.map((store, index) => ({
      poiId: `V400m-34731239${index}`,
      store,
      identifier: `019b7a5e-7c00-7000-8000-00000000000${index}`,
      networkUp: true,
    }));
    for (const { poiId } of this.terminalList) this.screens.set(poiId, fakeScreen('idle'));
    this.journal.listen((entry) => this.#changed(this.#sales.add(entry)));
  }

  #changed(saleIds: readonly string[]): void {
    for (const sale of saleIds.flatMap((saleId) => this.#sales.get(saleId) ?? []))
      for (const listener of this.#saleListeners) listener(sale);
  }

  /** Adds findings to the latest sale. */
  find(...findings: readonly SaleFinding[]): void {
    const [last] = this.#sales.list();
    if (!last) throw new Error('no sale');
    this.#sales.setFindings(last.saleId, findings);
    this.#changed([last.saleId]);
  }

  findWithoutSale: (what: string) => void = () => {};
  onFindingWithoutSale(listener: (what: string) => void): () => void {
    this.findWithoutSale = listener;
    return () => {};
  }

  sales = async () => this.#sales.list();

  onSale(listener: (sale: Sale) => void): () => void {
    this.#saleListeners.add(listener);
    return () => this.#saleListeners.delete(listener);
  }

  /** Shows a state on the first terminal's screen, and notifies the text UI. */
  show(state: ScreenState, changes: Partial<ScreenFacts> = {}): void {
    this.screens.set(this.terminalList[0]?.poiId ?? '', fakeScreen(state, changes));
    this.changed();
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  terminals = () => this.terminalList;
  screen = (poiId: string) => this.screens.get(poiId) ?? fakeScreen('off');
  cards = () => this.cardList;
  earlierList: TuiPayment[] = [];
  earlier = async () => this.earlierList;
  explain = () => this.account();
  readonly troubles = fakeTroubles;
  setTrouble = async (
    poiId: string,
    id: string,
    mode: TroubleMode | undefined,
    after?: number,
  ): Promise<void> => {
    this.done.push({ poiId, trouble: id, mode, ...(after === undefined ? {} : { after }) });
    const all = fakeTroubles.filter((each) => each.id === id && mode);
    const troubles = all.map(({ text }) => ({ id, text, mode: mode ?? 'once' }));
    this.terminalList = this.terminalList.map((each) =>
      each.poiId === poiId ? { ...each, troubles } : each,
    );
    this.changed();
  };
  receipts = (poiId: string) => (poiId === this.terminalList[0]?.poiId ? this.receiptList : []);

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  act(poiId: string, action: TerminalAction): ActionRefusal | undefined {
    this.done.push({ poiId, ...action });
    return this.refusal;
  }

  keyIn(poiId: string, cardId: string): ActionRefusal | undefined {
    this.done.push({ poiId, keyIn: cardId });
    return this.refusal;
  }

  setShopper(poiId: string, shopper: AutomaticShopperSettings | undefined): ActionRefusal | undefined {
    this.done.push({ poiId, shopper });
    return this.refusal;
  }

  sale(
    poiId: string,
    amount: number,
    { tip, onRecovery }: { tip: boolean; onRecovery?(line: string): void },
  ): Promise<void> {
    this.done.push({ poiId, sale: amount, tip });
    return this.outcome(onRecovery);
  }
}

const fakeTroubles: readonly OfferedTrouble[] = [
  { id: 'wrongPin', group: 'The host', text: 'rejects every PIN', modes: ['once', 'always'] },
  { id: 'silent', group: 'The host', text: 'never answers', modes: ['once', 'always'] },
  {
    ...{ id: 'cut', group: 'The power', text: 'fails at the approval; the approval is reversed' },
    ...{ modes: ['once', 'always'], canLetPass: true },
  },
  { id: 'slow', group: 'The network', text: 'takes 1.5 s for every message', modes: ['always'] },
  { id: 'flapping', group: 'The network', text: 'breaks 3 times', modes: ['now'] },
  {
    id: 'ending124',
    group: 'Declines',
    text: '124  refusal: Not enough balance (210)',
    modes: ['once', 'always'],
  },
];

const noPayment: ScreenState[] = ['off', 'starting', 'idle', 'offline', 'displaced'];
const cardInside: ScreenState[] = ['pin', 'pinWrong', 'applicationChoice', 'removeCard', 'readingCard'];

const failures: Partial<Record<ScreenState, ScreenFailure>> = {
  declined: { condition: 'Refusal', detail: '210 Not enough balance' },
  cancelled: { condition: 'Cancel' },
  cardNotAccepted: { condition: 'PaymentRestriction' },
};

/** Returns the screen that a terminal shows in a state. The screen's payment is 43.30 euro with a tip. */
export function fakeScreen(state: ScreenState, changes: Partial<ScreenFacts> = {}): Screen {
  const language = changes.language ?? 'en';
  const input: ScreenFacts = {
    state,
    language,
    power: state !== 'off',
    network: !['off', 'starting', 'offline', 'displaced'].includes(state),
    storeName: 'Café Zentral',
    poiId: 'V400m-347312390',
    ...(!noPayment.includes(state) && {
      payment: {
        amountMinor: 4_330,
        currency: 'EUR',
        entries: state === 'presentCard' ? ['ICC', 'Contactless', 'MagStripe', 'Keyed'] : [],
        tipChoices: makeTipChoices(
          { percentages: [15, 18, 20], custom: true, maximumTotal: 1_000_000 },
          4_330,
          'EUR',
          language,
        ),
        applications: ['CB CREDIT', 'VISA CREDIT'],
        triesLeft: 2,
        ...(['pin', 'approved'].includes(state) ? { tipMinor: 779 } : {}),
      },
    }),
    ...(cardInside.includes(state) ? { card: { id: 'visa-credit', label: 'Visa credit' } } : {}),
    typed: { customTip: '350', keyedNumber: '411111111', keyedExpiry: '124' }[state as string],
    pinLength: 2,
    failure: failures[state],
    ...changes,
  };
  return renderScreen(input);
}

const cardTable: readonly [
  id: string,
  label: string,
  pan: string,
  pin: string,
  does: string,
  note: string,
][] = [
  [
    'visa-credit',
    'Visa credit',
    '411111 **** 1111',
    '1234',
    'approves',
    'The card for every day: all ways in',
  ],
  ['visa-debit', 'Visa debit', '400005 **** 5556', '1234', 'approves', ''],
  ['mc-credit', 'Mastercard credit', '555555 **** 4444', '1234', 'approves', ''],
  ['mc-debit', 'Mastercard debit', '520082 **** 8210', '1234', 'approves', ''],
  ['mc-prepaid', 'Mastercard prepaid', '510510 **** 5100', '1234', 'approves', ''],
  ['amex', 'American Express', '378282 **** 0005', '', 'approves', 'Asks for a signature'],
  ['maestro', 'Maestro', '675964 **** 8453', '1234', 'approves', ''],
  ['diners', 'Diners Club', '305693 **** 5904', '1234', 'approves', ''],
  ['discover', 'Discover', '601111 **** 1117', '', 'approves', ''],
  ['jcb', 'JCB', '353011 **** 0000', '1234', 'approves', ''],
  ['cup', 'China UnionPay', '621094 **** 0025', '123456', 'approves', 'PIN of six digits'],
  ['interac', 'Interac', '450644 **** 1933', '1234', 'approves', ''],
  ['cobadged', 'Visa and CB', '400000 **** 0001', '1234', 'approves', 'Asks which application to use'],
  ['offline-pin', 'Offline PIN', '400100 **** 0002', '1234', 'approves', 'The chip itself checks the PIN'],
  ['signature', 'Signature', '371449 **** 8431', '', 'approves', 'The cashier copy asks for a signature'],
  ['tap-then-insert', 'Tap, then insert', '510006 **** 0002', '1234', 'approves', ''],
  ['chip-dead', 'Dead chip', '415150 **** 0008', '1234', 'approves', 'Three tries, then the stripe'],
  ['stripe-only', 'Stripe only', '401288 **** 1881', '', 'approves', 'An old card without a chip'],
  ['do-not-honour', 'Do not honour', '400000 **** 0002', '1234', 'declines: Declined online (214)', ''],
  ['not-enough', 'Not enough balance', '400000 **** 9995', '1234', 'declines: Not enough balance (210)', ''],
  ['lost', 'Lost', '400000 **** 9987', '1234', 'declines: Card blocked (199)', ''],
  ['expired', 'Expired', '400000 **** 0069', '1234', 'declines: Card expired (136)', ''],
  [
    'silent',
    'Silent issuer',
    '400000 **** 0119',
    '1234',
    'never answers',
    'The terminal gives up after 30 s',
  ],
];

const fakeCards: readonly CardSummary[] = cardTable.map(([id, label, maskedPan, pin, does, note]) => ({
  id,
  label,
  brand: 'visa',
  maskedPan,
  expiry: '1249',
  ...(pin ? { pin } : {}),
  applications: [label.toUpperCase()],
  entries: id === 'stripe-only' ? ['MagStripe'] : ['ICC', 'Contactless', 'MagStripe', 'Keyed'],
  behaviour: `chip: ${pin ? `PIN ${pin} offline` : 'signature'}; tap: up to 50, above asks for the chip; stripe: signature; ${does}`,
  note,
  blocked: id === 'lost',
}));

/** Returns the receipts of a payment of 43.30 euro with a tip. */
export function fakeReceipts(transactionId = '019b7a5e-7c00-7000-8000-0000000000aa'): PrintedReceipt[] {
  return (['cashierReceipt', 'customerReceipt'] as const).map((copy) => ({
    copy,
    transactionId,
    lines: receiptRows(copy).map(([name, value = '', bold = false]) => ({
      text: value ? name.padEnd(32 - value.length) + value : name,
      bold,
    })),
  }));
}

function receiptRows(copy: PrintedReceipt['copy']): [name: string, value?: string, bold?: boolean][] {
  const customer = copy === 'customerReceipt';
  return [
    ['          Café Zentral', '', true],
    ['     Marktplatz 1, 1010 Wien', '', true],
    [customer ? '        CARDHOLDER COPY' : '         MERCHANT COPY', '', true],
    [''],
    ['Date', '01/01/2026'],
    ['Time', '09:00:41'],
    [''],
    ['Card', '****1111'],
    ['PAN seq.', '00'],
    ['Pref. name', 'VISA CREDIT'],
    ['Card type', 'visa'],
    ['Payment method', 'visa'],
    ['Entry mode', 'ICC'],
    [''],
    ['AID', 'A0000000031010'],
    ['MID', '1000'],
    ['TID', 'V400m-347312390'],
    [''],
    ['Auth. code', '123456'],
    ['Tender', 'oLkO0012345678'],
    [''],
    ['Type', 'GOODS_SERVICES'],
    ['Amount', '43.30 EUR'],
    ['Tip', '7.79 EUR'],
    ['TOTAL', '51.09 EUR', true],
    [''],
    ['            APPROVED', '', true],
    ...(customer
      ? ([[''], ['  Please retain for your records'], ['           Thank you']] as [string][])
      : []),
  ];
}

/**
 * Adds a payment with this ending to the journal. The payment has only the entries that are needed to show the ending.
 */
export function addEndedPaymentEntries(
  { journal }: FakeSource,
  payment: string,
  {
    terminal = 'V400m-347312390',
    amount = 1_124,
    errorCondition = 'refusal',
    why = 'Not enough balance (210)',
  } = {},
): void {
  const about = { terminal, payment };
  const data = {
    result: 'failure',
    errorCondition,
    why: `the terminal answers ${errorCondition}: ${why}`,
  } as const;
  journal.add('payment.accepted', { amount, currency: 'EUR', requestId: payment }, about);
  journal.add('payment.concluded', data, about);
}

/** Adds all entries of a payment on the first terminal to the journal, from request to answer. */
export async function addPaymentEntries({ journal, clock }: FakeSource): Promise<void> {
  const about = { terminal: 'V400m-347312390', payment: '019b7a5e-7c00-7000-8000-0000000000aa' };
  const path = '/terminals/019b7a5e-7c00-7000-8000-000000000000/payment-request';
  const headers = { 'idempotency-key': '019b7a5e-9d4e-7000-8000-00000000f3a1' };
  const body = {
    paymentTransaction: { amountsReq: { requestedAmount: 43.3 } },
    saleData: { saleReferenceId: 'sale-7KQ2' },
  };
  const accountId = 'shop';
  journal.add('http.received', { method: 'POST', path, requestId: 'r1', accountId, headers, body });
  const names = { idempotencyKey: headers['idempotency-key'], saleReferenceId: 'sale-7KQ2' };
  const order = { amount: 4_330, currency: 'EUR', requestId: 'r1', accountId, ...names };
  journal.add('payment.accepted', order, about);
  journal.add('message.sent', { link: 'poi V400m-347312390', message: 'PaymentRequest' }, about);
  journal.add('payment.delivered', { again: false }, about);
  journal.add('terminal.screen', { state: 'tip', title: 'Add a tip?' }, about);
  await clock.advance(2_000);
  journal.add('terminal.key', { key: '2' }, about);
  journal.add('terminal.screen', { state: 'presentCard', title: 'Present card' }, about);
  await clock.advance(3_000);
  journal.add('terminal.card', { action: 'inserted', card: 'visa-credit' }, about);
  journal.add('terminal.screen', { state: 'pin', title: 'Enter PIN' }, about);
  await clock.advance(2_000);
  journal.add(
    'ledger.authorized',
    {
      amount: 5_109,
      currency: 'EUR',
      pspReference: 'NC6HT9CRT65ZGN82',
      rule: 'default: no rule declines the payment',
    },
    about,
  );
  journal.add('payment.concluded', { result: 'success', why: 'approved' }, about);
  journal.add('terminal.screen', { state: 'approved', title: 'Approved' }, about);
  await clock.advance(1_000);
  journal.add('terminal.printed', { copy: 'cashierReceipt' }, about);
  journal.add('terminal.printed', { copy: 'customerReceipt' }, about);
  const paid = { posAuthAmountCurrency: 'EUR', posAuthAmountValue: '5109' };
  const answer = { identifier: about.payment, response: { result: 'success', additionalResponse: paid } };
  const answered = {
    method: 'POST',
    path,
    requestId: 'r1',
    status: 200,
    durationMs: 8_412,
    whole: true,
    body: answer,
  };
  journal.add('http.answered', answered);
}
