const beyondAscii = /[\u0080-\uffff]/g;

/**
 * A value as JSON text in ASCII, the rest escaped: one € in a text would make all of it take two bytes a character, in
 * memory and on its way, and cost four times as much to write.
 */
export function asciiJson(value: object): string {
  const text = JSON.stringify(value);
  const ascii = text.replace(beyondAscii, escaped);
  // What is made of a text of two bytes a character has them too, and so has all that it becomes part of.
  return ascii === text ? text : Buffer.from(ascii, 'latin1').toString('latin1');
}

/** A character of 16 bits as JSON escapes it. */
export function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
