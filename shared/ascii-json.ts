const beyondAscii = /[\u0080-\uffff]/g;

/**
 * Writes a value as JSON text in ASCII, and escapes all other characters. A single € would make the whole text take two
 * bytes per character, in memory and when it is sent, and make writing it cost four times as much.
 */
export function asciiJson(value: object): string {
  const text = JSON.stringify(value);
  const ascii = text.replace(beyondAscii, escapeCodeUnit);
  // A text that is made from one with two bytes per character takes two bytes per character too. So would every text
  // that contains it. The copy takes one.
  return ascii === text ? text : Buffer.from(ascii, 'latin1').toString('latin1');
}

/** Escapes a 16-bit character as JSON does. */
export function escapeCodeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
