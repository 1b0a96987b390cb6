import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { faultKindOf } from '../../explore/plan/catalogue.ts';
import { parseSchedule } from '../../explore/plan/schedule.ts';
import { failureKinds } from '../../explore/verdict/verdict.ts';
import { runPinpadInProcess } from '../cli/run-pinpad-in-process.ts';
import { testThoroughly } from '../optional-programs.ts';
import { pythonPath } from '../python.ts';

/** Checks docs/explore.md by running it. */

const page = readFileSync(join(import.meta.dirname, '../../docs/explore.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(([, language, text = '']) => ({
  language,
  text,
}));
const till = blocks.find(({ language }) => language === 'python')?.text ?? '';
const report = blocks.find(({ text }) => text.includes('without faults'))?.text ?? '';

testThoroughly('python3')('the program of the page fails as its report says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-explore-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'till.py');
  writeFileSync(file, till);
  const shown = [...report.matchAll(/ {4}again {2}npx pinpad explore --only (\S+)/g)].map(
    ([, name = '']) => name,
  );
  expect(shown.length).toBeGreaterThan(1);
  const only = shown.flatMap((name) => ['--only', name]);
  const traces = ['--traces', join(folder, 'traces')];
  const options = ['--shopper', 'visa-credit', ...traces, ...only];
  const { code, stdout } = await runPinpadInProcess(['explore', ...options, '--', pythonPath(), '-B', file]);
  expect(code, stdout).toBe(1);
  const stories = report.split(/^(?=✗)/m).filter((part) => part.startsWith('✗ The'));
  const said = stories.flatMap((story) => story.split('\n').slice(0, 1));
  for (const line of said) expect(stdout).toContain(line);
});

test('every verdict has a row, and every fault on the page exists', () => {
  for (const verdict of [...failureKinds, 'testFails', 'survived'])
    expect(page).toContain(`| \`${verdict}\` |`);
  const named = [...page.matchAll(/[a-zA-Z]+(?:-\w+)?@[a-zA-Z.-]+\.(?:\d+|all)/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(3);
  for (const name of named)
    for (const planned of parseSchedule(name)) expect(faultKindOf(planned).kind).toBeTruthy();
});
