import { hash } from 'node:crypto';
import { canonicalJson } from '../../../shared/canonical-json.ts';

/**
 * Hashes the parts of a request that must be the same if its Idempotency-Key is used again. These are the terminal and
 * the body as a JSON value. The order of the body's fields does not matter (B56).
 */
export function requestHash(terminalId: string, body: unknown): string {
  return hash('sha256', `${terminalId.toLowerCase()}\n${canonicalJson(body)}`, 'base64url');
}
