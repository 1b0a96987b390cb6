import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../http/guards.ts';

const name = 'pinpad_visit';

/** Gives the secret in the browser's cookie; undefined if there is none. */
export function readVisitSecret(cookies: string | undefined): string | undefined {
  return new RegExp(`(?:^|;\\s*)${name}=([\\w-]{43})(?:;|$)`).exec(cookies ?? '')?.[1];
}

/**
 * Makes the cookie of a visit. The browser sends the cookie only to this link, and never in requests from other sites.
 * No script can read the cookie. If customers use https, the cookie is sent over https only.
 */
export function makeVisitCookie(visitSecret: string, linkSecret: string, https: boolean): string {
  const secure = https ? '; Secure' : '';
  return `${name}=${visitSecret}; Path=/pay/${linkSecret}; HttpOnly; SameSite=Strict; Max-Age=86400${secure}`;
}

/**
 * Makes the token that each form of the page sends back. A sender knows the token only if it can read the page and has
 * the page's cookie.
 */
export function makeCsrfToken(visitSecret: string, linkSecret: string): string {
  return createHmac('sha256', visitSecret).update(`form of ${linkSecret}`).digest('base64url');
}

export function isValidCsrfToken(
  given: string,
  visitSecret: string | undefined,
  linkSecret: string,
): boolean {
  return visitSecret !== undefined && isSameSecret(given, makeCsrfToken(visitSecret, linkSecret));
}
