import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pinpadCommand } from '../built-package.ts';

/** What an older Node than pinpad needs is answered, before anything that it could not read is loaded. */

const olderNode = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });",
)}`;

function runOnOlderNode(command: string, ...args: string[]) {
  return spawnSync(process.execPath, ['--import', olderNode, command, ...args], { encoding: 'utf8' });
}

test('a clone says by which command npm runs it with the Node that it brings', () => {
  const { status, stdout, stderr } = runOnOlderNode(join('bin', 'pinpad.js'), 'pay', '12.50', '--tip');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr.split('\n')).toEqual([
    'pinpad needs Node 22.18 or newer; this is Node 20.20.2.',
    'A clone brings its own, which npm uses: npm run pinpad -- pay 12.50 --tip',
    '',
  ]);
});

test('an installed package says which Node it needs, in one line', () => {
  const { status, stderr } = runOnOlderNode(pinpadCommand(), 'up');
  expect(status).toBe(1);
  expect(stderr).toBe('pinpad needs Node 22.18 or newer; this is Node 20.20.2.\n');
});
