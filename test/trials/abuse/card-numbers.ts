import type { Random } from '../../../shared/random.ts';

/**
 * Matches every number with the shape of the numbers below: 16 digits in a row, or in groups of four with hyphens or
 * spaces.
 */
export const cardNumberPattern = /\d{4}(?:\d{12}|(?:-\d{4}){3}|(?: \d{4}){3})/;

/**
 * Invents the card numbers that attackers send everywhere. If one of these numbers is found later, pinpad has kept
 * it.
 */
export class CardNumbers {
  /** The numbers in fields that are not stored, spelled as they were sent. */
  readonly nowhere: string[] = [];
  /**
   * The numbers in fields that are stored exactly, because they are returned or compared (B126). The database may
   * contain them, but no log may.
   */
  readonly inNoLog: string[] = [];
  #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  make(kept: 'nowhere' | 'inNoLog' = 'nowhere'): string {
    const digits = `4${Array.from({ length: 14 }, () => this.#random.int(10)).join('')}`;
    const number = digits + checkDigit(digits);
    const separator = ['', '', '-', ' '][this.#random.int(4)] as string;
    const spelled = number.match(/\d{4}/g)?.join(separator) ?? number;
    this[kept].push(spelled);
    return spelled;
  }
}

/** Computes the check digit of Luhn's formula (ISO/IEC 7812-1). */
function checkDigit(digits: string): number {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}
