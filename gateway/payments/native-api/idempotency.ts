import { hash } from 'node:crypto';
import { stringifyCanonicalJson } from '../../../shared/canonical-json.ts';

/**
 * Hashes two parts of a request: the terminal, and the body as a JSON value. Requests with the same Idempotency-Key
 * must agree in both parts. The order of the body's fields does not matter (B56).
 */
export function hashRequest(terminalId: string, body: unknown): string {
  return hash('sha256', `${terminalId.toLowerCase()}\n${stringifyCanonicalJson(body)}`, 'base64url');
}
