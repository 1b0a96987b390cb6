import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { generatedFiles } from './generate.ts';

for (const { path, text } of generatedFiles)
  test(`${basename(path)} is what npm run generate writes`, async () => {
    const now = readFileSync(path, 'utf8');
    // The texts are compared with `===` and not with `toBe`, which would print a difference of thousands of lines.
    expect(now === (await text(now)), `${path} is out of date: npm run generate`).toBe(true);
  });
