/** The terminal's identity, which is printed on receipts and sent in requests to the host. */
export interface TerminalIdentity {
  readonly poiId: string;
  /** The terminal's number at the acquirer: the last eight digits of its serial number. */
  readonly tid: string;
}

export function makeTerminalIdentity(poiId: string): TerminalIdentity {
  const digits = (poiId.split('-').at(-1) ?? '').replaceAll(/\D/g, '');
  return { poiId, tid: digits.slice(-8).padStart(8, '0') };
}

/**
 * Gives the terminal's own reference for a payment: four characters that stand for the device, the second in which the
 * payment began, and a counter.
 */
export function makeTenderReference({ poiId, tid }: TerminalIdentity, at: number, count: number): string {
  const device = poiId.slice(0, 2).padEnd(2, 'X') + tid.slice(-2);
  const second = String(Math.floor(at / 1000)).padStart(12, '0');
  return device + second + String(count % 1000).padStart(3, '0');
}
