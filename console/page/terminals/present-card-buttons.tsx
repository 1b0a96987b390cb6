import type { CardSummary } from '../../../shared/emulator/cards.ts';
import type { Screen } from '../../../shared/emulator/screen.ts';
import { preventFocusMove } from './display.tsx';

type Way = 'insert' | 'tap' | 'swipe' | 'key-in';

const ways: readonly {
  readonly way: Way;
  readonly entry: Screen['entries'][number];
  readonly title: string;
}[] = [
  { way: 'insert', entry: 'ICC', title: 'Insert' },
  { way: 'tap', entry: 'Contactless', title: 'Tap' },
  { way: 'swipe', entry: 'MagStripe', title: 'Swipe' },
  { way: 'key-in', entry: 'Keyed', title: 'Key in' },
];

interface WaysProps {
  readonly card: CardSummary;
  /** The ways of presenting a card that the terminal accepts now. */
  readonly entries: Screen['entries'];
  readonly act: (way: Way) => void;
  readonly onUnblock: () => void;
}

/** Buttons for the chosen card at a terminal, beside its reader, slot and stripe. */
export function PresentCardButtons({ card, entries, act, onUnblock }: WaysProps) {
  return (
    <fieldset class="ways">
      <legend>
        {card.label} <span class="none">…{card.maskedPan.slice(-4)}</span>
      </legend>
      {ways.map(({ way, entry, title }) => (
        <button
          key={way}
          type="button"
          class={entries.includes(entry) ? 'waits' : ''}
          onMouseDown={preventFocusMove}
          onClick={() => act(way)}
        >
          {title}
        </button>
      ))}
      {card.blocked && (
        <button type="button" onMouseDown={preventFocusMove} onClick={onUnblock}>
          Unblock
        </button>
      )}
    </fieldset>
  );
}
