import { ApiError, type Gateway } from '../gateway/index.ts';
import { majorToMinorOrFault } from '../shared/money.ts';
import type { AccountConfig, TerminalConfig } from './account-config.ts';
import type { CredentialStore } from './credentials.ts';
import { type ProvisionedCardOnFile, provisionCardOnFile } from './provision-card-on-file.ts';
import { provisionWebhooks } from './provision-webhooks.ts';
import { slugify } from './slug.ts';
import { StartError } from './start-error.ts';

/** A token that a point of sale can use. */
interface ProvisionedToken {
  account: string;
  environment: 'sandbox' | 'production';
  token: string;
}

/** A terminal that exists at the gateway, with the device key by which its emulator authenticates. */
export interface StackTerminal {
  poiId: string;
  identifier: string;
  store: string;
  account: string;
  deviceKey: string;
  language: TerminalConfig['language'];
}

export interface ProvisionedResources extends ProvisionedCardOnFile {
  tokens: ProvisionedToken[];
  terminals: StackTerminal[];
  /** The currency of the first account. Sales that a person makes on the screen are in this currency. */
  currency: string;
}

/**
 * Makes everything in the gateway that the configuration names. A second call with the same configuration changes
 * nothing. Does not delete things that the configuration no longer names, because payments may refer to them.
 *
 * `settled` resolves when the hashed answers to security questions are also on disk. A start does not wait for
 * `settled`, because hashing takes a while. When the stack ends, it waits for `settled`.
 */
export async function provisionAccounts(
  gateway: Gateway,
  accounts: readonly AccountConfig[],
  credentials: CredentialStore,
): Promise<ProvisionedResources & { settled(): Promise<unknown> }> {
  const currency = accounts[0]?.currency ?? 'EUR';
  const provisioned: ProvisionedResources = {
    tokens: [],
    terminals: [],
    contacts: [],
    bankAccounts: [],
    currency,
  };
  const questions: Promise<void>[] = [];
  refuseOthersTerminals(gateway, accounts);
  for (const account of accounts) {
    const accountId = slugify(account.name);
    try {
      await provisionAccount(gateway, accountId, account);
      if (account.securityQuestion) {
        const kept = gateway.questions.set(accountId, account.securityQuestion);
        kept.catch(() => {}); // if this fails, `settled` rejects
        questions.push(kept);
      }
      const [cardOnFile, tokens, terminals] = await Promise.all([
        provisionCardOnFile(gateway, accountId, account),
        provisionTokens(gateway, accountId, account, credentials),
        provisionStores(gateway, accountId, account, credentials),
        provisionWebhooks(gateway, accountId, account),
      ]);
      provisioned.tokens.push(...tokens);
      provisioned.terminals.push(...terminals);
      provisioned.contacts.push(...cardOnFile.contacts);
      provisioned.bankAccounts.push(...cardOnFile.bankAccounts);
    } catch (error) {
      throw refusalOf(account, error);
    }
  }
  credentials.save();
  return { ...provisioned, settled: () => Promise.all(questions) };
}

/**
 * Throws an error if a configured terminal belongs to another account in the stored data. This is checked before any
 * part of the configuration is stored.
 */
function refuseOthersTerminals({ terminals }: Gateway, accounts: readonly AccountConfig[]): void {
  const owners = new Map(terminals.listTerminals().map(({ poiId, accountId }) => [poiId, accountId]));
  for (const { name, stores } of accounts)
    for (const { poiId } of stores.flatMap((store) => store.terminals)) {
      const owner = owners.get(poiId);
      if (owner !== undefined && owner !== slugify(name))
        throw new StartError(
          `${name}: in the stored data the terminal ${poiId} belongs to ${owner}: start with the configuration of that data (--config), or use another data folder`,
        );
    }
}

/** Turns the gateway's error about an account's settings into an error with one line. */
function refusalOf({ name }: AccountConfig, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const [fault] = error.details ?? [];
  return new StartError(`${name}: ${fault ? `${fault.path} ${fault.message}` : error.message}`);
}

async function provisionAccount(gateway: Gateway, id: string, config: AccountConfig): Promise<void> {
  await gateway.accounts.createAccount({
    id,
    name: config.name,
    currency: config.currency,
    magicAmounts: config.magicAmounts,
    cardOnFile: config.cardOnFile,
    surchargePercent: config.surchargePercent,
    ...(config.transactionLimit === undefined ? {} : { transactionLimit: limitOf(config) }),
  });
}

/**
 * Returns the API tokens for which the configuration gives no value, and the device keys of the configured terminals.
 * Makes those that do not exist yet.
 */
export function findOrMakeSecrets(
  accounts: readonly AccountConfig[],
  credentials: CredentialStore,
): Record<string, string> {
  const names = accounts.flatMap(({ name, tokens, stores }) => [
    ...tokens.flatMap(({ token, environment }, index) =>
      token === undefined ? [tokenSecret(slugify(name), environment, index)] : [],
    ),
    ...stores.flatMap(({ terminals }) => terminals.map(({ poiId }) => deviceKeySecret(poiId))),
  ]);
  return Object.fromEntries(names.map((name) => [name[0], credentials.secret(...name)]));
}

function tokenSecret(accountId: string, environment: string, index: number): [string, string] {
  return [`token ${accountId} ${environment} ${index}`, 'test_'];
}

function deviceKeySecret(poiId: string): [string, string] {
  return [`terminal ${poiId}`, 'dev_'];
}

function provisionTokens(
  gateway: Gateway,
  accountId: string,
  { tokens }: AccountConfig,
  credentials: CredentialStore,
): Promise<ProvisionedToken[]> {
  return Promise.all(
    tokens.map(async ({ token, environment, label }, index) => {
      const secret = token ?? credentials.secret(...tokenSecret(accountId, environment, index));
      await gateway.tokens.createToken({ accountId, environment, label, token: secret });
      return { account: accountId, environment, token: secret };
    }),
  );
}

async function provisionStores(
  gateway: Gateway,
  accountId: string,
  { stores }: AccountConfig,
  credentials: CredentialStore,
): Promise<StackTerminal[]> {
  const provisioned: StackTerminal[] = [];
  for (const { name, address, terminals } of stores) {
    const former = gateway.terminals.listStores(accountId).find((store) => store.name === name);
    const { id: storeId } = await gateway.terminals.createStore({
      id: former?.id,
      accountId,
      name,
      address,
    });
    const made = terminals.map(
      async ({ poiId, identifier, payoutAccount, magicAmounts, language }): Promise<StackTerminal> => {
        const deviceKey = credentials.secret(...deviceKeySecret(poiId));
        const { id } = await gateway.terminals.createTerminal({
          id: identifier,
          payoutAccount,
          magicAmounts,
          poiId,
          storeId,
          deviceKey,
        });
        return { poiId, identifier: id, store: name, account: accountId, deviceKey, language };
      },
    );
    provisioned.push(...(await Promise.all(made)));
  }
  return provisioned;
}

function limitOf(config: AccountConfig): number {
  const limit = majorToMinorOrFault(config.transactionLimit ?? 0, config.currency);
  if (typeof limit === 'number') return limit;
  const why =
    limit === 'tooLarge' ? 'is larger than any amount' : `has more decimals than ${config.currency}`;
  throw new StartError(`the transactionLimit of ${config.name} ${why}`);
}
