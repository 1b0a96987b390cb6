import { z } from 'zod';
import { cardholderVerificationSchema } from '../../shared/emulator/cards.ts';
import { hostRefusalSchema } from '../../shared/nexo/acquirer.ts';
import { paymentBrandSchema } from '../../shared/nexo/enums.ts';

/**
 * The behaviour of a card that a reader reads. If a field is absent, its value comes from a less specific rule, or
 * from the card itself.
 */
const behaviour = z.strictObject({
  /** The label that the screen shows instead of the application's own label. */
  label: z.string().min(1).max(40).optional(),
  /**
   * The PIN that counts as right for this card. It must differ from the card's real PIN, because a person must never
   * type the real PIN into the emulator.
   */
  pin: z
    .string()
    .regex(/^\d{4,6}$/)
    .optional(),
  verification: cardholderVerificationSchema.optional(),
  funding: z.enum(['credit', 'debit', 'prepaid']).optional(),
  /** The issuer's country as an ISO 3166 number. */
  country: z
    .string()
    .regex(/^\d{3}$/)
    .optional(),
  contactless: z
    .strictObject({ limit: z.number().positive(), aboveLimit: z.enum(['insert', 'pin', 'allow']) })
    .optional(),
  /**
   * Whether a stripe is accepted although its number has a wrong check digit (B206). Some UnionPay cards have such
   * numbers.
   */
  checkDigit: z.enum(['any', 'right']).optional(),
  /** The issuer's answer. If absent, the issuer approves. */
  host: hostRefusalSchema.optional(),
});

/**
 * A rule: the cards to which it applies, and the behaviour of these cards. At least one of brand, IIN and fingerprint
 * selects the cards.
 */
const readerRule = behaviour
  .extend({
    brand: paymentBrandSchema.optional(),
    /**
     * The first digits of the card number: at most six (`4761`), or a range whose two ends have the same number of
     * digits (`222100-272099`).
     */
    iin: z
      .string()
      .regex(/^\d{1,6}(-\d{1,6})?$/)
      .refine(
        (text) => ends(text)[0].length === ends(text)[1].length,
        'both ends of a range must have the same number of digits',
      )
      .refine(
        (text) => ends(text)[0] <= ends(text)[1],
        'the first end of a range must not be above the second',
      )
      .optional(),
    /** Selects one card by its fingerprint, which the journal and the screen show. */
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
export type ReaderCardBehaviour = z.infer<typeof behaviour>;

/** The rules for cards from readers (configuration `readers.rules`). */
export const readerRulesSchema = z.array(readerRule).max(500).meta({
  id: 'ReaderRules',
  description:
    'Rules that say how cards in a real reader behave. A rule is for a brand, an IIN or a single card',
});
export type ReaderRules = z.infer<typeof readerRulesSchema>;

/** The masked facts about a card. Rules are compared with these facts. */
interface MatchedCard {
  readonly brand: string | undefined;
  /** The masked number. At least its first six digits are not masked. */
  readonly maskedPan: string;
  readonly fingerprint: string;
}

/**
 * Gives the behaviour of a card. A rule for its IIN overrides a rule for its brand, and a longer IIN overrides a
 * shorter one. A rule for the fingerprint of the card overrides all of these. If two rules are equally specific, the
 * later one in the list wins.
 */
export function findBehaviourByRules(card: MatchedCard, rules: ReaderRules): ReaderCardBehaviour {
  const matching = rules.filter((rule) => matches(rule, card));
  const ordered = matching.toSorted((a, b) => precision(a) - precision(b));
  const merged: ReaderCardBehaviour = {};
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
