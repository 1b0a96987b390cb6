import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { pinpadCommand } from '../built-package.ts';
import { testThoroughly } from '../optional-programs.ts';
import { TmuxSession } from './tmux-session.ts';

const program = pinpadCommand();

testThoroughly('tmux')(
  "a point of sale's own payment at 80×24: its outcome, its request opened, its books, and one after a restart",
  { timeout: 60_000 },
  async () => {
    const data = mkdtempSync(join(tmpdir(), 'pinpad-traffic-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    const up = `'${process.execPath}' '${program}' up --data '${data}' --port 0 --pacing instant`;
    const window = new TmuxSession(`traffic-${process.pid}`, { columns: 80, rows: 24 }, `${up}; ${up}`);
    onTestFinished(() => window.close());
    await window.shows('Ready');
    const { url, token, terminals } = JSON.parse(readFileSync(join(data, 'running.json'), 'utf8'));
    const paid = fetch(`${url}/terminals/${terminals[0].identifier}/payment-request`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': 'order-7',
      },
      body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 11.24 } } }),
    });
    await window.shows('Present card');
    window.press('t');
    await window.shows('✗ NOT APPROVED EUR 11.24 · refusal: Not enough balance (210)');
    expect((await paid).status).toBe(200);
    window.press('j');
    window.press('/');
    window.type('order-7 kind:http');
    await window.shows('Journal 1 of /order-7 kind:http');
    window.press('Enter');
    window.press('Enter');
    const request = await window.shows('"requestedAmount": 11.24');
    expect(request).toContain('idempotency-key: order-7');
    expect(request).toMatch(/200 after [\d.]+ s/);
    window.press('Escape');
    window.press('Escape');
    window.press('l');
    await window.shows('Payments 1/1');
    window.press('Enter');
    await window.shows('Moved EUR 0.00, reported EUR 0.00: the books agree');
    expect(await window.shows("the host's rule: amountEnding")).toContain('ends in 124');
    window.press('C-c');
    await window.shows('Ready');
    window.press('l');
    await window.shows(/EUR 11\.24 · refusal/);
  },
);
