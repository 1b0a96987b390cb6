import type { Random } from '../../../shared/random.ts';

/** What a number of these fits, however it is spelled. */
export const spelling = /\d{4}(?:\d{12}|(?:-\d{4}){3}|(?: \d{4}){3})/;

/** Card numbers that attackers make up and send everywhere, so that any that is found later is one that was kept. */
export class CardNumbers {
  /** Spelled as they were sent, in fields that are not stored. */
  readonly nowhere: string[] = [];
  /** In what is stored exactly, to be given back or compared (B126): in the database, and in no log. */
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

/** Luhn's (ISO/IEC 7812-1). */
function checkDigit(digits: string): number {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}
