import type { Journal } from '../../../shared/journal.ts';
import type { MaskedCard } from '../../cards/presented-card.ts';
import { parseSwipe } from '../msr/parse-swipe.ts';
import { splitTracks } from '../msr/split-tracks.ts';
import { makeCardFromRead, makeUnreadableCard } from '../reader-card.ts';
import { CardError, type CardRead, type ReaderEntryMode, type ReaderEvent } from '../reader-driver.ts';
import type { ReaderRules } from '../reader-rules.ts';
import { describeReaderEvent } from '../reconnecting-reader.ts';

/** The terminal on which a card is swiped. */
interface WedgeTerminal {
  readonly poiId: string;
  /** Presents a card to the terminal. If that is not possible, returns the reason. */
  present(how: 'swipe', card: MaskedCard): { readonly message: string } | undefined;
}

interface WedgeSwipe {
  readonly terminal: WedgeTerminal;
  readonly rules: ReaderRules;
  /**
   * The entry modes of the terminal's readers. If a chip card is swiped, the terminal asks for its chip only if one of
   * these readers takes chips.
   */
  readonly ways: readonly ReaderEntryMode[];
  readonly fingerprintKey: Uint8Array;
  readonly journal: Journal;
}

/** The name of the reader in the journal. */
const name = 'wedge';

/**
 * Swipes a card on the terminal, in the same way as for a serial reader. `typed` are the tracks that a keyboard-wedge
 * reader typed. The card is masked from here on. If the swipe fails, returns the reason for the person at the terminal.
 */
export function presentWedgeSwipe(typed: string, swipe: WedgeSwipe): string | undefined {
  // Tracks have no small letters. But if Caps Lock is on, capital letters arrive as small ones.
  const tracks = typed.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
  const read = readTracks(tracks, swipe.fingerprintKey);
  note(swipe, read instanceof CardError ? unreadable(read) : { type: 'card.read', read });
  if (!(read instanceof CardError)) {
    const card = makeCardFromRead(read, swipe.rules, ['MagStripe', ...swipe.ways]);
    const refusal = swipe.terminal.present('swipe', card ?? makeUnreadableCard('MagStripe'));
    return refusal && `Card ${read.maskedPan} swiped, but ${refusal.message}`;
  }
  // If the text had tracks, the terminal gets an unreadable card. For any other text, it gets nothing.
  if (splitTracks(tracks)) swipe.terminal.present('swipe', makeUnreadableCard('MagStripe'));
  return 'A swipe with no readable card track is ignored; with --wedge off, the typed characters count as keys';
}

function readTracks(tracks: string, fingerprintKey: Uint8Array): CardRead | CardError {
  try {
    return parseSwipe(new TextEncoder().encode(tracks), fingerprintKey);
  } catch (error) {
    if (error instanceof CardError) return error;
    throw error;
  }
}

function unreadable({ code }: CardError): ReaderEvent {
  return { type: 'card.error', entry: 'MagStripe', code };
}

function note({ journal, terminal }: WedgeSwipe, event: ReaderEvent): void {
  journal.add(
    'reader.event',
    { reader: name, event: describeReaderEvent(event) },
    { terminal: terminal.poiId },
  );
}
