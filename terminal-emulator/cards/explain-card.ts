import type { CardholderVerification, TestCardDefinition } from '../../shared/emulator/cards.ts';
import { describeRefusalReason } from '../../shared/refusal-words.ts';

/** Explains in one sentence what a card does, for the tray and the control API. The issuer's answer comes last. */
export function explainCard(card: TestCardDefinition): string {
  return [
    card.chip && explainChip(card.chip, card.pin),
    card.contactless && explainContactless(card.contactless),
    card.stripe && explainStripe(card.stripe, card.pin),
    !card.chip && !card.contactless && !card.stripe && 'typed in only',
    explainHost(card),
  ]
    .filter(Boolean)
    .join('; ');
}

function explainChip(chip: NonNullable<TestCardDefinition['chip']>, pin: string | undefined): string {
  if (chip.readable === 'no') return 'chip never readable';
  const verified = explainVerification(chip.verification, pin);
  return chip.readable === 'secondTry'
    ? `chip can be read at the second try, ${verified}`
    : `chip: ${verified}`;
}

function explainContactless({ limit, aboveLimit }: NonNullable<TestCardDefinition['contactless']>): string {
  if (aboveLimit === 'allow') return 'tap: without limit';
  return `tap: up to ${limit}, above ${aboveLimit === 'pin' ? 'asks for the PIN' : 'asks for the chip'}`;
}

function explainStripe(stripe: NonNullable<TestCardDefinition['stripe']>, pin: string | undefined): string {
  return stripe.readable
    ? `stripe: ${explainVerification(stripe.verification, pin)}`
    : 'stripe never readable';
}

function explainVerification(verification: CardholderVerification, pin = ''): string {
  switch (verification) {
    case 'offlinePin':
      return `PIN ${pin} offline`;
    case 'onlinePin':
      return `PIN ${pin} online`;
    case 'signature':
      return 'signature';
    case 'none':
      return 'no PIN';
  }
}

function explainHost({ host }: TestCardDefinition): string {
  if (!host) return 'approves';
  const kind = host.errorCondition === 'Refusal' ? 'declines' : `fails with ${host.errorCondition}`;
  return `${kind}: ${describeRefusalReason(host.refusalReason, host.message)}`;
}
