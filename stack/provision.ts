import type { Gateway } from '../gateway/index.ts';
import { parseMajor } from '../shared/money.ts';
import type { AccountConfig, TerminalConfig } from './config.ts';
import type { Credentials } from './credentials.ts';
import { provisionCardOnFile } from './provision-card-on-file.ts';
import { slug } from './slug.ts';
import { StartError } from './start-error.ts';

/** A token a point of sale can use. */
export interface ProvisionedToken {
  account: string;
  environment: 'sandbox' | 'production';
  token: string;
}

/** A terminal that exists at the gateway, with the key its emulator shows. */
export interface ProvisionedTerminal {
  poiId: string;
  identifier: string;
  store: string;
  account: string;
  deviceKey: string;
  language: TerminalConfig['language'];
}

export interface Provisioned {
  tokens: ProvisionedToken[];
  terminals: ProvisionedTerminal[];
  /** The currency of the first account: what the screen rings up sales in. */
  currency: string;
}

/**
 * Brings the gateway to what the configuration says: doing it again changes nothing. What the configuration no
 * longer mentions stays, because payments may refer to it.
 */
export async function provision(
  gateway: Gateway,
  accounts: readonly AccountConfig[],
  credentials: Credentials,
): Promise<Provisioned> {
  const provisioned: Provisioned = { tokens: [], terminals: [], currency: accounts[0]?.currency ?? 'EUR' };
  for (const account of accounts) await provisionAccount(gateway, account, credentials, provisioned);
  credentials.save();
  return provisioned;
}

async function provisionAccount(
  gateway: Gateway,
  config: AccountConfig,
  credentials: Credentials,
  provisioned: Provisioned,
): Promise<void> {
  const accountId = slug(config.name);
  await gateway.accounts.createAccount({
    id: accountId,
    name: config.name,
    currency: config.currency,
    magicAmounts: config.magicAmounts,
    cardOnFile: config.cardOnFile,
    surchargePercent: config.surchargePercent,
    ...(config.transactionLimit === undefined ? {} : { transactionLimit: limitOf(config) }),
  });
  await provisionCardOnFile(gateway, accountId, config);
  for (const [index, { token, environment, label }] of config.tokens.entries()) {
    const secret = token ?? credentials.secret(`token ${accountId} ${environment} ${index}`, 'test_');
    await gateway.tokens.createToken({ accountId, environment, label, token: secret });
    provisioned.tokens.push({ account: accountId, environment, token: secret });
  }
  for (const store of config.stores) {
    const former = gateway.terminals.listStores(accountId).find(({ name }) => name === store.name);
    const { id: storeId } = await gateway.terminals.createStore({
      ...(former ? { id: former.id } : {}),
      accountId,
      name: store.name,
      address: store.address,
    });
    for (const { poiId, identifier, payoutAccount, magicAmounts, language } of store.terminals) {
      const deviceKey = credentials.secret(`terminal ${poiId}`, 'dev_');
      const { id } = await gateway.terminals.createTerminal({
        ...(identifier === undefined ? {} : { id: identifier }),
        ...(payoutAccount === undefined ? {} : { payoutAccount }),
        ...(magicAmounts === undefined ? {} : { magicAmounts }),
        poiId,
        storeId,
        deviceKey,
      });
      provisioned.terminals.push({
        poiId,
        identifier: id,
        store: store.name,
        account: accountId,
        deviceKey,
        language,
      });
    }
  }
}

function limitOf(config: AccountConfig): number {
  const limit = parseMajor(config.transactionLimit ?? 0, config.currency);
  if (typeof limit === 'number') return limit;
  throw new StartError(`transactionLimit of ${config.name}: ${limit} in ${config.currency}`);
}
