import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { resolveConfig, startStack } from '../stack/index.ts';
import { pinpadCommand } from './built-package.ts';
import { testThoroughly } from './optional-programs.ts';
import { bash } from './run-bash.ts';

/** Runs the commands of docs/adyen.md in an empty folder, up to a payment. */

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs', 'adyen.md'), 'utf8');
const section = page.slice(page.indexOf('## From zero'), page.indexOf('## Messages'));
const [start = '', ...steps] = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);

async function startGateway() {
  const stack = await startStack(
    resolveConfig(undefined, {
      ...{ port: 0, memory: true, adyen: true, pacing: 'instant' },
      ...{ seed: 1, logLevel: 'silent' },
    }),
  );
  onTestFinished(() => stack.close());
  return stack;
}

/** Returns the script without its downloads, because the client is installed already, and `pinpad` is this project. */
function withoutNetwork(script: string, folder: string): string {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(root, 'node_modules', '@adyen'), join(folder, 'node_modules', '@adyen'));
  return script
    .replace(/^npm install .*$/m, 'true')
    .replaceAll('/tmp/till', folder)
    .replaceAll('npx pinpad', `'${process.execPath}' '${pinpadCommand()}'`)
    .replaceAll('-- node', `-- '${process.execPath}'`);
}

testThoroughly('bash', 'curl')(
  'every line from zero to a payment does what the page says, in its order',
  async () => {
    const stack = await startGateway();
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-docs-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const values = {
      ...{ URL: stack.url, PINPAD_URL: stack.url, TOKEN: stack.tokens[0]?.token ?? '' },
      CONTROL_TOKEN: stack.controlToken,
    };
    const { code, output } = await bash(withoutNetwork(steps.join('\n'), folder), values, folder);
    expect(code, output).toBe(0);
    // The answers to the payment and to the status request have two receipts each. The test only counts the
    // receipts, because the background process may print its own output between their lines.
    expect(output.match(/"DocumentQualifier":/g)).toHaveLength(4);
    expect(output.match(/"RepeatedMessageResponse":/g)).toHaveLength(1);
    expect(output.match(/"ErrorCondition":"\w+"/g)).toEqual([
      '"ErrorCondition":"NotFound"',
      '"ErrorCondition":"Aborted"',
    ]);
    expect(output).toMatch(/^ok\b/m); // the background process may end in the middle of this line
    expect(output).toContain('"errorCode":"00_401"');
    expect(output).toContain("Result: 'Success'");
    expect(output.match(/1 request for Adyen came to/g)).toHaveLength(2);
    expect(output).toContain('1 request had a wrong API key (401)');
  },
);

test('the page starts the gateway with the commands of this test', () => {
  expect(start).toBe('npm ci\nnpm start -- --headless --as adyen\n');
});
