import type { Screen } from '../../shared/emulator/screen.ts';

/** Values for the examples in the control API's description. A test checks each value against its schema. */
export const exampleIds = {
  terminal: '01b2f3a4-1c00-7000-8000-000000000003',
  store: '01b2f3a4-1c00-7000-8000-000000000002',
  payment: '01b2f3a4-9000-7000-8000-00000000000a',
  poiId: 'V400m-100000001',
} as const;

const createdAt = '2026-01-01T09:00:00.000Z';

export const exampleAccount = {
  id: 'demo-shop',
  name: 'Demo Shop',
  currency: 'EUR',
  transactionLimit: 1_000_000,
  magicAmounts: true,
  merchantId: 'M112233445',
  cardOnFile: true,
  surchargePercent: 0,
  createdAt,
};

export const exampleToken = {
  id: '01b2f3a4-1c00-7000-8000-000000000001',
  accountId: 'demo-shop',
  environment: 'sandbox',
  label: 'pos 1',
  createdAt,
  expiresAt: null,
  revokedAt: null,
};

export const exampleStore = {
  id: exampleIds.store,
  accountId: 'demo-shop',
  environment: 'sandbox',
  name: 'Demo Shop',
  address: '1 Market Street',
};

export const exampleTerminal = {
  id: exampleIds.terminal,
  poiId: exampleIds.poiId,
  accountId: 'demo-shop',
  environment: 'sandbox',
  storeId: exampleIds.store,
  payoutAccount: '01b2f3a4-1c00-7000-8000-000000000004',
  magicAmounts: null,
  connected: true,
};

export const exampleScreen: Screen = {
  state: 'presentCard',
  language: 'en',
  title: 'Present card',
  lines: ['Insert, tap or swipe'],
  amount: '€12.50',
  choices: [],
  keys: ['cancel'],
  entries: ['ICC', 'Contactless', 'MagStripe'],
  tone: 'prompt',
  lamps: { power: true, network: true, contactless: 1, chip: true },
};

export const exampleCard = {
  id: 'visa-credit',
  label: 'Visa credit',
  brand: 'visa',
  maskedPan: '411111 **** 1111',
  expiry: '1249',
  pin: '1234',
  applications: ['Visa Credit'],
  entries: ['ICC', 'Contactless', 'MagStripe'],
  behaviour: 'approves',
  note: '',
  blocked: false,
};

/** The ledger's entry for an approved payment. */
export const exampleAuthorizationEntry = {
  at: '2026-01-01T09:00:08.000Z',
  kind: 'authorized',
  amount: 28.05,
  currency: 'EUR',
  pspReference: 'X7KQ2MZ9RT41LBWD',
  authCode: '123456',
  errorCondition: null,
  refusalReason: null,
  attemptId: '01b2f3a4-9001-7000-8000-00000000000a',
  card: '476173 **** 0119',
  rule: 'default',
  why: 'no rule declines the payment',
};
