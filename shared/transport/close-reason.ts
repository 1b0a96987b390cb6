import { maskCardNumbers } from '../masking/card-numbers.ts';

/** A reason as it may be shown: WebSocket allows 123 bytes of it, whatever they spell. */
export function closeReason(reason: string): string {
  return Buffer.from(maskCardNumbers(reason)).subarray(0, 120).toString();
}
