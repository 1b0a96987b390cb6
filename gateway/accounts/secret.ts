import { hash } from 'node:crypto';
import type { Random } from '../../shared/random.ts';

/**
 * Makes the hash of a secret, which alone is stored. The secrets have 256 random bits, so a plain hash cannot be reversed, and
 * finding one by its hash leaks nothing through time.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** A new secret: `prefix` and 32 random bytes (B112). */
export function makeSecret(random: Random, prefix: string): string {
  return prefix + Buffer.from(random.bytes(32)).toString('base64url');
}

/** The secret of an `Authorization: Bearer …` header, or undefined if it is no such header. */
export function bearerSecret(header: string | undefined): string | undefined {
  return header?.match(/^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i)?.[1];
}
