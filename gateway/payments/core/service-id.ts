import { hash } from 'node:crypto';

const digits = 36n;
const length = 10;
const limit = digits ** BigInt(length);

/**
 * Makes the nexo ServiceID of a payment. It has ten letters and digits, and is unique for its terminal for at least 48
 * hours. It is made from the payment's identifier and not from random numbers. So it is new even if the random numbers
 * start again from the same seed.
 */
export function serviceIdOf(paymentId: string): string {
  const first64Bits = hash('sha256', paymentId, 'hex').slice(0, 16);
  const number = BigInt(`0x${first64Bits}`) % limit;
  return number.toString(36).toUpperCase().padStart(length, '0');
}
