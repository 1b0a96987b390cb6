import { expect } from 'vitest';
import { fileAt, loadedWith } from './code.ts';

/** The dialects are not loaded with the gateway. Two sections of ARCHITECTURE.md say so. */
export function dialectsAreLoadedLate(): void {
  const loaded = [...loadedWith('gateway/index.ts')];
  expect(loaded.filter((path) => path.startsWith('gateway/dialects/'))).toEqual([
    'gateway/dialects/dialects.ts',
  ]);
  expect(fileAt('gateway/dialects/dialects.ts').text).toMatch(
    /memoize\(async \(\) => \(await import\('\.\/adyen/,
  );
}
