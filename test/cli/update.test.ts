import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'update-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const scenario = (amount: number) =>
  `name: A receipt\nsteps:\n  - pay: ${amount}\n  - tap: phone\n  - expect: { receipt: { text: { stored: paper } } }\n`;

test('pinpad run --update stores the values that a scenario compares, and no other option does', async () => {
  const file = join(folder, 'sale.yaml');
  writeFileSync(file, scenario(25));
  const run = (...flags: string[]) => runPinpadInProcess(['run', folder, ...flags]);
  const first = await run();
  expect([first.code, first.stdout]).toEqual([
    1,
    expect.stringContaining('there is no stored value "paper" yet'),
  ]);
  const stored = await run('--update');
  expect([stored.code, stored.stdout]).toEqual([0, expect.stringContaining('stored in ')]);
  expect(readFileSync(join(folder, 'sale.stored.yaml'), 'utf8')).toContain('€ 25.00');
  expect((await run()).code).toBe(0);
  writeFileSync(file, scenario(26));
  const changed = await run();
  expect(changed.code).toBe(1);
  expect(changed.stdout).toMatch(/- .*25\.00\n\s*\+ .*26\.00/);
  const refused = await run('--update', '--seed', '5');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('leave out --gateway, --seed')]);
});
