import { expect, test } from 'vitest';
import { SecretRedactor } from './hidden-secrets.ts';

test('a secret that begins like a longer one leaves nothing of the longer one', () => {
  const hidden = new SecretRedactor();
  hidden.add('pass phrase', 'pass phrase of the shop', 'short');
  expect(hidden.hide('pass phrase of the shop, pass phrase, short')).toBe('[a token], [a token], short');
});
