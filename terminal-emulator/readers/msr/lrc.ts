/**
 * The longitudinal redundancy check (LRC) of a track: the exclusive or of all characters from start sentinel to end
 * sentinel, in the track's own code. The code of track 1 has six bits, and its first character is hexadecimal 20 in
 * ASCII. The code of tracks 2 and 3 has four bits, and its first character is hexadecimal 30 in ASCII.
 */
export function computeTrackLrc(text: string, firstCharacter: 0x20 | 0x30): string {
  let check = 0;
  for (const character of text) check ^= character.charCodeAt(0) - firstCharacter;
  return String.fromCharCode((check & (firstCharacter === 0x20 ? 0x3f : 0x0f)) + firstCharacter);
}
