import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { generatedFiles, readCurrentText } from './generate.ts';

for (const { path, text } of generatedFiles)
  test(`${basename(path)} is what npm run generate writes`, async () => {
    const now = readCurrentText(path);
    // The texts are compared with `===` and not with `toBe`, which would print a difference of thousands of lines.
    expect(now === (await text(now)), `${path} is out of date: npm run generate`).toBe(true);
  });

test('a file that is listed for the first time can be generated, although it does not exist yet', () => {
  expect(readCurrentText(join(import.meta.dirname, 'no-such-file.md'))).toBe('');
});
