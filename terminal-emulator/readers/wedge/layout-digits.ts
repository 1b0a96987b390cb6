/** The minimum number of digits in a card number. */
const leastDigits = 12;
/** The maximum number of digits in a card number (ISO/IEC 7812). */
export const mostDigits = 19;

/**
 * What the keys 1 to 9 and 0 type without Shift in layouts in which they are no digits. A reader presses the keys of a
 * US keyboard, whatever layout the system has. The characters are those of XKB's layouts, in small letters.
 */
const rowsOfDigits = {
  french: '&é"\'(-è_çà',
  belgian: '&é"\'(§è!çà', // also the French layout of a Mac
  frenchAfnor: 'àéèê()‘’«»',
  bepo: '"«»()@+-/*',
  czech: '+ěščřžýáíé',
  slovak: '+ľščťžýáíé',
  hungarian: '123456789ö0',
  lithuanian: 'ąčęėįšųū„“90',
  thai: 'ๅ/-ภถุึคตจ',
};

const digits = new RegExp(`^\\p{Nd}{${leastDigits}}$`, 'u');
const digitsOfLayout = new RegExp(
  `^(?:${Object.values(rowsOfDigits)
    .map((row) => `[${row.replaceAll(/[-\\\]^]/g, '\\$&')}]{${leastDigits}}`)
    .join('|')})$`,
  'iu',
);

/**
 * Whether the text ends with as many digits as a card number has, as some layout types them. A row of equal characters,
 * such as dashes, counts only if they really are digits.
 */
export function endsWithNumber(characters: readonly string[]): boolean {
  const last = characters.slice(-leastDigits);
  const text = last.join('');
  return digits.test(text) || (digitsOfLayout.test(text) && last.some((character) => character !== last[0]));
}
