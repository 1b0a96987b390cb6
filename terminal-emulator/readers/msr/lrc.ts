/**
 * The longitudinal redundancy check of a track: the exclusive or of all characters from start to end sentinel, in the
 * track's own code. That has six bits from 20 on track 1, and four bits from 30 on tracks 2 and 3.
 */
export function trackLrc(text: string, firstCharacter: 0x20 | 0x30): string {
  let check = 0;
  for (const character of text) check ^= character.charCodeAt(0) - firstCharacter;
  return String.fromCharCode((check & (firstCharacter === 0x20 ? 0x3f : 0x0f)) + firstCharacter);
}
