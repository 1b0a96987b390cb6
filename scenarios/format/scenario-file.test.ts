import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ScenarioFile, ScenarioFileError } from './scenario-file.ts';

test('an alias that leads back to itself is refused with its file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scenario-file-'));
  try {
    const file = join(folder, 'cycle.yaml');
    writeFileSync(file, 'name: Cycle\nvars:\n  a: &a [*a]\nsteps:\n  - pay: <a>\n');
    expect(() => new ScenarioFile(file)).toThrow(ScenarioFileError);
    expect(() => new ScenarioFile(file)).toThrow(`${file}:1:1: an alias (*name) leads back`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
