import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { runPinpadInProcess } from '../cli/run-pinpad-in-process.ts';
import { testThoroughly } from '../optional-programs.ts';
import { pythonPath } from '../python.ts';

/** Runs `pinpad explore --linger` with a shop that receives events and does not end by itself. */

const test = testThoroughly('python3');

/**
 * Charges a card, reports what it believes about the payment, and hands out the goods when the event comes. With the
 * argument `ends`, the shop does not wait for the event.
 */
const shop = `
import sys, threading
sys.path.insert(0, ${JSON.stringify(join(import.meta.dirname, 'drivers'))})
from events import Events
from till import believe, call

how, careful = sys.argv[1], sys.argv[2] == "careful"


class Shop(Events):
    def run(self):
        self.port = self.listen(0).server_port
        self.register(self.port)
        body = {"amount": self.amount, "to_bank_account_id": self.bank, "statement": self.statement}
        call("POST", f"/contact/{self.contact}/creditCards/{self.card}/charge", body)
        if how == "serves":
            threading.Event().wait()

    def know(self, event):
        if how == "serves":
            super().know(event)

    def note(self):
        pass

    def is_new(self, debit):
        return super().is_new(debit) or not careful


Shop().run()
`;

async function exploring(how: string, careful: string, fault: string, ...flags: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-linger-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'shop.py');
  writeFileSync(program, shop);
  const options = ['--only', fault, '--traces', join(folder, 'traces'), ...flags];
  return runPinpadInProcess(['explore', ...options, '--', pythonPath(), '-B', program, how, careful]);
}

describe('a shop with a server (B332)', () => {
  test('receives late events: a naive shop acts twice on an event that comes twice', async () => {
    const { code, stdout } = await exploring('serves', 'naive', 'duplicateEvent@event.1', '--linger');
    expect(stdout).toContain(
      'Your point of sale handed out goods, or acted on an event, 2 times for one sale',
    );
    expect(stdout).toMatch(
      /again {2}(npx )?pinpad explore --only duplicateEvent@event.1 --linger -- \S*python3/,
    );
    expect(stdout).not.toContain('delivery was not judged');
    expect(code).toBe(1);
  });

  test('acts once if it is careful, even a minute late', async () => {
    const more = ['--only', 'delayEvent-60s@event.1', '--linger'];
    const { code, stdout } = await exploring('serves', 'careful', 'duplicateEvent@event.1', ...more);
    expect(stdout).toContain('✓ 2 survived');
    expect(code).toBe(0);
  });

  test('is ended when its time is over if the flag is missing, and the report names the flag', async () => {
    const { code, stdout } = await exploring('serves', 'careful', 'loseEvent@event.1', '--timeout', '3 s');
    expect(stdout).toMatch(/did not end in time, although there was no fault.*--linger/);
    expect(code).toBe(3);
  });
});

test('the report about a shop that ends says how many events were not judged', async () => {
  const { code, stdout } = await exploring('ends', 'careful', 'delayEvent-60s@event.1');
  expect(stdout).toMatch(/1 delivery was not judged, .*--linger/);
  expect(code).toBe(0);
});
