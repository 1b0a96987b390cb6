import { expect } from 'vitest';
import { fileAt, loadedWith } from './code.ts';

/** Checks that the dialects are not loaded together with the gateway, as two sections of ARCHITECTURE.md say. */
export function checkDialectsLoadLate(): void {
  const loaded = [...loadedWith('gateway/index.ts')];
  expect(loaded.filter((path) => path.startsWith('gateway/dialects/'))).toEqual([
    'gateway/dialects/dialects.ts',
  ]);
  expect(fileAt('gateway/dialects/dialects.ts').text).toMatch(
    /memoize\(async \(\) => \(await import\('\.\/adyen/,
  );
}
