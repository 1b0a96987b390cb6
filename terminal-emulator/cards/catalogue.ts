import type { CardSummary, TestCardDefinition } from '../../shared/emulator/cards.ts';
import type { TerminalKey } from '../../shared/emulator/screen.ts';
import { maskPan } from '../../shared/masking/mask-pan.ts';
import type { EntryMode } from '../../shared/nexo/enums.ts';
import { explainCard } from './explain-card.ts';

/** The test cards in one emulator's tray. The catalogue also knows which cards are blocked (B39). */
export class CardCatalogue {
  readonly #cards = new Map<string, TestCardDefinition>();
  readonly #blocked = new Set<string>();

  /** If two cards have the same id, the later one replaces the earlier one, so users can redefine pinpad's cards. */
  constructor(cards: readonly TestCardDefinition[]) {
    for (const card of cards) this.add(card);
  }

  get(id: string): TestCardDefinition | undefined {
    return this.#cards.get(id);
  }

  all(): TestCardDefinition[] {
    return [...this.#cards.values()];
  }

  add(card: TestCardDefinition): void {
    this.#cards.set(card.id, card);
  }

  /** Every card with its number masked, for display outside the tray. */
  summaries(): CardSummary[] {
    return this.all().map((card) => summarize(card, this.isBlocked(card.id)));
  }

  block(id: string): void {
    this.#blocked.add(id);
  }

  /** Unblocks a card. It has no effect on a card that is not blocked. */
  reset(id: string): void {
    this.#blocked.delete(id);
  }

  isBlocked(id: string): boolean {
    return this.#blocked.has(id);
  }

  /**
   * Finds the test card with this number. If several cards have this number, a card that can be typed in is
   * preferred.
   */
  byNumber(number: string): TestCardDefinition | undefined {
    const cards = this.all().filter((card) => card.number === number);
    return cards.find((card) => card.keyed) ?? cards[0];
  }
}

function summarize(card: TestCardDefinition, blocked: boolean): CardSummary {
  return {
    id: card.id,
    label: card.label,
    brand: card.applications[0]!.brand,
    maskedPan: maskPan(card.number),
    expiry: card.expiry,
    pin: card.pin,
    applications: card.applications.map(({ label }) => label),
    entries: entryModesOfCard(card),
    behaviour: explainCard(card),
    note: card.note,
    blocked,
  };
}

/** The ways in which this card can be presented to a terminal. */
export function entryModesOfCard(card: TestCardDefinition): EntryMode[] {
  const modes: [EntryMode, unknown][] = [
    ['ICC', card.chip],
    ['Contactless', card.contactless],
    ['MagStripe', card.stripe],
    ['Keyed', card.keyed],
  ];
  return modes.filter(([, can]) => can).map(([mode]) => mode);
}

/** The keys that type in a card's number. */
export function keysToTypeCard(card: TestCardDefinition): TerminalKey[] {
  return [
    ...(card.number as Iterable<TerminalKey>),
    'enter',
    ...(card.expiry as Iterable<TerminalKey>),
    'enter',
  ];
}
