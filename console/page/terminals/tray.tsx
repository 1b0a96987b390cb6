import type { RefObject } from 'preact';
import { searchTextOf } from '../../../shared/emulator/card-search.ts';
import type { CardSummary } from '../../../shared/emulator/cards.ts';
import { preventFocusMove } from './display.tsx';
import { preventFling, startCardDrag } from './drag.ts';

interface TrayProps {
  readonly cards: readonly CardSummary[];
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly selected: CardSummary | undefined;
  readonly onSelect: (id: string) => void;
  /** Chooses the next card or the previous card. */
  readonly onStep: (by: 1 | -1) => void;
  readonly onDrop: (card: CardSummary, how: 'insert' | 'tap' | 'swipe', poiId: string) => void;
}

/** The test cards, which can be searched, chosen, and dragged onto a terminal. */
export function CardTray({
  cards,
  search,
  onSearch,
  searchRef,
  selected,
  onSelect,
  onStep,
  onDrop,
}: TrayProps) {
  const searching = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] as 1 | -1 | undefined;
    if (event.key === 'Escape') onSearch('');
    // When the search field has lost the focus, typed keys go to the terminal again.
    if (event.key === 'Enter' || event.key === 'Escape') searchRef.current?.blur();
    else if (step) onStep(step);
    else return;
    event.preventDefault();
  };
  return (
    <section class="tray" aria-label="Card tray">
      <label class="find">
        <span>Cards</span>
        <input
          type="search"
          ref={searchRef}
          value={search}
          placeholder="brand, PIN, declines …"
          onInput={({ currentTarget }) => onSearch(currentTarget.value)}
          onKeyDown={searching}
        />
      </label>
      {cards.length === 0 && <p class="none">No card fits.</p>}
      <ul>
        {cards.map((card) => (
          <li key={card.id}>
            <button
              type="button"
              class={`card ${card.brand} ${card === selected ? 'selected' : ''}`}
              aria-pressed={card === selected}
              onClick={() => onSelect(card.id)}
              onMouseDown={preventFocusMove}
              onPointerDown={(event) =>
                startCardDrag(event, (how, poiId) => {
                  onSelect(card.id);
                  onDrop(card, how, poiId);
                })
              }
            >
              <CardArt card={card} />
              <span class="words">
                <strong>{card.label}</strong>
                <span class="number">{card.maskedPan}</span>
                <span class="behaviour">
                  {card.pin && `PIN ${card.pin} · `}
                  {card.blocked ? 'blocked by wrong PINs' : lastOf(card.behaviour)}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The picture of a card, with the chip and the waves for tapping if the card has a chip or can be tapped. */
export function CardArt({ card }: { card: CardSummary }) {
  return (
    <span class={`art ${card.brand}`} aria-hidden="true" onTouchMove={preventFling}>
      {card.entries.includes('ICC') && <span class="chip" />}
      {card.entries.includes('Contactless') && <ContactlessSymbol />}
      <span class="brand">{card.brand.replace('_card', '')}</span>
    </span>
  );
}

export function ContactlessSymbol() {
  return (
    <svg class="waves" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M3 5.5q2 2.500 0 5M6.500 4q3 4 0 8M10 2.500q4.200 5.500 0 11" />
    </svg>
  );
}

/** Returns the last part of the text about a card's behaviour. This part is the issuer's answer, which matters most. */
function lastOf(behaviour: string): string {
  return behaviour.split('; ').at(-1) ?? '';
}

/** Returns the cards that match the typed words. Cards that begin with the words come first. */
export function findCards(cards: readonly CardSummary[], search: string): readonly CardSummary[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return cards;
  const found = cards.filter((card) => words.every((word) => searchTextOf(card).includes(word)));
  const begins = (card: CardSummary) =>
    words.every((word) =>
      [card.label, card.id, card.brand]
        .join(' ')
        .toLowerCase()
        .split(/[\s-]+/)
        .some((each) => each.startsWith(word)),
    );
  const first = found.filter(begins);
  return [...first, ...found.filter((card) => !first.includes(card))];
}
