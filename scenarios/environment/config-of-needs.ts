import { type AccountConfig, type ConfigChanges, configSchema } from '../../stack/index.ts';
import type { Needs } from '../format/needs.ts';
import type { WebhookOptions } from './receivers.ts';

/** The contact, card and bank account that a scenario uses by default. */
export const defaultContactId = 'customer';
export const defaultSavedCardId = 'saved-visa';
export const defaultBankAccountId = 'shop-account';

type TerminalNeed = Exclude<Extract<Needs['terminals'], readonly unknown[]>[number], string>;

/** Returns the terminals that a scenario needs, with their names. */
export function readTerminalNeeds({ terminals = 1 }: Needs): TerminalNeed[] {
  if (typeof terminals === 'number')
    return Array.from({ length: terminals }, (_, index) => ({ name: `terminal-${index + 1}` }));
  return terminals.map((one) => (typeof one === 'string' ? { name: one } : one));
}

/** Returns the webhooks that a scenario needs. */
export function readWebhookNeeds({ webhooks = [] }: Needs): WebhookOptions[] {
  return webhooks.map((one) => (typeof one === 'string' ? { name: one } : one));
}

/** The number of the first terminal. Each further terminal has the next number. */
const firstPoiId = 100_000_001;

const accountConfig = configSchema.shape.accounts.unwrap().element;

/** Returns the names of the terminals that a scenario needs. */
export function terminalNamesOf(needs: Needs): string[] {
  return readTerminalNeeds(needs).map(({ name }) => name);
}

/** Returns the configuration of the account, shop, terminals and customers that a scenario needs. */
export function accountConfigOf(needs: Needs): AccountConfig {
  return accountConfig.parse({
    name: needs.store?.name ?? 'Corner Shop',
    currency: needs.currency ?? 'EUR',
    magicAmounts: needs.magicAmounts ?? true,
    transactionLimit: needs.transactionLimit,
    tokens: [
      { environment: 'sandbox', label: 'pos' },
      ...(needs.production ? [{ environment: 'production', label: 'pos' }] : []),
    ],
    stores: [
      {
        name: needs.store?.name ?? 'Corner Shop',
        address: needs.store?.address ?? '1 Market Street',
        terminals: readTerminalNeeds(needs).map(({ payoutAccount, magicAmounts, language }, index) => ({
          poiId: `V400m-${firstPoiId + index}`,
          language: language ?? 'en',
          magicAmounts,
          ...(payoutAccount === 'none' ? { payoutAccount: null } : {}),
        })),
      },
    ],
    cardOnFile: needs.cardOnFile ?? true,
    surchargePercent: needs.surchargePercent ?? 0,
    contacts: needs.contacts ?? [
      { id: defaultContactId, name: 'Robin Example', cards: [{ id: defaultSavedCardId, card: 'visa' }] },
    ],
    ...(needs.securityQuestion === 'none'
      ? {}
      : { securityQuestion: { question: 'Where did we meet?', answer: 'At the market' } }),
    bankAccounts: needs.bankAccounts ?? [
      { id: defaultBankAccountId, name: 'Corner Shop', number: 'DE89370400440532013000' },
    ],
  });
}

/** Returns the configuration of the gateway and terminals that only this scenario uses. */
export function configOfNeeds(needs: Needs, seed: number): ConfigChanges {
  return {
    seed,
    accounts: [accountConfigOf(needs)],
    cards: needs.cards ?? [],
    adyen: true,
    clock: needs.clock ?? 'virtual',
    pacing: needs.pacing ?? 'instant',
    logLevel: 'silent',
    timeouts: needs.timeouts,
    rateLimit: needs.rateLimit,
  };
}
