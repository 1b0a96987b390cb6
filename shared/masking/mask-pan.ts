/**
 * A card number as it may be shown, stored and sent: the first six and last four digits, in nexo's spelling
 * (`541333 **** 9999`). A number too short to keep anything hidden shows its last four only.
 */
export function maskPan(number: string): string {
  const last = number.slice(-4);
  return number.length > 10 ? `${number.slice(0, 6)} **** ${last}` : `**** ${last}`;
}
