import { expect, onTestFinished, test } from 'vitest';
import { PinpadProcess } from './pinpad-process.ts';

test('terminals that get no answer say so once, and which address they dialled', async () => {
  const nowhere = 'http://127.0.0.1:1';
  const terminals = ['--gateway', nowhere, '--poi', 'V400m-100000001', '--key', 'dev_another'];
  const options = ['--memory', '--time-scale', '0.01', '--log-level', 'debug'];
  const terminal = new PinpadProcess(['terminal', ...terminals, ...options]);
  onTestFinished(() => void terminal.child.kill('SIGKILL'));
  const said = `the gateway at ${nowhere} cannot be reached (connect ECONNREFUSED 127.0.0.1:1)`;
  expect(await terminal.logged(said)).toContain('the terminals try again until they reach it');
  const { stderr } = await terminal.stop();
  expect(stderr.split(said)).toHaveLength(2);
});
