import type { ControlClient } from '../../client/control-client.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { noInFlightTracking } from '../../shared/in-flight.ts';
import { majorToMinorOrFault } from '../../shared/money.ts';
import { makeAlphanumericText, type Random } from '../../shared/random.ts';
import { StartError } from '../../shared/start-error.ts';
import { startStopwatch } from '../../shared/stopwatch.ts';
import {
  type ControlledGateway,
  controlClientOf,
  IncrementalJournalReader,
  withGatewayErrorsExplained,
} from '../../stack/running-gateway.ts';
import {
  instantPacing,
  naturalPacing,
  startTerminalEmulator,
  type TerminalSettings,
} from '../../terminal-emulator/index.ts';
import type { Needs } from '../format/needs.ts';
import { accountConfigOf, readTerminalNeeds } from './config-of-needs.ts';
import type { EnvironmentTerminal, TestEnvironment } from './scenario-context.ts';
import { makeRealScenarioClock } from './scenario-time.ts';

/**
 * Sets up an environment for a scenario at a gateway that runs elsewhere, in real time: an account, its tokens, a
 * store, and terminals that this process emulates.
 *
 * @throws StartError if the gateway does not answer, refuses the token, or has a virtual clock
 */
export function setUpRemoteEnvironment(
  gateway: ControlledGateway,
  needs: Needs = {},
): Promise<TestEnvironment> {
  return withGatewayErrorsExplained(gateway, () => environmentOn(gateway, needs));
}

async function environmentOn(gateway: ControlledGateway, needs: Needs): Promise<TestEnvironment> {
  const runtime = createRuntime();
  const { random, realClock } = runtime;
  const tookMs = startStopwatch(realClock);
  const control = controlClientOf(gateway);
  const { virtual } = await control.GET('/control/clock');
  if (virtual)
    throw new StartError(
      `the clock of ${gateway.url} is virtual, and a gateway with a virtual clock accepts no terminals from another process`,
    );
  const id = `scenario-${makeAlphanumericText(random, 10).toLowerCase()}`;
  const account = accountConfigOf(needs);
  await provisionAccount(control, id, account);
  const tokens = await tokensFor(control, id, needs);
  const made = await terminalsFor(control, id, needs, random);
  const customers = await customersFor(control, id, account);
  const emulator = await startTerminalEmulator(
    {
      gatewayUrl: gateway.url,
      terminals: made.map(({ settings }) => settings),
      cards: needs.cards ?? [],
      forwardJournal: true,
      pacing: needs.pacing === 'natural' ? naturalPacing : instantPacing,
    },
    runtime,
  );
  const poiIds = made.map(({ terminal }) => terminal.poiId);
  const close = async () => {
    await emulator.close();
    // the gateway refuses to delete a terminal that still has a payment
    for (const terminalId of poiIds)
      await control
        .DELETE('/control/terminals/{terminalId}', { params: { path: { terminalId } } })
        .catch(() => {});
  };
  const journal = await beginJournal(gateway, control, id, poiIds).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    url: gateway.url,
    controlToken: gateway.controlToken,
    tokens,
    accountId: id,
    currency: account.currency,
    terminals: made.map(({ terminal }) => terminal),
    time: makeRealScenarioClock(realClock),
    tookMs,
    clock: realClock,
    inFlight: noInFlightTracking,
    prefix: `${id}-`,
    idOf: (name) => customers.get(name) ?? name,
    count: () => {},
    journalSince: async (seq) => (await journal.read()).filter((entry) => entry.seq > seq),
    close,
  };
}

/**
 * Waits until the terminals are idle. Returns a reader of the journal entries that are added after that and belong to
 * the account.
 */
async function beginJournal(
  gateway: ControlledGateway,
  control: ControlClient,
  accountId: string,
  poiIds: readonly string[],
): Promise<IncrementalJournalReader> {
  for (const terminalId of poiIds) {
    const params = { path: { terminalId }, query: { until: 'idle' } };
    await control.GET('/control/terminals/{terminalId}/screen', { params });
  }
  return IncrementalJournalReader.begin(gateway, ({ terminal, data }) => {
    if (terminal !== undefined) return poiIds.includes(terminal);
    if ('webhook' in data) return data.webhook.startsWith(`${accountId}-`);
    return !('requestId' in data) || `${data.requestId}`.startsWith(`${accountId}-`);
  });
}

async function provisionAccount(
  control: ControlClient,
  id: string,
  account: ReturnType<typeof accountConfigOf>,
): Promise<void> {
  const limit =
    account.transactionLimit === undefined
      ? undefined
      : majorToMinorOrFault(account.transactionLimit, account.currency);
  await control.POST('/control/accounts', {
    body: {
      id,
      name: account.name,
      currency: account.currency,
      magicAmounts: account.magicAmounts,
      cardOnFile: account.cardOnFile,
      surchargePercent: account.surchargePercent,
      ...(typeof limit === 'number' ? { transactionLimit: limit } : {}),
    },
  });
}

async function tokensFor(
  control: ControlClient,
  accountId: string,
  needs: Needs,
): Promise<TestEnvironment['tokens']> {
  const token = async (environment: 'sandbox' | 'production') => {
    const body = { accountId, environment, label: 'scenario' };
    return (await control.POST('/control/tokens', { body })).token ?? '';
  };
  return {
    sandbox: await token('sandbox'),
    ...(needs.production ? { production: await token('production') } : {}),
  };
}

async function terminalsFor(
  control: ControlClient,
  accountId: string,
  needs: Needs,
  random: Random,
): Promise<{ terminal: EnvironmentTerminal; settings: TerminalSettings }[]> {
  const [wanted] = accountConfigOf(needs).stores;
  const name = wanted?.name ?? 'Corner Shop';
  const store = await control.POST('/control/stores', {
    body: { accountId, name, address: wanted?.address ?? '' },
  });
  const made: { terminal: EnvironmentTerminal; settings: TerminalSettings }[] = [];
  for (const { name: called, payoutAccount, magicAmounts, language } of readTerminalNeeds(needs)) {
    const poiId = `V400m-${300_000_000 + random.int(99_999_999)}`;
    const { id, deviceKey = '' } = await control.POST('/control/terminals', {
      body: {
        poiId,
        storeId: store.id,
        ...(payoutAccount === 'none' ? { payoutAccount: null } : {}),
        magicAmounts,
      },
    });
    made.push({
      terminal: { name: called, poiId, identifier: id },
      settings: { poiId, deviceKey, storeName: name, language: language ?? 'en' },
    });
  }
  return made;
}

/**
 * Creates the account's contacts, saved cards and bank accounts. Two scenarios may use the same names, but at a
 * gateway each name must be unique. So every name gets the account's id as a prefix at the gateway.
 */
async function customersFor(
  control: ControlClient,
  accountId: string,
  { contacts, bankAccounts, securityQuestion }: ReturnType<typeof accountConfigOf>,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  const renamed = (name = '') => {
    ids.set(name, `${accountId}-${name}`);
    return `${accountId}-${name}`;
  };
  for (const { id, cards, ...contact } of contacts) {
    const made = await control.POST('/control/contacts', {
      body: { ...contact, id: renamed(id), accountId },
    });
    for (const card of cards)
      await control.POST('/control/contacts/{contactId}/credit-cards', {
        params: { path: { contactId: made.id } },
        body: { ...card, id: renamed(card.id) },
      });
  }
  for (const { id, ...each } of bankAccounts)
    await control.POST('/control/bank-accounts', { body: { ...each, id: renamed(id), accountId } });
  if (securityQuestion)
    await control.PUT('/control/accounts/{accountId}/security-question', {
      params: { path: { accountId } },
      body: securityQuestion,
    });
  return ids;
}
