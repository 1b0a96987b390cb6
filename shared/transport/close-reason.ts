import { maskCardNumbers } from '../masking/card-numbers.ts';

/** Shortens a reason to the length that may be sent: WebSocket allows 123 bytes for it. */
export function closeReason(reason: string): string {
  return Buffer.from(maskCardNumbers(reason)).subarray(0, 120).toString();
}
