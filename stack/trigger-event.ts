import type { EventType } from '../gateway/index.ts';
import { type ControlledGateway, callControl, callJson } from './call-control.ts';
import { StartError } from './start-error.ts';

/** What a trigger works with: an account's API, and the identifiers of things of its own making. */
interface Ground {
  gateway: ControlledGateway;
  amount: number;
  /** Calls the payments API. */
  api<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  control<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  contactId: string;
  bankAccountId: string;
  /** The id of a saved card of the contact that behaves as a test card. */
  card(testCard: string): Promise<string>;
}

/** Makes an event happen by doing what causes it; returns the resource it is about. */
type Trigger = (ground: Ground) => Promise<string>;

const triggers: Record<EventType, Trigger> = {
  'payments.debits.completed': (ground) => charge(ground),
  'payments.debits.failed': declined,
  'payments.debits.preauthorized': (ground) => preauthorize(ground),
  'payments.debits.paid': async (ground) => {
    const debitId = await preauthorize(ground);
    await ground.api('POST', `/debit/${debitId}/capture`);
    return debitId;
  },
  'payments.debits.voided': async (ground) => {
    const debitId = await preauthorize(ground);
    await ground.control('POST', `/debits/${debitId}/expire`);
    return debitId;
  },
  'payments.refunds.created': (ground) => refund(ground),
  'payments.refunds.submitted': async (ground) => {
    const refundId = await refund(ground);
    await ground.control('POST', `/refunds/${refundId}/submit`);
    return refundId;
  },
  'payments.refunds.failed': async (ground) => {
    const refundId = await refund(ground);
    await ground.control('POST', `/refunds/${refundId}/fail`, { reason: 'pinpad trigger let it fail' });
    return refundId;
  },
  'payments.credits.initiated': (ground) => credit(ground),
  'payments.credits.completed': async (ground) => accept(ground, await credit(ground)),
  'payments.credits.expired': async (ground) => {
    const creditId = await credit(ground);
    await ground.control('POST', `/credits/${creditId}/expire`);
    return creditId;
  },
  'payments.credits.failed': async (ground) => {
    const creditId = await credit(ground);
    await ground.control('POST', `/credits/${creditId}/refuse`);
    return accept(ground, creditId);
  },
};

/** Every event there is; each can be made to happen. */
export const triggerableEvents = Object.keys(triggers) as EventType[];

/**
 * Makes an event happen at a running gateway by really doing what causes it. It uses a contact, cards and a bank
 * account of its own, and a token that is revoked afterwards.
 *
 * @throws StartError for an event there is not, or an account that is not enabled for it.
 */
export async function triggerEvent(
  gateway: ControlledGateway,
  event: string,
  options: { accountId?: string | undefined; amount: number },
): Promise<{ resourceId: string; accountId: string }> {
  const trigger = triggers[event as EventType];
  if (!trigger)
    throw new StartError(`there is no event ${event}; there are: ${triggerableEvents.join(', ')}`);
  const accountId = await accountFor(gateway, event, options.accountId);
  const { ground, done } = await prepare(gateway, accountId, options.amount);
  try {
    return { accountId, resourceId: await trigger(ground) };
  } finally {
    await done();
  }
}

async function accountFor(
  gateway: ControlledGateway,
  event: string,
  wanted: string | undefined,
): Promise<string> {
  const accounts = await callControl<{ id: string; cardOnFile: boolean }[]>(gateway, 'GET', '/accounts');
  const candidates = wanted === undefined ? accounts : accounts.filter(({ id }) => id === wanted);
  const needsCards = !event.startsWith('payments.credits.');
  const found = candidates.find(({ cardOnFile }) => cardOnFile || !needsCards);
  if (found) return found.id;
  if (candidates.length === 0)
    throw new StartError(
      `no account ${wanted ?? ''}; there are: ${accounts.map(({ id }) => id).join(', ') || 'none'}`,
    );
  throw new StartError(`${event} needs an account with cardOnFile: true (docs/configuration.md)`);
}

async function prepare(gateway: ControlledGateway, accountId: string, amount: number) {
  const control = <Body>(method: string, path: string, body?: unknown) =>
    callControl<Body>(gateway, method, path, body);
  const label = 'pinpad trigger';
  const made = await control<{ id: string; token: string }>('POST', '/tokens', { accountId, label });
  const contactId = `trigger-${accountId}`.slice(0, 64);
  await control('POST', '/contacts', { id: contactId, accountId, name: 'Triggered Customer' });
  const bankAccountId = `trigger-bank-${accountId}`.slice(0, 64);
  await control('POST', '/bank-accounts', { id: bankAccountId, accountId, name: label });
  const ground: Ground = {
    gateway,
    amount,
    contactId,
    bankAccountId,
    control,
    api: (method, path, body) => callJson(gateway.url, made.token, method, path, body),
    card: async (card) => {
      const id = `${contactId.slice(0, 40)}-${card}`.slice(0, 64);
      await control('POST', `/contacts/${contactId}/credit-cards`, { id, card });
      return id;
    },
  };
  return { ground, done: () => control('DELETE', `/tokens/${made.id}`) };
}

const statement = 'TRIGGER';

async function take(ground: Ground, operation: 'charge' | 'preauthorize', testCard: string) {
  const card = await ground.card(testCard);
  const { debit_id } = await ground.api<{ debit_id: string }>(
    'POST',
    `/contact/${ground.contactId}/creditCards/${card}/${operation}`,
    { amount: ground.amount, to_bank_account_id: ground.bankAccountId, statement },
  );
  return debit_id;
}

const charge = (ground: Ground) => take(ground, 'charge', 'visa');
const preauthorize = (ground: Ground) => take(ground, 'preauthorize', 'visa');

async function declined(ground: Ground): Promise<string> {
  const refused = await take(ground, 'charge', 'insufficient-funds').catch((error: Error) => error);
  if (!(refused instanceof Error) || !refused.message.includes(' 402')) throw refused;
  const query = `/debits?contactId=${ground.contactId}&state=failed&limit=1`;
  const [debit] = await ground.control<{ id: string }[]>('GET', query);
  return debit?.id ?? '';
}

async function refund(ground: Ground): Promise<string> {
  const debitId = await charge(ground);
  const { id } = await ground.api<{ id: string }>('POST', `/debit/${debitId}/refunds`, {
    amount: ground.amount,
    reason: 'customer_request',
  });
  return id;
}

async function credit(ground: Ground): Promise<string> {
  const { identifier } = await ground.api<{ identifier: string }>('PUT', '/credit', {
    amount: ground.amount,
    statement,
    from_bank_account: ground.bankAccountId,
    contact_id: ground.contactId,
  });
  return identifier;
}

async function accept(ground: Ground, creditId: string): Promise<string> {
  const iban = 'DE89370400440532013000';
  await ground.control('POST', `/credits/${creditId}/accept`, { kind: 'iban', iban });
  return creditId;
}
