import { hash } from 'node:crypto';
import type { Random } from '../../shared/random.ts';

/**
 * Hashes a secret. The gateway stores only the hash. A secret has 256 random bits, so an attacker cannot find the
 * secret from a simple hash. The database is searched by this hash, so the duration of a search tells an attacker
 * nothing about the secret.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Makes a new secret: `prefix` and 32 random bytes (B112). */
export function makeSecret(random: Random, prefix: string): string {
  return prefix + Buffer.from(random.bytes(32)).toString('base64url');
}

/**
 * Returns the secret that the header `Authorization: Bearer …` contains. Returns undefined if the header has another
 * form.
 */
export function parseBearerSecret(header: string | undefined): string | undefined {
  return header?.match(/^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i)?.[1];
}
