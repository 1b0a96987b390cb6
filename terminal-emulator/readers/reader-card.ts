import type { TestCardDefinition } from '../../shared/emulator/cards.ts';
import type { PaymentBrand } from '../../shared/nexo/enums.ts';
import { brands } from '../cards/brands.ts';
import type { MaskedCard, TapFailure } from '../cards/presented-card.ts';
import { serviceCodeHasChip } from './msr/service-code.ts';
import type { CardAccount, CardApplication, CardRead, ReaderEntryMode } from './reader-driver.ts';
import { findBehaviourByRules, type ReaderCardBehaviour, type ReaderRules } from './reader-rules.ts';

/** The expiry for a card that has none. It is so far in the future that the card does not expire. */
const noExpiry = '1299';

/**
 * Turns a card that a reader has read into a card for a terminal, and applies `rules` to it. Gives undefined if neither
 * the card's applications nor its number identify a brand, because no terminal takes a card without a brand. Also gives
 * undefined for a misread stripe (B206).
 *
 * `ways` are the entry modes of this terminal's readers. If a chip card is swiped, the terminal asks for the chip
 * only if one of the readers has a slot for it.
 */
export function makeCardFromRead(
  read: CardRead,
  rules: ReaderRules,
  ways: readonly ReaderEntryMode[],
): MaskedCard | undefined {
  if (read.applications.length === 0) return cardOf(read, read, rules, ways);
  const cards = read.applications.flatMap((application) => cardOf(application, read, rules, ways) ?? []);
  const [first, ...others] = cards;
  if (!first || others.length === 0) return first;
  return { ...first, applications: cards.flatMap((card) => ({ ...card.applications[0]!, card })) };
}

/** Makes the card for a terminal. The card pays from `account`. */
function cardOf(
  account: CardAccount & Partial<Pick<CardApplication, 'aid' | 'label'>>,
  { entry }: CardRead,
  rules: ReaderRules,
  ways: readonly ReaderEntryMode[],
): MaskedCard | undefined {
  const { brand, fingerprint } = account;
  if (!brand) return undefined;
  const chosen = findBehaviourByRules(account, rules);
  // A chip or an antenna always delivers the whole number. On a stripe, a wrong check digit reveals misread digits.
  if (entry === 'MagStripe' && !account.checkDigitValid && chosen.checkDigit !== 'any') return undefined;
  const { aid, label } = { ...brands[brand].application, ...account };
  return {
    id: `reader-${fingerprint.toLowerCase()}`,
    label: chosen.label ?? label,
    maskedPan: account.maskedPan,
    expiry: account.expiry ?? noExpiry,
    sequenceNumber: account.sequenceNumber,
    country: chosen.country ?? account.country ?? '840',
    funding: chosen.funding ?? (isDebit(brand, '') ? 'debit' : 'credit'),
    applications: [{ aid, label, brand, debit: isDebit(brand, account.label ?? '') }],
    // If no rule sets a PIN, any PIN counts as right. So the PIN of a real card is not needed, and a person must never
    // type it into the emulator.
    ...(chosen.pin ? { pin: chosen.pin } : {}),
    ...waysIn(account, entry, chosen, ways),
    keyed: false,
    ...(chosen.host ? { host: chosen.host } : {}),
    note: `Read by ${entry}, fingerprint ${fingerprint}`,
  };
}

/** The name that the journal uses for a card that a reader could not read. */
export const unreadableCardId = 'reader-unreadable';

/**
 * Makes a substitute for a card that could not be read. The payment machine then asks for the card again, or for
 * another way to present it.
 */
export function makeUnreadableCard(
  entry: ReaderEntryMode,
  tapFailure: TapFailure = 'unreadable',
): MaskedCard {
  return {
    id: unreadableCardId,
    label: 'Unreadable card',
    maskedPan: '',
    expiry: noExpiry,
    country: '840',
    funding: 'credit',
    applications: [{ ...brands.visa.application, brand: 'visa', debit: false }],
    ...(entry === 'ICC' ? { chip: { verification: 'none', readable: 'no' } } : {}),
    ...(entry === 'MagStripe' ? { stripe: { verification: 'none', readable: false } } : {}),
    ...(entry === 'Contactless' ? { contactless: { limit: 50, aboveLimit: 'pin' }, tapFailure } : {}),
    keyed: false,
    note: '',
  };
}

function isDebit(brand: PaymentBrand, label: string): boolean {
  return brand === 'maestro' || brand === 'interac_card' || /debit/i.test(label);
}

function waysIn(
  account: CardAccount,
  entry: ReaderEntryMode,
  chosen: ReaderCardBehaviour,
  ways: readonly ReaderEntryMode[],
): Pick<TestCardDefinition, 'chip' | 'contactless' | 'stripe'> {
  const verification = chosen.verification ?? account.verification ?? 'signature';
  switch (entry) {
    case 'ICC':
      return { chip: { verification, readable: 'yes' } };
    case 'Contactless':
      return { contactless: chosen.contactless ?? { limit: 50, aboveLimit: 'pin' } };
    case 'MagStripe':
      return {
        stripe: { verification, readable: true },
        ...(serviceCodeHasChip(account.serviceCode) && ways.includes('ICC')
          ? { chip: { verification, readable: 'yes' } }
          : {}),
      };
  }
}
