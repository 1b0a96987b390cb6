import { abortOfNothingRule } from './abort-of-nothing.ts';
import { blindPaymentRetryRule } from './blind-payment-retry.ts';
import { blindRefundRetryRule } from './blind-refund-retry.ts';
import { cardNumberSentRule } from './card-number.ts';
import { missingKeyRule, reusedKeyRule, unhonouredKeyRule } from './idempotency-keys.ts';
import { ignored303Rule, stoppedAskingRule, unknownOutcomeRule } from './outcome-known.ts';
import { refusedRequestRule } from './refused-request.ts';
import type { LintRule } from './rule.ts';
import { fastPollingRule, shortTimeoutRule } from './timing.ts';
import { unknownFieldRule } from './unknown-field.ts';
import { unverifiedWebhookRule } from './unverified-webhook.ts';

/** All rules: the errors come before the warnings, and in each of these two groups the gravest rule comes first. */
export const lintRules: readonly LintRule[] = [
  blindPaymentRetryRule,
  unknownOutcomeRule,
  ignored303Rule,
  stoppedAskingRule,
  abortOfNothingRule,
  blindRefundRetryRule,
  unverifiedWebhookRule,
  reusedKeyRule,
  refusedRequestRule,
  missingKeyRule,
  shortTimeoutRule,
  unhonouredKeyRule,
  cardNumberSentRule,
  fastPollingRule,
  unknownFieldRule,
];
