import type { TestCardDefinition } from '../../../shared/emulator/cards.ts';
import { computeTrackLrc } from '../msr/lrc.ts';
import type { ByteTransport } from '../reader-driver.ts';

/** How a reader sends tracks: in MagTek's default form (`plain`) or full form, or in the form of ID TECH or UIC. */
export const msrFramings = ['plain', 'magtek', 'idtech', 'uic'] as const;
export type MsrFraming = (typeof msrFramings)[number];

/** The tracks of a card with their sentinels. An unreadable track has `E` between its sentinels. */
interface Tracks {
  readonly track1?: string;
  readonly track2?: string;
  readonly track3?: string;
}

export interface MsrEmulator {
  /** Sends what a real reader sends when a card is swiped. */
  swipe(tracks: Tracks): Promise<void>;
}

/** Emulates a magnetic stripe reader on one line. */
export function createMsrEmulator(
  transport: ByteTransport,
  options: { framing?: MsrFraming; lrc?: boolean } = {},
): MsrEmulator {
  const { framing = 'plain', lrc = false } = options;
  return { swipe: (tracks) => transport.write(encodeSwipe(tracks, framing, lrc)) };
}

export function encodeSwipe(tracks: Tracks, framing: MsrFraming, lrc: boolean): Uint8Array {
  const parts = [
    tracks.track1 && tracks.track1 + (lrc ? computeTrackLrc(tracks.track1, 0x20) : ''),
    tracks.track2 && tracks.track2 + (lrc ? computeTrackLrc(tracks.track2, 0x30) : ''),
    tracks.track3 && tracks.track3 + (lrc ? computeTrackLrc(`;${tracks.track3.slice(1)}`, 0x30) : ''),
  ].filter((part) => part !== undefined);
  return new TextEncoder().encode(wrap(parts, framing));
}

function wrap(parts: readonly string[], framing: MsrFraming): string {
  switch (framing) {
    case 'plain':
      return `${parts.join('')}\r`;
    case 'magtek':
      return `\x02\x1b${parts.join('')}\r\x03`;
    case 'idtech':
      return parts.map((part) => `${part}\r`).join('');
    case 'uic':
      return parts.map((part, at) => `\x02${part}${at === parts.length - 1 ? '\x03' : '\x10'}`).join('');
  }
}

/**
 * Makes the magnetic stripe for a card of the tray. If the card's stripe is unreadable, each of its tracks is
 * unreadable.
 */
export function makeCardTracks(card: TestCardDefinition): Tracks {
  if (card.stripe?.readable === false) return { track1: '%E?', track2: ';E?' };
  const yearMonth = card.expiry.slice(2) + card.expiry.slice(0, 2);
  const pin = card.stripe?.verification === 'onlinePin' || card.stripe?.verification === 'offlinePin';
  const serviceCode = `${card.chip ? '2' : '1'}0${pin ? '0' : '1'}`;
  return {
    track1: `%B${card.number}^TEST/CARD^${yearMonth}${serviceCode}1184500000000000?`,
    // Track 2 has at most 40 characters, so a long number leaves less room for the data after it.
    track2: `${`;${card.number}=${yearMonth}${serviceCode}11845888890000`.slice(0, 39)}?`,
  };
}
