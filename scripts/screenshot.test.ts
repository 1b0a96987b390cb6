import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { screenshot, screenshotPath } from './screenshot.ts';

test('docs/screen.svg shows the screen as it is; node scripts/screenshot.ts draws it anew', async () => {
  expect(readFileSync(screenshotPath, 'utf8') === (await screenshot())).toBe(true);
});
