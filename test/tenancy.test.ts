import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadOpenapiDocument } from '../gateway/index.ts';
import {
  minute,
  type Reply,
  requireDefined,
  SavedCardsHarness,
} from '../gateway/saved-cards/saved-cards-harness.fixture.ts';

/**
 * Sends another account's identifiers to every endpoint of the payments API, in every field that takes an
 * identifier. Checks that the answers are the same as for identifiers that do not exist (B7). Endpoints and fields
 * come from the OpenAPI document. If the document gets a new field, the test fails until the field is in one of
 * these lists.
 */

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}
interface Operation {
  operationId: string;
  security: Record<string, unknown>[];
  parameters?: { name: string; in: 'path' | 'query' | 'header' }[];
  requestBody?: { content: Record<string, { schema: Schema; examples: Record<string, { value: object }> }> };
  responses: Record<string, unknown>;
}
const document = (await loadOpenapiDocument()) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);
const ofAccounts = operations.filter(({ security }) => security.some((each) => 'token' in each));

/** Every field that names a resource of an account. */
const idFields = [
  'terminalId',
  'transactionId',
  'idempotencyKey',
  'contact_id',
  'credit_card_id',
  'debit_id',
  'to_bank_account_id',
  'from_bank_account',
] as const;
type IdField = (typeof idFields)[number];
type Ids = Record<IdField, string>;

/**
 * Every field that names no resource. The idempotency key is here, because the sender makes it up, and each account has
 * its own keys.
 */
const plainFields = [
  ...['Prefer', 'Idempotency-Key'],
  ...['paymentTransaction', 'amountsReq', 'requestedAmount', 'saleData', 'saleReferenceId'],
  ...['transactionConditions', 'allowedPaymentBrand', 'debitPreferredFlag', 'merchantCategoryCode'],
  ...['customerLanguage', 'forceEntryMode', 'gratuity', 'enabled', 'options', 'type', 'value'],
  ...['amount', 'statement', 'note', 'reason', 'reason_details'],
];

/** Returns the names of all fields that an operation takes, in any part of its request. */
function fieldsOf({ parameters = [], requestBody }: Operation): string[] {
  const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => namesIn(schema));
  return [...new Set([...parameters.map(({ name }) => name), ...bodies])];
}

function namesIn(schema: Schema): string[] {
  if (schema.$ref)
    return namesIn(
      requireDefined(document.components.schemas[schema.$ref.replace('#/components/schemas/', '')]),
    );
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, inner]) => [name, ...namesIn(inner)]),
    ...[...(items ? [items] : []), ...anyOf, ...oneOf, ...allOf].flatMap(namesIn),
  ];
}

const idsOf = (operation: Operation) =>
  fieldsOf(operation).filter((name): name is IdField => idFields.includes(name as IdField));

let harness: SavedCardsHarness;
const tokens: Record<string, string> = {};
const belongings: Record<string, Ids> = {};

/**
 * The shop, another account, and the shop's own production environment. Each of these three has resources of its own.
 */
const parties = {
  shop: { accountId: 'shop', environment: 'sandbox' },
  rival: { accountId: 'rival', environment: 'sandbox' },
  production: { accountId: 'shop', environment: 'production' },
} as const;
type Party = keyof typeof parties;

beforeAll(async () => {
  harness = await SavedCardsHarness.start();
  await harness.gateway.accounts.createAccount({
    id: 'rival',
    name: 'Rival',
    currency: 'EUR',
    cardOnFile: true,
  });
  for (const accountId of ['shop', 'rival'])
    await harness.gateway.questions.set(accountId, { question: 'Which colour?', answer: 'blue' });
  for (const party of Object.keys(parties) as Party[]) await provision(party);
});
afterAll(() => harness.stop());
// No terminal takes the payments of these tests. After this time, these payments have ended, so no request waits for an
// outcome any more.
afterEach(() => harness.clock.advance(5 * minute));

async function provision(party: Party): Promise<void> {
  const { contacts, terminals, tokens: tokenService } = harness.gateway;
  const owner = parties[party];
  const [contact, card, bank] = [`${party}-contact`, `${party}-card`, `${party}-bank`];
  await contacts.createContact({ ...owner, id: contact, name: 'Kim' });
  await contacts.createCard(contact, { id: card, card: 'visa' });
  await contacts.createBankAccount({ ...owner, id: bank, name: 'Bank' });
  const token = requireDefined((await tokenService.createToken(owner)).token);
  tokens[party] = token;
  const debit = await harness.api(
    'POST',
    `/contact/${contact}/creditCards/${card}/charge`,
    { amount: 20, to_bank_account_id: bank, statement: 'ORDER 1' },
    { token },
  );
  const store = await terminals.createStore({ accountId: owner.accountId, name: 'Store' });
  const terminal = await terminals.createTerminal({ poiId: `V400m-${party}`, storeId: store.id });
  const paying = await harness.api(
    'POST',
    `/terminals/${terminal.id}/payment-request`,
    { paymentTransaction: { amountsReq: { requestedAmount: 10 } } },
    { token, headers: { prefer: 'respond-async', 'idempotency-key': `${party}-key` } },
  );
  await harness.clock.advance(5 * minute);
  belongings[party] = {
    terminalId: terminal.id,
    transactionId: paying.body.identifier ?? randomUUID(), // there are no payments at terminals in production
    idempotencyKey: `${party}-key`,
    contact_id: contact,
    credit_card_id: card,
    debit_id: debit.body.debit_id,
    to_bank_account_id: bank,
    from_bank_account: bank,
  };
}

/**
 * Calls an operation with these identifiers. All other values come from the operation's example. `about` is the
 * identifier that the test is about.
 */
function call(
  operation: (typeof operations)[number],
  ids: Ids,
  about: IdField | undefined,
  party: Party,
): Promise<Reply> {
  const { path, method, parameters = [], requestBody } = operation;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name as IdField]);
  const asked = parameters.filter((each) => each.in === 'query' && each.name === about);
  const query = asked.map(({ name }) => `?${name}=${ids[name as IdField]}`).join('');
  return harness.api(method.toUpperCase(), filled + query, bodyOf(requestBody, ids, about), {
    token: tokens[party] ?? '',
    headers: { prefer: 'respond-async' },
  });
}

function bodyOf(
  requestBody: Operation['requestBody'],
  ids: Ids,
  about: IdField | undefined,
): object | undefined {
  const { schema, examples } = requestBody?.content['application/json'] ?? {};
  if (!schema) return undefined;
  const example = Object.values(requireDefined(examples))[0]?.value ?? {};
  const ofIds = idFields.filter((name) => name in example);
  // Some bodies take one of several identifiers. Such a body gets only the identifier that the test is about.
  if (about && namesIn(schema).includes(about) && !ofIds.includes(about)) return { [about]: ids[about] };
  return { ...example, ...Object.fromEntries(ofIds.map((name) => [name, ids[name]])) };
}

test('every operation belongs to an account, to the operator or to everybody, as listed (B1, B111)', () => {
  const open = operations
    .filter(({ security }) => security.length === 0)
    .map(({ operationId }) => operationId);
  expect(open).toEqual([
    'stateBelief',
    'openPaymentLink',
    'submitPaymentLinkForm',
    'getHealth',
    'getOpenapi',
  ]);
  for (const { security, path } of operations.filter(({ operationId }) => !open.includes(operationId)))
    expect(security, path).toEqual([path.startsWith('/control') ? { control: [] } : { token: [] }]);
});

test('every field of every operation is known to name data of an account, or not to', () => {
  const known = new Set<string>([...idFields, ...plainFields]);
  const used = ofAccounts.flatMap(fieldsOf);
  expect(used.filter((name) => !known.has(name))).toEqual([]);
  expect([...known].filter((name) => !used.includes(name))).toEqual([]);
});

describe.each(['rival', 'production'] as const)('a stranger (%s)', (stranger) => {
  const cases = ofAccounts.flatMap((operation) => idsOf(operation).map((about) => ({ operation, about })));

  test.each(cases.map(({ operation, about }) => [operation.operationId, about, operation] as const))(
    'gets a 404 from %s for every %s of the shop',
    async (_name, about, operation) => {
      const theirs = requireDefined(belongings[stranger]);
      const shops = requireDefined(belongings.shop);
      const own = await call(operation, shops, about, 'shop');
      expect(own.status, 'its owner finds it').not.toBe(404);
      const reply = await call(operation, { ...theirs, [about]: shops[about] }, about, stranger);
      if (stranger === 'production' && '501' in operation.responses) return expect(reply.status).toBe(501);
      expect(reply.status).toBe(404);
      const nobodys = await call(operation, { ...theirs, [about]: randomUUID() }, about, stranger);
      expect(reply.body).toEqual(nobodys.body);
    },
  );

  const lists = ofAccounts.filter((operation) => idsOf(operation).length === 0);
  test.each(lists.map((operation) => [operation.operationId, operation] as const))(
    'learns nothing of the shop from %s',
    async (_name, operation) => {
      const { body } = await call(operation, requireDefined(belongings[stranger]), undefined, stranger);
      const text = JSON.stringify(body);
      for (const id of Object.values(requireDefined(belongings.shop))) expect(text).not.toContain(id);
    },
  );
});

test("the shop's data are unchanged after all that", async () => {
  const { refunds } = await harness.summary(requireDefined(belongings.shop).debit_id);
  // The shop itself requested both refunds: one during the tests of `rival`, and one during those of `production`.
  expect(refunds).toHaveLength(2);
  const events = await harness.gateway.events.list({ limit: 1000 });
  const strangers = events.filter(({ data }) => JSON.stringify(data).includes('shop-'));
  for (const { accountId, environment } of strangers)
    expect({ accountId, environment }).toEqual(parties.shop);
});
