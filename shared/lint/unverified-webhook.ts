import type { LintRule } from './rule.ts';

/**
 * Finds receivers of webhooks that accept a message with a wrong signature, although messages are signed (B106). Only a
 * probe can show this mistake.
 */
export const unverifiedWebhookRule: LintRule = {
  id: 'unverified-webhook',
  severity: 'error',
  why: 'anyone who knows the address can make the point of sale believe that a payment was made',
  fix: 'first verify webhook-signature over the raw body, according to Standard Webhooks; if the signature is wrong, answer 401',
  check: ({ probes }) =>
    probes
      .filter(({ data: { status = 0 } }) => status >= 200 && status <= 299)
      .map((entry) => ({
        cause: entry.data.webhook,
        what: `the receiver of webhook ${entry.data.webhook} answered ${entry.data.status} to a message with a wrong signature`,
        entries: [entry],
      })),
};
