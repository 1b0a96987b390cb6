import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { testThoroughly } from './optional-programs.ts';
import { bash } from './run-bash.ts';

/** Runs the script of docs/ci.md for machines without containers, in a folder that has the package. */

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/ci.md'), 'utf8');
const [, script = ''] = /## Without a container[\s\S]*?```bash\n([\s\S]*?)```/.exec(page) ?? [];
const named = [...page.matchAll(/^\| `(PINPAD_\w+)`/gm)].map(([, name = '']) => name);

function folderWithPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-ci-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(join(root, 'bin/pinpad.js'), join(folder, 'node_modules/.bin/pinpad'));
  return folder;
}

testThoroughly(
  'bash',
  'npx',
  'curl',
)('the script sets every variable of the table, and stops pinpad', async () => {
  const folder = folderWithPackage();
  // This callback runs before the one that removes the folder, because callbacks run in reverse order.
  onTestFinished(() => end(ready().pid));
  const ready = () => JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8'));
  const values = named.map((name) => `echo "is ${name}=$${name}"`).join('\n');
  const { code, output } = await bash(`${script}${values}\ncurl -sS "$PINPAD_URL/health"\n`, {}, folder);
  expect(code, output).toBe(0);
  const { url, token, controlToken, terminals } = ready();
  const [{ identifier, poiId }] = terminals;
  const expected = [url, token, controlToken, identifier, poiId];
  expect(named).toHaveLength(expected.length);
  for (const [index, name] of named.entries()) expect(output).toContain(`\nis ${name}=${expected[index]}\n`);
  expect(output).toContain('{"status":"ok"}');
  await expect.poll(() => fetch(`${url}/health`).then(({ ok }) => ok, String)).toMatch('fetch failed');
});

testThoroughly('bash', 'npx')('a pinpad that cannot start ends the script with what it said', async () => {
  const { code, output } = await bash(script, { PINPAD_CONFIG: 'nothing.yaml' }, folderWithPackage());
  expect(code).toBe(1);
  expect(output).toContain('pinpad: cannot read the configuration nothing.yaml: ');
});

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // the process has already ended
  }
}
