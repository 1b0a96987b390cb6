import { toMajor } from '../../shared/money.ts';

/**
 * The environment of a recording, in the form that the answers of the control API have (GET /control/terminals and so
 * on).
 */
export interface RecordedEnvironment {
  readonly terminals?: readonly RecordedTerminal[];
  readonly accounts?: readonly RecordedAccount[];
  readonly contacts?: readonly RecordedContact[];
  readonly bankAccounts?: readonly { readonly id: string; readonly name: string }[];
  readonly credits?: readonly RecordedCredit[];
}

interface RecordedTerminal {
  readonly poiId: string;
  /** The terminalId in paths. */
  readonly identifier: string;
  readonly accountId?: string;
  readonly payoutAccount?: string | null;
  readonly magicAmounts?: boolean | null;
}

interface RecordedAccount {
  readonly id: string;
  readonly currency: string;
  /** The limit in minor units. */
  readonly transactionLimit: number;
  readonly magicAmounts: boolean;
  readonly cardOnFile: boolean;
  readonly surchargePercent: number;
}

interface RecordedContact {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly creditCards: readonly { readonly id: string; readonly testCard: string | null }[];
}

export interface RecordedCredit {
  readonly id: string;
  readonly amount: number;
  readonly contactId: string;
  readonly fromBankAccountId: string;
  readonly statement: string;
  readonly note: string | null;
}

/** The parts of an environment that a recording used. */
interface UsedParts {
  /** The terminals with their names in the scenario. If there is only one terminal, its name is undefined. */
  readonly terminals: readonly { readonly poiId: string; readonly name: string | undefined }[];
  readonly contacts: ReadonlySet<string>;
  readonly bankAccounts: ReadonlySet<string>;
  /** The currency of the payments, for recordings without a known account. */
  readonly currency: string | undefined;
}

/** The default limit (B28), in major units. */
const usualLimit = 10_000;

/**
 * Returns the `needs` with which a scenario recreates the environment. Values that are the defaults of scenarios are
 * left out.
 */
export function makeRecordedNeeds(
  environment: RecordedEnvironment,
  used: UsedParts,
): Record<string, unknown> {
  const { terminals = [], accounts = [], contacts = [], bankAccounts = [] } = environment;
  const customers = contacts.filter(({ id }) => used.contacts.has(id));
  const [first] = used.terminals;
  const accountId =
    terminals.find(({ poiId }) => poiId === first?.poiId)?.accountId ?? customers[0]?.accountId;
  const account = accounts.find(({ id }) => id === accountId);
  return {
    ...settingsOf(account, used.currency),
    ...terminalNeeds(terminals, used),
    ...(customers.length > 0 ? { contacts: customers.map(contactNeed) } : {}),
    ...listed(
      'bankAccounts',
      bankAccounts.filter(({ id }) => used.bankAccounts.has(id)).map(({ id, name }) => ({ id, name })),
    ),
  };
}

function settingsOf(
  account: RecordedAccount | undefined,
  paidIn: string | undefined,
): Record<string, unknown> {
  const currency = account?.currency ?? paidIn ?? 'EUR';
  const limit = account ? toMajor(account.transactionLimit, currency) : usualLimit;
  return {
    ...(currency === 'EUR' ? {} : { currency }),
    ...(limit === usualLimit ? {} : { transactionLimit: limit }),
    ...(account?.magicAmounts === false ? { magicAmounts: false } : {}),
    ...(account?.cardOnFile === false ? { cardOnFile: false } : {}),
    ...(account?.surchargePercent ? { surchargePercent: account.surchargePercent } : {}),
  };
}

function terminalNeeds(terminals: readonly RecordedTerminal[], used: UsedParts): Record<string, unknown> {
  const needed = used.terminals.map(({ poiId, name = 'terminal-1' }) => {
    const { payoutAccount, magicAmounts } = terminals.find((one) => one.poiId === poiId) ?? {};
    const settings = {
      ...(payoutAccount === null ? { payoutAccount: 'none' } : {}),
      ...(typeof magicAmounts === 'boolean' ? { magicAmounts } : {}),
    };
    return Object.keys(settings).length > 0 ? { name, ...settings } : name;
  });
  const plain = needed.length < 2 && needed.every((one) => typeof one === 'string');
  return plain ? {} : { terminals: needed };
}

function contactNeed({ id, name, creditCards }: RecordedContact): Record<string, unknown> {
  const cards = creditCards.flatMap((card) => (card.testCard ? [{ id: card.id, card: card.testCard }] : []));
  return { id, name, cards };
}

function listed(name: string, items: readonly unknown[]): Record<string, unknown> {
  return items.length > 0 ? { [name]: items } : {};
}
