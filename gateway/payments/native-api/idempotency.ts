import { hash } from 'node:crypto';
import { canonicalJson } from '../../../shared/canonical-json.ts';

/**
 * Hashes what two requests with the same Idempotency-Key must share: the terminal, and the body as a JSON value,
 * whatever the order of its fields (B56).
 */
export function requestHash(terminalId: string, body: unknown): string {
  return hash('sha256', `${terminalId.toLowerCase()}\n${canonicalJson(body)}`, 'base64url');
}
