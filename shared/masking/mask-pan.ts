/**
 * A card number in the form that may be shown, stored and sent: the first six and last four digits, in nexo's spelling
 * (`541333 **** 9999`). If that would hide nothing of a short number, only its last four digits are shown.
 */
export function maskPan(number: string): string {
  const last = number.slice(-4);
  return number.length > 10 ? `${number.slice(0, 6)} **** ${last}` : `**** ${last}`;
}
