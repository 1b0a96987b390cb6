import { maskCardNumbers } from '../masking/card-numbers.ts';

/** Shortens the reason for closing a connection to the length that may be sent. WebSocket allows 123 bytes. */
export function closeReason(reason: string): string {
  return Buffer.from(maskCardNumbers(reason)).subarray(0, 120).toString();
}
