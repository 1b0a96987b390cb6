import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { runPinpadInProcess } from '../cli/run-pinpad-in-process.ts';
import { testWith } from '../optional-programs.ts';
import { pythonPath } from '../python.ts';
import { exploreCommand } from './exploring.ts';

/** Kills a point of sale at one of its requests. Then `pinpad explore` starts the command that `--restart` names. */

const test = testWith('python3');

/**
 * Adds a webhook without a receiver, charges a card, and asks for the terminals. After a crash, only asks for the
 * terminals.
 */
const shop = `
import json, os, urllib.request

def call(method, path, body, token):
    headers = {"Authorization": "Bearer " + os.environ[token], "Content-Type": "application/json"}
    request = urllib.request.Request(os.environ["PINPAD_URL"] + path, body and json.dumps(body).encode(), headers, method=method)
    urllib.request.urlopen(request).read()

if "PINPAD_RECOVERY" in os.environ:
    print("recovered at", os.environ["PINPAD_TERMINAL"] == os.environ["SHOP_TERMINAL"])
    call("GET", "/terminals", None, "PINPAD_TOKEN")
else:
    call("POST", "/control/webhooks", {"accountId": "demo-shop", "url": "http://127.0.0.1:1/"}, "PINPAD_CONTROL_TOKEN")
    order = {"amount": 12.5, "to_bank_account_id": "demo-bank-account", "statement": "ORDER 1"}
    call("POST", "/contact/demo-customer/creditCards/demo-visa/charge", order, "PINPAD_TOKEN")
    call("GET", "/terminals", None, "PINPAD_TOKEN")
`;

function shopIn(): { folder: string; command: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-crash-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'shop.py');
  writeFileSync(program, shop);
  return { folder, command: [pythonPath(), '-B', program] };
}

describe('a point of sale that is killed', () => {
  test('finds time stopped until it asks again, and is not blamed for what nobody could receive (B380, B381)', async () => {
    const { command } = shopIn();
    const { exploration, failed, story } = await exploreCommand({
      ...{ command, restart: command.join(' '), only: ['killAfter@charge.1', 'killBefore@terminals.1'] },
      env: { SHOP_TERMINAL: '{terminal}' },
    });
    expect(failed, story).toEqual({});
    for (const { run } of exploration.explored) {
      const killed = run.entries.find(({ kind }) => kind === 'fault.injected');
      const again = run.entries.find(
        ({ kind, seq }) => kind === 'http.received' && seq > (killed?.seq ?? Number.POSITIVE_INFINITY),
      );
      expect(again?.data, story).toMatchObject({ path: '/terminals' });
      expect(again?.at).toBe(killed?.at);
      expect(run.unjudgedDeliveries).toHaveLength(1);
      expect(run.output).toEqual(['--- started again', 'recovered at True']);
    }
  });

  test('and not started again, or a --kill without a process of the run, gives exit code 2', async () => {
    const { folder, command } = shopIn();
    const options = ['--only', 'killAfter@charge.1', '--traces', join(folder, 'traces')];
    const killing = (...more: readonly string[]) =>
      runPinpadInProcess(['explore', ...options, ...more, '--', ...command]);
    const none = await killing('--kill', join(folder, 'till.pid'), '--restart', 'true');
    expect(none.stderr).toMatch(/^pinpad: --kill \S+till.pid: this is not a regular file/);
    expect(none.code).toBe(2);
    const never = await killing();
    expect(never.stderr).toMatch(/^pinpad: killAfter@charge.1 needs --restart/);
    expect(never.code).toBe(2);
    const alone = await killing('--kill', join(folder, 'till.pid'));
    expect(alone.stderr).toMatch(/^pinpad: --kill .*needs --restart/);
    expect(alone.code).toBe(2);
  });
});
