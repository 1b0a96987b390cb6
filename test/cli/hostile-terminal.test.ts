import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeApproval, TestTerminal } from '../../gateway/payments/test-terminal.fixture.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { PinpadProcess, type ReadyPinpad } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

/**
 * A terminal's text is printed in the user's terminal window, so it must not move the cursor or set the window's title.
 */

const hostile = 'A\u001b]0;title\u0007\u009b2J\u202eB';
const printed = 'A?]0;title??2J?B';

test("pay and listen print a terminal's texts without control sequences for the window", async () => {
  const data = mkdtempSync(join(tmpdir(), 'pinpad-hostile-'));
  const gateway = new PinpadProcess(['gateway', '--port', '0', '--data', data, '--json']);
  const ready = await gateway.ready();
  const listen = new PinpadProcess(['listen', '--all', '--data', data]);
  onTestFinished(async () => {
    await listen.stop();
    await gateway.stop();
    rmSync(data, { recursive: true });
  });
  await listen.logged('Listening');
  const terminal = await connected(ready);
  terminal.react((message) => {
    if (message.kind !== 'PaymentRequest') return;
    const { SaleData, POIData } = makeApproval(message.body);
    const AdditionalResponse = `refusalReason=${encodeURIComponent(hostile)}`;
    const Response = { Result: 'Failure', ErrorCondition: 'Refusal', AdditionalResponse } as const;
    terminal.send('PaymentResponse', message.header.ServiceID, { SaleData, POIData, Response });
  });
  const declined = await runPinpadInProcess(['pay', '5', '--data', data]);
  expect(declined.code).toBe(1);
  expect(declined.stdout).toContain(`NOT APPROVED: refusal · ${printed}`);
  expect(await listen.printed('payment failure')).toContain(`the terminal answers refusal: ${printed}`);
}, 60_000);

async function connected({ url, terminals }: ReadyPinpad): Promise<TestTerminal> {
  const [{ poiId, deviceKey } = { poiId: '', deviceKey: '' }] = terminals;
  return new TestTerminal(createRuntime(), { url: url.replace('http', 'ws'), poiId, deviceKey }).connect();
}
