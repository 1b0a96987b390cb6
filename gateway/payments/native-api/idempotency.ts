import { hash } from 'node:crypto';
import { canonicalJson } from '../../../shared/canonical-json.ts';

/**
 * Hashes those parts of a request that must be the same if another request has the same Idempotency-Key. These parts
 * are the terminal and the body as a JSON value. The order of the body's fields does not matter (B56).
 */
export function hashRequest(terminalId: string, body: unknown): string {
  return hash('sha256', `${terminalId.toLowerCase()}\n${canonicalJson(body)}`, 'base64url');
}
