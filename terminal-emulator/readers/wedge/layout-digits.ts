/** A card number has at least as many digits, */
const leastDigits = 12;
/** … and at most as many (ISO/IEC 7812). */
export const mostDigits = 19;

/**
 * What the keys of the digits type without Shift, 1 to 9 and 0, where that is no digit: a reader presses the keys of a
 * US keyboard, whatever layout the system has. The layouts are those of XKB, in small letters.
 */
const rowsOfDigits = {
  french: '&é"\'(-è_çà',
  belgian: '&é"\'(§è!çà', // and French on a Mac
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

/** Whether text ends with as many digits in a row as a card number has, in some layout. A line of dashes is none. */
export function endsWithNumber(characters: readonly string[]): boolean {
  const last = characters.slice(-leastDigits);
  const text = last.join('');
  return digits.test(text) || (digitsOfLayout.test(text) && last.some((character) => character !== last[0]));
}
