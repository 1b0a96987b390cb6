import { createHash } from 'node:crypto';

const longest = 110;

/**
 * Returns the name of the file with the trace of a test. The name has the letters a to z and the digits of the test's
 * name. If the test's name has other letters too, or is very long, a hash of it follows, so that two tests have two files.
 */
export function traceFileName(test: string): string {
  const plain = test.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
  const isWhole =
    words.length > 0 && words.length <= longest && !/[^\p{ASCII}]/u.test(plain.replaceAll(/\p{P}/gu, ''));
  if (isWhole) return `${words}.html`;
  const hash = createHash('sha256').update(test).digest('hex').slice(0, 8);
  return `${[words.slice(0, longest).replace(/-$/, ''), hash].filter(Boolean).join('-')}.html`;
}
