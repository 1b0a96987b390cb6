import { systemClock } from '../../shared/clock.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { uncounted } from '../../shared/in-flight.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { parseMajor } from '../../shared/money.ts';
import { alphanumeric, systemRandom } from '../../shared/random.ts';
import { StartError } from '../../shared/start-error.ts';
import {
  createEmulator,
  instantPacing,
  naturalPacing,
  type TerminalSettings,
} from '../../terminal-emulator/index.ts';
import type { Needs } from '../format/needs.ts';
import { accountOf, terminalsOf } from './config-of-needs.ts';
import type { EnvironmentTerminal, TestEnvironment } from './scenario-context.ts';
import { realTime } from './scenario-time.ts';

export interface RunningGateway {
  url: string;
  controlToken: string;
}

type Ask = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;

/**
 * A place of its own on a gateway that runs elsewhere, in real time: an account, its tokens, a store, and terminals
 * that are emulated here.
 *
 * @throws StartError where the gateway does not answer or does not let us in, or its clock is virtual
 */
export async function remoteEnvironment(
  gateway: RunningGateway,
  needs: Needs = {},
): Promise<TestEnvironment> {
  const ask = asker(gateway);
  const { virtual } = await ask<{ virtual: boolean }>('GET', '/clock');
  if (virtual)
    throw new StartError(`the clock of ${gateway.url} is virtual: it takes no terminals from here`);
  const id = `scenario-${alphanumeric(systemRandom, 10).toLowerCase()}`;
  const account = accountOf(needs);
  await provisionAccount(ask, id, account);
  const tokens = await tokensFor(ask, id, needs);
  const made = await terminalsFor(ask, id, needs);
  const customers = await customersFor(ask, id, account);
  const emulator = await createEmulator(
    {
      gatewayUrl: gateway.url,
      terminals: made.map(({ settings }) => settings),
      cards: needs.cards ?? [],
      forwardJournal: true,
      pacing: needs.pacing === 'natural' ? naturalPacing : instantPacing,
    },
    createRuntime(),
  );
  for (const { terminal } of made) await ask('GET', `/terminals/${terminal.poiId}/screen?until=idle`);
  const mine = new Set(made.map(({ terminal }) => terminal.poiId));
  return {
    url: gateway.url,
    controlToken: gateway.controlToken,
    tokens,
    accountId: id,
    currency: account.currency,
    terminals: made.map(({ terminal }) => terminal),
    time: realTime(),
    clock: systemClock,
    inFlight: uncounted,
    prefix: `${id}-`,
    stack: undefined,
    idOf: (name) => customers.get(name) ?? name,
    count: () => {},
    journalSince: async (seq) => {
      const { entries } = await ask<{ entries: JournalEntry[] }>('GET', `/journal?since=${seq}&limit=10000`);
      return entries.filter(({ terminal, data }) => {
        if (terminal !== undefined) return mine.has(terminal);
        if ('webhook' in data) return data.webhook.startsWith(`${id}-`);
        return !('requestId' in data) || `${data.requestId}`.startsWith(`${id}-`);
      });
    },
    restartGateway: undefined,
    close: async () => {
      await emulator.close();
      for (const { terminal } of made) await ask('DELETE', `/terminals/${terminal.poiId}`).catch(() => {}); // a payment may still be on it
    },
  };
}

async function provisionAccount(ask: Ask, id: string, account: ReturnType<typeof accountOf>): Promise<void> {
  const limit =
    account.transactionLimit === undefined
      ? undefined
      : parseMajor(account.transactionLimit, account.currency);
  await ask('POST', '/accounts', {
    id,
    name: account.name,
    currency: account.currency,
    magicAmounts: account.magicAmounts,
    cardOnFile: account.cardOnFile,
    surchargePercent: account.surchargePercent,
    ...(typeof limit === 'number' ? { transactionLimit: limit } : {}),
  });
}

async function tokensFor(ask: Ask, accountId: string, needs: Needs): Promise<TestEnvironment['tokens']> {
  const token = async (environment: string) =>
    (await ask<{ token: string }>('POST', '/tokens', { accountId, environment, label: 'scenario' })).token;
  return {
    sandbox: await token('sandbox'),
    ...(needs.production ? { production: await token('production') } : {}),
  };
}

async function terminalsFor(
  ask: Ask,
  accountId: string,
  needs: Needs,
): Promise<{ terminal: EnvironmentTerminal; settings: TerminalSettings }[]> {
  const [wanted] = accountOf(needs).stores;
  const name = wanted?.name ?? 'Corner Shop';
  const store = await ask<{ id: string }>('POST', '/stores', {
    accountId,
    name,
    address: wanted?.address ?? '',
  });
  const made: { terminal: EnvironmentTerminal; settings: TerminalSettings }[] = [];
  for (const { name: called, payoutAccount, magicAmounts, language } of terminalsOf(needs)) {
    const poiId = `V400m-${300_000_000 + systemRandom.int(99_999_999)}`;
    const { id, deviceKey } = await ask<{ id: string; deviceKey: string }>('POST', '/terminals', {
      poiId,
      storeId: store.id,
      ...(payoutAccount === 'none' ? { payoutAccount: null } : {}),
      ...(magicAmounts === undefined ? {} : { magicAmounts }),
    });
    made.push({
      terminal: { name: called, poiId, identifier: id },
      settings: { poiId, deviceKey, storeName: name, language: language ?? 'en' },
    });
  }
  return made;
}

/**
 * The account's contacts, saved cards and bank accounts. Their names are one gateway's, where two scenarios may have a
 * customer, so they are called otherwise there.
 */
async function customersFor(
  ask: Ask,
  accountId: string,
  { contacts, bankAccounts, securityQuestion }: ReturnType<typeof accountOf>,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  const renamed = (name = '') => {
    ids.set(name, `${accountId}-${name}`);
    return `${accountId}-${name}`;
  };
  for (const { id, cards, ...contact } of contacts) {
    const made = await ask<{ id: string }>('POST', '/contacts', { ...contact, id: renamed(id), accountId });
    for (const card of cards)
      await ask('POST', `/contacts/${made.id}/credit-cards`, { ...card, id: renamed(card.id) });
  }
  for (const { id, ...each } of bankAccounts)
    await ask('POST', '/bank-accounts', { ...each, id: renamed(id), accountId });
  if (securityQuestion) await ask('PUT', `/accounts/${accountId}/security-question`, securityQuestion);
  return ids;
}

function asker({ url, controlToken }: RunningGateway): Ask {
  return async <Answer>(method: string, path: string, body?: unknown) => {
    const response = await fetch(new URL(`/control${path}`, url), {
      method,
      headers: { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      throw new StartError(`no gateway answers at ${url}: ${error.message}`);
    });
    const text = await response.text();
    if (!response.ok) throw new StartError(`${method} /control${path}: ${response.status} ${text.trim()}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  };
}
