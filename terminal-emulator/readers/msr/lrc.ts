/**
 * The longitudinal redundancy check (LRC) of a track: the exclusive or of all characters from start sentinel to end
 * sentinel, in the track's own code. On track 1 the code has six bits and begins at hexadecimal 20. On tracks 2 and 3
 * it has four bits and begins at 30.
 */
export function trackLrc(text: string, firstCharacter: 0x20 | 0x30): string {
  let check = 0;
  for (const character of text) check ^= character.charCodeAt(0) - firstCharacter;
  return String.fromCharCode((check & (firstCharacter === 0x20 ? 0x3f : 0x0f)) + firstCharacter);
}
