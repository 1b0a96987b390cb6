import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { resolveConfig, startStack, writeRunningNote } from '../../stack/index.ts';
import { runPinpadInProcess } from '../cli/run-pinpad-in-process.ts';
import { noteOpenServers } from '../open-servers.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { pythonPath } from '../python.ts';

/** `pinpad explore --gateway` explores with a running gateway, in real time (B333). */

const test = testWith('python3');
const naive = [pythonPath(), '-B', join(import.meta.dirname, 'drivers/naive.py')];

async function aGateway() {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-running-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const options = { port: 0, memory: true, pacing: 'instant', logLevel: 'silent' } as const;
  const stack = await startStack(resolveConfig(undefined, options));
  onTestFinished(() => stack.close());
  const { url, controlToken, terminals } = stack;
  const token = stack.tokens[0]?.token ?? '';
  writeRunningNote(folder, { url, pid: process.pid, controlToken, token, terminals: [...terminals] });
  const pay = (terminal: string) =>
    fetch(`${url}/terminals/${terminal}/payment-request`, {
      method: 'POST',
      redirect: 'manual', // the redirect may lead to a gateway that is gone by then
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 3 } } }),
    });
  const explore = (...given: readonly string[]) =>
    runPinpadInProcess(['explore', ...given, '--traces', join(folder, 'traces'), '--', ...naive]);
  return { stack, folder, pay, explore };
}

describe('pinpad explore at a running gateway', () => {
  testThoroughly('python3')(
    'finds the same as at its own gateway, whatever is sold there before and meanwhile',
    async () => {
      const { stack, folder, pay, explore } = await aGateway();
      // this payment waits for a card as long as the exploration takes
      const beside = pay(stack.terminals[1]?.identifier ?? '');
      const only = ['failAnswer-503@payment-request.1', 'dropAnswer@payment-request.1', 'decline@host.1'];
      const { code, stdout } = await explore(
        ...['--gateway', '--data', folder, '--shopper', 'visa-credit'],
        ...only.flatMap((name) => ['--only', name]),
      );
      expect(stdout).toContain('✗ 2 failures of 2 causes    ✓ 1 survived');
      expect(stdout).toContain('The customer paid 12.5, but your point of sale believes "not paid"');
      expect(stdout).toContain('The customer was charged 25 instead of 12.5');
      expect(stdout).toContain(
        `pinpad explore --only ${only[0]} --shopper visa-credit --gateway --data ${folder}`,
      );
      expect(stdout).toMatch(/not possible here: POS crash, because /);
      expect(stdout).not.toMatch(/never reached: .*decline/);
      expect(stdout).not.toContain(stack.controlToken);
      expect(code).toBe(1);
      const left = stack.runtime.journal.since().filter(({ kind }) => kind === 'payment.accepted');
      expect(left.at(0)?.terminal).toBe(stack.terminals[1]?.poiId);
      await stack.close();
      expect((await beside).status).not.toBe(200);
    },
  );

  test('plans faults for its screens and requests, and none that needs its own gateway', async () => {
    const { folder, explore } = await aGateway();
    const report = join(folder, 'report.json');
    const { code } = await explore(
      ...['--gateway', '--data', folder, '--shopper', 'visa-credit', '--limit', '0 s', '--json', report],
    );
    const { notRun } = JSON.parse(readFileSync(report, 'utf8'));
    expect(notRun).toContain('powerOff@presentCard.1');
    expect(notRun).toContain('dropAnswer@payment-request.1');
    expect(notRun.join('\n')).not.toMatch(/^(crash|kill)/m);
    expect(code).toBe(4);
  });

  test.each([
    [
      ['--only', 'crash@after.concluded.1'],
      /crash@after.concluded.1 is not possible here: the gateway would crash/,
    ],
    [['--only', 'nothing@pin.1'], /nothing@pin.1/],
    [['--shopper', 'nobody-pays'], /nobody-pays/],
    [['--seed', '7', '--port', '8099'], /leave out --port, --seed/],
    [['--terminal', 'nobody'], /has no terminal nobody/],
  ])('refuses %j with a sentence, and leaves no server open', async (given, says) => {
    const { folder, explore } = await aGateway();
    const serversClosed = noteOpenServers();
    const { code, stderr } = await explore(
      '--gateway',
      '--data',
      folder,
      '--shopper',
      'visa-credit',
      ...given,
    );
    expect(stderr).toMatch(says);
    expect(code).toBe(2);
    await serversClosed();
  });

  test('asks for the tokens of a remote gateway', async () => {
    const { stack, folder, explore } = await aGateway();
    const { code, stderr } = await explore('--gateway', stack.url, '--data', join(folder, 'other'));
    expect(stderr).toMatch(/--token and --control-token .* are needed/);
    expect(code).toBe(2);
  });
});
