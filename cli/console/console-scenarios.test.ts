import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { consoleScenarios } from './console-scenarios.ts';

const former = process.cwd();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-own-'));
  mkdirSync(join(folder, 'scenarios'));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(former);
  rmSync(folder, { recursive: true });
});

test('a file that is wrong hides no other', async () => {
  writeFileSync('scenarios/good.yaml', 'name: Mine\nsteps:\n  - pay: 10\n');
  writeFileSync('scenarios/wrong.yaml', 'name: Wrong\nsteps:\n  - jump: 1\n');
  const names = ((await consoleScenarios().list()) as { name: string }[]).map(({ name }) => name);
  expect(names).toContain('Mine');
  expect(names).not.toContain('Wrong');
  expect(names.length).toBeGreaterThan(100);
});
