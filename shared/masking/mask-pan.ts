/**
 * Gives a card number in the form that may be shown, stored and sent: its first six and last four digits, as nexo
 * writes it (`541333 **** 9999`). If the number has at most ten digits, gives only the last four digits, because
 * otherwise no digit would be hidden.
 */
export function maskPan(number: string): string {
  const last = number.slice(-4);
  return number.length > 10 ? `${number.slice(0, 6)} **** ${last}` : `**** ${last}`;
}
