import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { makeLocalEnvironmentProvider } from '../../explore/index.ts';
import { RunMaker } from '../../explore/run/run-maker.ts';
import { systemClock } from '../../shared/clock.ts';
import { systemRandom } from '../../shared/random.ts';
import { testThoroughly } from '../optional-programs.ts';
import { pythonPath } from '../python.ts';

/**
 * Explores a point of sale that computes for some time between two requests. If time passed during the computation, the
 * gateway would send an event again.
 */

const test = testThoroughly('python3', '/proc/self/stat');

/** Charges a card, has an event sent to an address without a receiver, then computes, and asks for the terminals. */
const shop = `
import json, os, sys, time, urllib.request

def call(method, path, body, token):
    headers = {"Authorization": "Bearer " + os.environ[token], "Content-Type": "application/json"}
    request = urllib.request.Request(os.environ["PINPAD_URL"] + path, body and json.dumps(body).encode(), headers, method=method)
    urllib.request.urlopen(request).read()

call("POST", "/control/webhooks", {"accountId": "demo-shop", "url": "http://127.0.0.1:1/"}, "PINPAD_CONTROL_TOKEN")
order = {"amount": 12.5, "to_bank_account_id": "demo-bank-account", "statement": "ORDER 1"}
call("POST", "/contact/demo-customer/creditCards/demo-visa/charge", order, "PINPAD_TOKEN")
until = time.process_time() + float(sys.argv[1])
while time.process_time() < until:
    pass
call("GET", "/terminals", None, "PINPAD_TOKEN")
`;

/** Returns the virtual milliseconds from the charge to the next request, in a run without faults. */
async function passedWhile(computesFor: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-acting-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'shop.py');
  writeFileSync(program, shop);
  const maker = await RunMaker.start(
    {
      argv: [pythonPath(), '-B', program, computesFor],
      ...{ before: undefined, restart: undefined, pidFile: undefined, env: {}, environment: process.env },
      ...{ linger: false, as: undefined, shopper: undefined },
    },
    {
      arena: makeLocalEnvironmentProvider({ config: undefined, port: undefined, seed: 1 }),
      ...{ clock: systemClock, random: systemRandom, stopped: new AbortController().signal },
    },
    [0],
  );
  onTestFinished(() => maker.close());
  const { entries } = await maker.make({ schedule: [], limitMs: 60_000 }, 0);
  const at = (path: RegExp) =>
    entries.find(({ kind, data }) => kind === 'http.received' && path.test(data.path))?.at ?? Number.NaN;
  return at(/^\/terminals/) - at(/\/charge$/);
}

test('time stands still while a point of sale computes without a request, but not for ever (B390)', async () => {
  expect(await passedWhile('0.4')).toBe(0);
  expect(await passedWhile('2.6')).toBeGreaterThan(0);
});
