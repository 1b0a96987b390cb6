/** The terminal's identity on receipts and for the host. */
export interface TerminalIdentity {
  readonly poiId: string;
  /** Eight digits, the last of its serial number. */
  readonly tid: string;
}

export function terminalIdentity(poiId: string): TerminalIdentity {
  const digits = (poiId.split('-').at(-1) ?? '').replaceAll(/\D/g, '');
  return { poiId, tid: digits.slice(-8).padStart(8, '0') };
}

/**
 * Gives the terminal's own name for a payment: four characters of the device, the second in which it began, and a counter.
 */
export function tenderReference({ poiId, tid }: TerminalIdentity, at: number, count: number): string {
  const device = poiId.slice(0, 2).padEnd(2, 'X') + tid.slice(-2);
  const second = String(Math.floor(at / 1000)).padStart(12, '0');
  return device + second + String(count % 1000).padStart(3, '0');
}
