import type { Card } from '../../shared/emulator/cards.ts';
import type { PaymentBrand } from '../../shared/nexo/enums.ts';
import { brands } from '../cards/brands.ts';
import type { PresentableCard, TapFailure } from '../cards/presented-card.ts';
import { hasChip } from './msr/service-code.ts';
import type { CardRead, ReadAccount, ReadApplication, ReaderEntry } from './reader-driver.ts';
import { behaviourOf, type ReaderBehaviour, type ReaderRules } from './reader-rules.ts';

/** Stands in for a card without an expiry: it never expires. */
const noExpiry = '1299';

/**
 * Gives the card for a terminal from a card that was read, with the rules applied. Undefined if neither its applications nor
 * its number identify a brand, because no terminal takes such a card, and for a stripe that was misread (B206).
 *
 * `ways` are the entry modes of this terminal's readers: a chip card's stripe asks for the chip only if there is a slot for
 * it.
 */
export function cardFromRead(
  read: CardRead,
  rules: ReaderRules,
  ways: readonly ReaderEntry[],
): PresentableCard | undefined {
  if (read.applications.length === 0) return cardOf(read, read, rules, ways);
  const cards = read.applications.flatMap((application) => cardOf(application, read, rules, ways) ?? []);
  const [first, ...others] = cards;
  if (!first || others.length === 0) return first;
  return { ...first, applications: cards.flatMap((card) => ({ ...card.applications[0]!, card })) };
}

/** Gives the card with this account as the one that pays. */
function cardOf(
  account: ReadAccount & Partial<Pick<ReadApplication, 'aid' | 'label'>>,
  { entry }: CardRead,
  rules: ReaderRules,
  ways: readonly ReaderEntry[],
): PresentableCard | undefined {
  const { brand, fingerprint } = account;
  if (!brand) return undefined;
  const chosen = behaviourOf(account, rules);
  // A chip or an antenna delivers a whole number. For a stripe, the check digit shows that digits were misread.
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
    // Without a rule any PIN is right: the real one must not be used here.
    ...(chosen.pin ? { pin: chosen.pin } : {}),
    ...waysIn(account, entry, chosen, ways),
    keyed: false,
    ...(chosen.host ? { host: chosen.host } : {}),
    note: `Read by ${entry}, fingerprint ${fingerprint}`,
  };
}

/** The journal's name for a card that a reader could not read. */
export const unreadableCardId = 'reader-unreadable';

/** The card that is presented when a card could not be read. The machine asks again, or for another way in. */
export function unreadableCard(entry: ReaderEntry, tapFailure: TapFailure = 'unreadable'): PresentableCard {
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
  account: ReadAccount,
  entry: ReaderEntry,
  chosen: ReaderBehaviour,
  ways: readonly ReaderEntry[],
): Pick<Card, 'chip' | 'contactless' | 'stripe'> {
  const verification = chosen.verification ?? account.verification ?? 'signature';
  switch (entry) {
    case 'ICC':
      return { chip: { verification, readable: 'yes' } };
    case 'Contactless':
      return { contactless: chosen.contactless ?? { limit: 50, aboveLimit: 'pin' } };
    case 'MagStripe':
      return {
        stripe: { verification, readable: true },
        ...(hasChip(account.serviceCode) && ways.includes('ICC')
          ? { chip: { verification, readable: 'yes' } }
          : {}),
      };
  }
}
