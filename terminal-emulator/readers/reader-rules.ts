import { z } from 'zod';
import { cardholderVerification } from '../../shared/emulator/cards.ts';
import { hostBehaviour } from '../../shared/nexo/acquirer.ts';
import { paymentBrand } from '../../shared/nexo/enums.ts';

/** What a card from a reader does; whatever is left out stays as a wider rule, or the card itself, says. */
const behaviour = z.object({
  /** Shown on the screen instead of the application's label. */
  label: z.string().min(1).max(40).optional(),
  /** What counts as the right PIN here. Never a card's real one: that must not be typed. */
  pin: z
    .string()
    .regex(/^\d{4,6}$/)
    .optional(),
  verification: cardholderVerification.optional(),
  funding: z.enum(['credit', 'debit', 'prepaid']).optional(),
  /** ISO 3166 numeric. */
  country: z
    .string()
    .regex(/^\d{3}$/)
    .optional(),
  contactless: z
    .object({ limit: z.number().positive(), aboveLimit: z.enum(['insert', 'pin', 'allow']) })
    .optional(),
  /** Whether a stripe whose number has a wrong check digit is read (B206): some UnionPay cards have none that holds. */
  checkDigit: z.enum(['any', 'right']).optional(),
  /** What the issuer does; absent is approving. */
  host: hostBehaviour.optional(),
});

/** Which cards a rule is about, and what they do. At least one of the three says which. */
const readerRule = behaviour
  .extend({
    brand: paymentBrand.optional(),
    /** First digits, up to six (`4761`), or a range of equally many (`222100-272099`). */
    iin: z
      .string()
      .regex(/^\d{1,6}(-\d{1,6})?$/)
      .refine((text) => ends(text)[0].length === ends(text)[1].length, 'both ends need equally many digits')
      .optional(),
    /** One card, by the fingerprint the journal and the screen show for it. */
    fingerprint: z
      .string()
      .regex(/^[0-9A-F]{16}$/)
      .optional(),
  })
  .refine(
    ({ brand, iin, fingerprint }) => brand ?? iin ?? fingerprint,
    'name a brand, an IIN or a fingerprint',
  );
type ReaderRule = z.infer<typeof readerRule>;
export type ReaderBehaviour = z.infer<typeof behaviour>;

/** What cards from readers do (configuration `readers.rules`). */
export const readerRules = z
  .array(readerRule)
  .max(500)
  .meta({ id: 'ReaderRules', description: 'What cards from a real reader do, by brand, IIN or card' });
export type ReaderRules = z.infer<typeof readerRules>;

/** What rules are matched against: what is known of the card, masked. */
interface MatchedCard {
  readonly brand: string | undefined;
  /** At least the first six digits. */
  readonly maskedPan: string;
  readonly fingerprint: string;
}

/**
 * The behaviour of one card: rules for its brand, then for its IIN (longer ranges later), then for the card
 * itself are laid over each other; among equals the later one in the list wins.
 */
export function behaviourOf(card: MatchedCard, rules: ReaderRules): ReaderBehaviour {
  const matching = rules.filter((rule) => matches(rule, card));
  const ordered = matching.toSorted((a, b) => precision(a) - precision(b));
  const merged: ReaderBehaviour = {};
  for (const { brand: _brand, iin: _iin, fingerprint: _fingerprint, ...rest } of ordered)
    Object.assign(merged, rest);
  return merged;
}

function matches({ brand, iin, fingerprint }: ReaderRule, card: MatchedCard): boolean {
  if (brand !== undefined && brand !== card.brand) return false;
  if (fingerprint !== undefined && fingerprint !== card.fingerprint) return false;
  if (iin === undefined) return true;
  const [from, to] = ends(iin);
  const digits = card.maskedPan.slice(0, from.length);
  return from <= digits && digits <= to;
}

function precision({ iin, fingerprint }: ReaderRule): number {
  return (fingerprint ? 10 : 0) + (iin ? ends(iin)[0].length : 0);
}

function ends(iin: string): [from: string, to: string] {
  const [from = '', to = from] = iin.split('-');
  return [from, to];
}
