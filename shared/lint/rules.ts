import { abortOfNothing } from './abort-of-nothing.ts';
import { blindPaymentRetry } from './blind-payment-retry.ts';
import { blindRefundRetry } from './blind-refund-retry.ts';
import { cardNumberSent } from './card-number.ts';
import { missingKey, reusedKey, unhonouredKey } from './idempotency-keys.ts';
import { ignored303, stoppedAsking, unknownOutcome } from './outcome-known.ts';
import { refusedRequest } from './refused-request.ts';
import type { LintRule } from './rule.ts';
import { fastPolling, shortTimeout } from './timing.ts';
import { unknownField } from './unknown-field.ts';
import { unverifiedWebhook } from './unverified-webhook.ts';

/** All rules: the errors come before the warnings, and in each of these two groups the gravest rule comes first. */
export const lintRules: readonly LintRule[] = [
  blindPaymentRetry,
  unknownOutcome,
  ignored303,
  stoppedAsking,
  abortOfNothing,
  blindRefundRetry,
  unverifiedWebhook,
  reusedKey,
  refusedRequest,
  missingKey,
  shortTimeout,
  unhonouredKey,
  cardNumberSent,
  fastPolling,
  unknownField,
];
