const beyondAscii = /[\u0080-\uffff]/g;

/**
 * A value as JSON text in ASCII, the rest escaped: one € in a text would make all of it take two bytes a character, in
 * memory and on its way, and cost four times as much to write.
 */
export function asciiJson(value: object): string {
  return JSON.stringify(value).replace(beyondAscii, escaped);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
