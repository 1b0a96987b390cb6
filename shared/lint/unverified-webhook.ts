import type { LintRule } from './rule.ts';

/**
 * Finds receivers that accept a message with a wrong signature; messages are signed (B106). Only a probe can show this.
 */
export const unverifiedWebhook: LintRule = {
  id: 'unverified-webhook',
  severity: 'error',
  why: 'anyone who knows the address can make the point of sale believe that a payment was made',
  fix: 'verify webhook-signature according to Standard Webhooks, over the raw body, first; answer 401 if it does not verify',
  check: ({ probes }) =>
    probes
      .filter(({ data: { status = 0 } }) => status >= 200 && status <= 299)
      .map((entry) => ({
        cause: entry.data.webhook,
        what: `the receiver of webhook ${entry.data.webhook} answered ${entry.data.status} to a message with a wrong signature`,
        entries: [entry],
      })),
};
