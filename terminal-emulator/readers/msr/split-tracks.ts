import { trackLrc } from './lrc.ts';

/** One track of a swipe: its text between the sentinels, or undefined if the reader could not read it. */
interface RawTrack {
  readonly number: 1 | 2 | 3;
  readonly text: string | undefined;
}

/** The most characters of each track by ISO/IEC 7813, sentinels included. */
const longest = { 1: 79, 2: 40, 3: 107 } as const;

/** The characters that readers put around tracks: STX, ETX, CR, LF, DLE, ESC. */
const framing = new Set(['\x02', '\x03', '\r', '\n', '\x10', '\x1b']);
/** The characters with which tracks begin, in the forms that readers send. */
export const startSentinels = new Set(['%', ';', '+', '!']);

/**
 * Finds the tracks in what a reader sent for one swipe, in any of the ASCII framings of MagTek, ID TECH and UIC. If a
 * check character follows a track, it is checked; a wrong one makes the track unreadable, and so does `E`, which
 * readers send for an unreadable track. Gives undefined if the text has anything but tracks.
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
 * The number of the track that begins with this sentinel. The third track begins with + or !, or with the sentinel of
 * track 1 or 2 if that track has been there.
 */
function trackNumber(sentinel: string, before: readonly RawTrack[]): 1 | 2 | 3 | undefined {
  const had = (number: number) => before.some((track) => track.number === number);
  if (!startSentinels.has(sentinel) || had(3)) return undefined;
  if (sentinel === '%' && before.length === 0) return 1;
  if (sentinel === ';' && !had(2)) return 2;
  return 3;
}

/**
 * The check character after a track, or an empty text. The character can also look like the start of a track. It is a
 * check character only if a track begins after it, or the text ends.
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
  // On the card, a third track begins with `;`, whatever the reader sends. That of AAMVA is coded as track 1.
  if (number === 3) return [trackLrc(`;${track.slice(1)}`, 0x30), trackLrc(track, 0x20)].includes(check);
  return check === trackLrc(track, number === 1 ? 0x20 : 0x30);
}
