import { type ApiClient, ApiError, createApiClient } from '../client/api-client.ts';
import type { ControlClient } from '../client/control-client.ts';
import type { paths } from '../client/openapi-types.ts';
import type { EventType } from '../gateway/index.ts';
import { type ControlledGateway, controlClientOf } from './call-control.ts';
import { StartError } from './start-error.ts';

/**
 * The objects that a trigger needs: the API of an account, and the identifiers of the contact and the bank account that
 * were made for the trigger.
 */
interface Ground {
  gateway: ControlledGateway;
  amount: number;
  /** The payments API, with a token of the account. */
  api: ApiClient<paths>;
  control: ControlClient;
  contactId: string;
  bankAccountId: string;
  /** Saves a test card for the contact, and returns the id of the saved card. */
  card(testCard: string): Promise<string>;
}

/** Makes the calls that cause an event. Returns the id of the resource that the event is about. */
type Trigger = (ground: Ground) => Promise<string>;

const triggers: Record<EventType, Trigger> = {
  'payments.debits.completed': (ground) => charge(ground),
  'payments.debits.failed': declined,
  'payments.debits.preauthorized': (ground) => preauthorize(ground),
  'payments.debits.paid': async (ground) => {
    const debitId = await preauthorize(ground);
    await ground.api.POST('/debit/{debit_id}/capture', { params: { path: { debit_id: debitId } } });
    return debitId;
  },
  'payments.debits.voided': async (ground) => {
    const debitId = await preauthorize(ground);
    await ground.control.POST('/control/debits/{debitId}/expire', { params: { path: { debitId } } });
    return debitId;
  },
  'payments.refunds.created': (ground) => refund(ground),
  'payments.refunds.submitted': async (ground) => {
    const refundId = await refund(ground);
    await ground.control.POST('/control/refunds/{refundId}/submit', { params: { path: { refundId } } });
    return refundId;
  },
  'payments.refunds.failed': async (ground) => {
    const refundId = await refund(ground);
    await ground.control.POST('/control/refunds/{refundId}/fail', {
      params: { path: { refundId } },
      body: { reason: 'failed by pinpad trigger' },
    });
    return refundId;
  },
  'payments.credits.initiated': (ground) => credit(ground),
  'payments.credits.completed': async (ground) => accept(ground, await credit(ground)),
  'payments.credits.expired': async (ground) => {
    const creditId = await credit(ground);
    await ground.control.POST('/control/credits/{creditId}/expire', { params: { path: { creditId } } });
    return creditId;
  },
  'payments.credits.failed': async (ground) => {
    const creditId = await credit(ground);
    await ground.control.POST('/control/credits/{creditId}/refuse', { params: { path: { creditId } } });
    return accept(ground, creditId);
  },
};

/** All types of events. Each of them can be triggered. */
export const triggerableEvents = Object.keys(triggers) as EventType[];

/**
 * Makes a running gateway publish an event, by making the calls that cause the event. Uses a new contact, new cards, a
 * new bank account, and a new token, which is revoked afterwards.
 *
 * @throws StartError if the event is unknown, or if the account does not allow saved cards and the event needs them
 */
export async function triggerEvent(
  gateway: ControlledGateway,
  event: string,
  options: { accountId?: string; amount: number },
): Promise<{ resourceId: string; accountId: string }> {
  const trigger = triggers[event as EventType];
  if (!trigger) throw new StartError(`unknown event ${event}; known events: ${triggerableEvents.join(', ')}`);
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
  const accounts = await controlClientOf(gateway).GET('/control/accounts');
  const candidates = wanted === undefined ? accounts : accounts.filter(({ id }) => id === wanted);
  const needsCards = !event.startsWith('payments.credits.');
  const found = candidates.find(({ cardOnFile }) => cardOnFile || !needsCards);
  if (found) return found.id;
  if (accounts.length === 0) throw new StartError('the gateway has no account yet');
  if (candidates.length === 0)
    throw new StartError(`no account ${wanted}; there are: ${accounts.map(({ id }) => id).join(', ')}`);
  throw new StartError(`${event} needs an account with "cardOnFile: true" (docs/configuration.md)`);
}

async function prepare(gateway: ControlledGateway, accountId: string, amount: number) {
  const control = controlClientOf(gateway);
  const label = 'pinpad trigger';
  const made = await control.POST('/control/tokens', { body: { accountId, label } });
  const contactId = `trigger-${accountId}`.slice(0, 64);
  await control.POST('/control/contacts', {
    body: { id: contactId, accountId, name: 'Triggered Customer' },
  });
  const bankAccountId = `trigger-bank-${accountId}`.slice(0, 64);
  await control.POST('/control/bank-accounts', { body: { id: bankAccountId, accountId, name: label } });
  const ground: Ground = {
    gateway,
    amount,
    contactId,
    bankAccountId,
    control,
    api: createApiClient<paths>({ url: gateway.url, token: made.token ?? '' }),
    card: async (card) => {
      const id = `${contactId.slice(0, 40)}-${card}`.slice(0, 64);
      await control.POST('/control/contacts/{contactId}/credit-cards', {
        params: { path: { contactId } },
        body: { id, card },
      });
      return id;
    },
  };
  return {
    ground,
    done: () => control.DELETE('/control/tokens/{tokenId}', { params: { path: { tokenId: made.id } } }),
  };
}

const statement = 'TRIGGER';

async function take(ground: Ground, operation: 'charge' | 'preauthorize', testCard: string) {
  const card = await ground.card(testCard);
  const { debit_id } = await ground.api.POST(
    `/contact/{contact_id}/creditCards/{credit_card_id}/${operation}`,
    {
      params: { path: { contact_id: ground.contactId, credit_card_id: card } },
      body: { amount: ground.amount, to_bank_account_id: ground.bankAccountId, statement },
    },
  );
  return debit_id;
}

const charge = (ground: Ground) => take(ground, 'charge', 'visa');
const preauthorize = (ground: Ground) => take(ground, 'preauthorize', 'visa');

async function declined(ground: Ground): Promise<string> {
  const refused = await take(ground, 'charge', 'insufficient-funds').catch((error: Error) => error);
  if (!(refused instanceof ApiError) || refused.status !== 402) throw refused;
  const query = { contactId: ground.contactId, state: 'failed' as const, limit: 1 };
  const [debit] = await ground.control.GET('/control/debits', { params: { query } });
  return debit?.id ?? '';
}

async function refund(ground: Ground): Promise<string> {
  const debitId = await charge(ground);
  const { id } = await ground.api.POST('/debit/{debit_id}/refunds', {
    params: { path: { debit_id: debitId } },
    body: { amount: ground.amount, reason: 'customer_request' },
  });
  return id;
}

async function credit(ground: Ground): Promise<string> {
  const { identifier } = await ground.api.PUT('/credit', {
    body: {
      amount: ground.amount,
      statement,
      from_bank_account: ground.bankAccountId,
      contact_id: ground.contactId,
    },
  });
  return identifier;
}

async function accept(ground: Ground, creditId: string): Promise<string> {
  const iban = 'DE89370400440532013000';
  await ground.control.POST('/control/credits/{creditId}/accept', {
    params: { path: { creditId } },
    body: { kind: 'iban', iban },
  });
  return creditId;
}
