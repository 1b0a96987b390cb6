import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findScenarios, plainPaint, runScenario, scenarioVerbs } from '../../scenarios/index.ts';
import { failureReportText } from '../../scenarios/report/text.ts';

/** Runs what docs/scenarios.md shows. */

const root = join(import.meta.dirname, '../..');
const page = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');
const blocks = (name: string, language: string) =>
  [...page(name).matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, text]) => text ?? '',
  );

describe('every scenario on the page passes', () => {
  for (const text of blocks('scenarios.md', 'yaml'))
    test(/^name: (.*)/m.exec(text)?.[1] ?? '', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'docs-'));
      const file = join(folder, 'scenario.yaml');
      writeFileSync(file, text);
      const scenarios = findScenarios([file]);
      for (const scenario of scenarios) {
        if (text.includes('stored:')) await runScenario(scenario, { update: true });
        const result = await runScenario(scenario);
        expect(result.failure && failureReportText(result, plainPaint)).toBeUndefined();
      }
      rmSync(folder, { recursive: true });
    });
});

test('every option on the page exists in pinpad run', () => {
  const help = execFileSync(process.execPath, [join(root, 'bin/pinpad.js'), 'run', '--help'], {
    encoding: 'utf8',
  });
  const named = page('scenarios.md').match(/--[a-z][a-z-]+/g) ?? [];
  expect(named.filter((option) => !help.includes(option))).toEqual([]);
});

test('every verb is explained on the page', () => {
  const described = (name: string) =>
    new RegExp(`(?:\`|^ *- )${name}(?:\`|:)`, 'm').test(page('scenarios.md'));
  expect([...scenarioVerbs.keys()].filter((name) => !described(name))).toEqual([]);
});
