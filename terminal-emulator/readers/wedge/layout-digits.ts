/** The minimum number of digits in a card number. */
const leastDigits = 12;
/** The maximum number of digits in a card number (ISO/IEC 7812). */
export const maxCardNumberDigits = 19;

/**
 * The characters that the keys 1 to 9 and 0 type without Shift, for layouts that have no digits there. A reader presses
 * the keys of a US keyboard, whatever layout the system has. The names of the layouts are those of XKB, in small
 * letters.
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
 * Whether the text ends with a card number that was typed with one of the keyboard layouts. A run of one repeated
 * character, such as dashes, is taken for a card number only if that character is a digit.
 */
export function endsWithCardNumber(characters: readonly string[]): boolean {
  const last = characters.slice(-leastDigits);
  const text = last.join('');
  return digits.test(text) || (digitsOfLayout.test(text) && last.some((character) => character !== last[0]));
}
