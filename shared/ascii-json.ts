const beyondAscii = /[\u0080-\uffff]/g;

/**
 * Writes a value as JSON text in ASCII, and escapes all other characters. Without the escapes, a single € would double
 * the size of the whole text, in memory and in transit, because each character would take two bytes. Writing the text
 * would also cost four times as much.
 */
export function stringifyAsciiJson(value: object): string {
  const text = JSON.stringify(value);
  const ascii = text.replace(beyondAscii, escapeCodeUnit);
  // If `text` takes two bytes per character, `ascii` also takes two, although it has only ASCII characters. Then every
  // text that contains `ascii` would take two bytes per character. So the result is a copy of `ascii` that takes one
  // byte per character.
  return ascii === text ? text : Buffer.from(ascii, 'latin1').toString('latin1');
}

/** Escapes a 16-bit character as JSON does. */
export function escapeCodeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
