import { expect, test } from 'vitest';
import { accountConfigOf } from '../../scenarios/environment/config-of-needs.ts';
import type { AccountConfig } from '../../stack/account-config.ts';
import { demoAccounts } from '../../stack/demo-accounts.ts';
import { slugify } from '../../stack/slug.ts';

/**
 * The gateway knows the hashes of two answers (gateway/credits/security-questions.ts). If another answer is used,
 * each start takes longer.
 */

test.each([
  ['demo-shop', 'coffee', demoAccounts[0]],
  ['corner-shop', 'At the market', accountConfigOf({})],
])('the gateway knows the hash of the answer at %s', (id, answer, account) => {
  const { name, securityQuestion } = account as AccountConfig;
  expect([slugify(name), securityQuestion?.answer]).toEqual([id, answer]);
});
