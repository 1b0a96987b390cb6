import { expect, test } from 'vitest';
import { rerunCommandText } from './rerun-command.ts';

const flags = { seed: 1, workers: 1, threads: 1, env: [], data: '.pinpad', traces: 'traces/explore' };
const again = (environment: Record<string, string>) =>
  rerunCommandText(
    'silent@host.1',
    ['python3', 'my till.py'],
    { ...flags, shopper: 'visa-credit:pin=1234' },
    environment,
  );
const typed = "pinpad explore --only silent@host.1 --shopper visa-credit -- python3 'my till.py'";

test.each([
  ['npx', { npm_command: 'exec', npm_execpath: '/lib/npm-cli.js' }],
  ['a script of a package', { npm_command: 'run-script' }],
  ['a script that pnpm runs', { npm_execpath: '/lib/pnpm.cjs' }],
])(
  'the printed line for a run started by %s can be pasted into a shell without pinpad (B389)',
  (_, environment) => {
    expect(again(environment)).toBe(`npx ${typed}`);
  },
);

test('the printed line for an installed pinpad is as it was typed, without the PIN (B389)', () => {
  expect(again({})).toBe(typed);
});

test.each([
  ['{a,b}', "'{a,b}'"],
  ['{1..3}', "'{1..3}'"],
  ['{terminal', "'{terminal'"],
  ['a,b', 'a,b'],
  ['--port={port}', '--port={port}'],
])('the printed line quotes the argument %s if a shell would change it otherwise', (argument, shown) => {
  const line = rerunCommandText('silent@host.1', ['till', argument], flags, {});
  expect(line).toBe(`pinpad explore --only silent@host.1 -- till ${shown}`);
});
