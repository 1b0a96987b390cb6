import { createHash } from 'node:crypto';

const longest = 110;

/**
 * Returns the name of the file with the trace of a test. The file's name has the letters a to z and the digits of the
 * test's name. If these characters are too many for a file's name, or if the test's name has letters of other
 * alphabets, the file's name ends in a hash of the test's name. So two tests have one file only if their names differ
 * in nothing but case, accents and punctuation.
 */
export function traceFileName(test: string): string {
  const plain = test.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
  const hasAll = words !== '' && words.length <= longest && /^[\p{ASCII}\p{P}]*$/u.test(plain);
  if (hasAll) return `${words}.html`;
  const hash = createHash('sha256').update(test).digest('hex').slice(0, 8);
  return `${[words.slice(0, longest).replace(/-$/, ''), hash].filter(Boolean).join('-')}.html`;
}
