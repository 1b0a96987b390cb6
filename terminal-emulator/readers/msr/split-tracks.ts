import { computeTrackLrc } from './lrc.ts';

/**
 * One track of a swipe. `text` is the text between the sentinels; it is undefined if the reader could not read the
 * track.
 */
interface RawTrack {
  readonly number: 1 | 2 | 3;
  readonly text: string | undefined;
}

/** The maximum number of characters in each track by ISO/IEC 7813, sentinels included. */
const longest = { 1: 79, 2: 40, 3: 107 } as const;

/** The characters that readers put around tracks: STX, ETX, CR, LF, DLE, ESC. */
const framing = new Set(['\x02', '\x03', '\r', '\n', '\x10', '\x1b']);
/** The characters with which a track can begin when a reader sends it. */
export const startSentinels = new Set(['%', ';', '+', '!']);

/**
 * Finds the tracks in the text that a reader sent for one swipe, in each ASCII form of MagTek, ID TECH and UIC. If a
 * check character follows a track and is wrong, the track counts as unreadable. A track whose text is `E` counts as
 * unreadable, too, because readers send `E` for a track that they could not read. Gives undefined if the text contains
 * anything but tracks.
 */
export function splitTracks(text: string): RawTrack[] | undefined {
  const tracks: RawTrack[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (framing.has(character)) {
      at++;
      continue;
    }
    const end = text.indexOf('?', at);
    const number = trackNumber(character, tracks);
    if (!number || end < 0 || end - at >= longest[number]) return undefined;
    const track = text.slice(at, end + 1);
    const check = checkCharacter(text, end + 1);
    tracks.push({ number, text: isGood(track, number, check) ? track.slice(1, -1) : undefined });
    at = end + 1 + check.length;
  }
  return tracks.length > 0 ? tracks : undefined;
}

/**
 * Gives the number of the track that begins with this sentinel. Track 3 begins with + or !, or with the sentinel of
 * track 1 or 2 if that track has already come.
 */
function trackNumber(sentinel: string, before: readonly RawTrack[]): 1 | 2 | 3 | undefined {
  const had = (number: number) => before.some((track) => track.number === number);
  if (!startSentinels.has(sentinel) || had(3)) return undefined;
  if (sentinel === '%' && before.length === 0) return 1;
  if (sentinel === ';' && !had(2)) return 2;
  return 3;
}

/**
 * Gives the check character after a track, or an empty text if there is none. If the character could also start the
 * next track, it counts as the check character only if a start sentinel, a framing character or the end of the text
 * follows it.
 */
function checkCharacter(text: string, at: number): string {
  const character = text[at];
  if (character === undefined || framing.has(character)) return '';
  if (!startSentinels.has(character)) return character;
  const next = text[at + 1];
  return next === undefined || framing.has(next) || startSentinels.has(next) ? character : '';
}

function isGood(track: string, number: 1 | 2 | 3, check: string): boolean {
  if (track.slice(1, -1) === 'E' || track.length <= 2) return false;
  if (check === '') return true;
  // On the card, track 3 begins with `;`, even if the reader sends another sentinel. If a track 3 follows AAMVA's
  // standard, it is coded like track 1.
  if (number === 3)
    return [computeTrackLrc(`;${track.slice(1)}`, 0x30), computeTrackLrc(track, 0x20)].includes(check);
  return check === computeTrackLrc(track, number === 1 ? 0x20 : 0x30);
}
