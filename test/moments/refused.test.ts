import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { startTerminalEmulator } from '../../terminal-emulator/index.ts';
import { controlHarness } from '../control-harness.ts';
import { testThoroughly } from '../optional-programs.ts';
import { type StackHarness, stackHarness } from '../stack/stack-harness.ts';

const testInCi = testThoroughly();

/** Checks at which steps no fault can be set, and which steps have no crashes (B280, B283). */

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-refused-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const crash = (harness: StackHarness, more: object = {}) =>
  harness.control<{ message: string }>('PUT', '/moments/before.reply', { action: 'crash', ...more });

test('a gateway in memory cannot crash', async () => {
  const { status, body } = await crash(await stackHarness());
  expect([status, body.message]).toEqual([409, expect.stringContaining('--data')]);
});

test('a gateway with a production token cannot crash until that is revoked, nor can it be set to crash each time', async () => {
  const harness = await stackHarness({ memory: false, data: temporaryFolder() });
  const made = await harness.control<{ id: string }>('POST', '/tokens', {
    accountId: 'demo-shop',
    environment: 'production',
  });
  const { status, body } = await crash(harness);
  expect([status, body.message]).toEqual([409, expect.stringContaining('production tokens')]);
  await harness.control('DELETE', `/tokens/${made.body.id}`);
  expect((await crash(harness)).status).toBe(200);
  expect((await crash(harness, { times: null })).status).toBe(400);
  const late = await harness.control<{ message: string }>('POST', '/tokens', {
    accountId: 'demo-shop',
    environment: 'production',
  });
  expect([late.status, late.body.message]).toEqual([409, expect.stringContaining('set at before.reply')]);
});

testInCi('a gateway with a terminal of another process cannot crash while that is connected', async () => {
  const harness = await controlHarness({}, { dataFolder: temporaryFolder() });
  onTestFinished(() => harness.close());
  const { control, gateway } = harness;
  const crash = () => control('PUT', '/control/moments/before.reply', { action: 'crash' });
  expect((await crash()).status).toBe(200);
  const store = gateway.terminals.byPoiId('V400m-1')?.store;
  const made = await control('POST', '/control/terminals', { poiId: 'V400m-2', storeId: store?.id });
  const { poiId, deviceKey } = made.body;
  const emulator = await startTerminalEmulator(
    { gatewayUrl: gateway.url, terminals: [{ poiId, deviceKey }], forwardJournal: true },
    createRuntime(),
  );
  await control('GET', '/control/terminals/V400m-2/screen?until=idle');
  const refused = await crash();
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('V400m-2')]);
  // The crash that was set before the second terminal was added does not happen either.
  await control('PUT', '/control/terminals/V400m-1/shopper', { card: 'visa-credit', entry: 'Contactless' });
  expect((await harness.pay(5)).body.response.result).toBe('success');
  const warnings = harness.runtime.journal.since().filter(({ kind }) => kind === 'warning');
  expect(warnings.map(({ data }) => data)).toContainEqual({
    message: expect.stringMatching(
      /^the crash at before\.reply was left out: A crash cannot be set for the terminal V400m-2/,
    ),
  });
  await emulator.close();
  while ((await crash()).status !== 200);
});

test('an action of the other side is refused, and so is an unknown moment', async () => {
  const harness = await stackHarness();
  const put = (moment: string, action: string) =>
    harness.control<{ message: string }>('PUT', `/moments/${moment}`, { action });
  expect((await put('pin', 'crash')).body.message).toContain('allowed: powerOff, networkOff, pause');
  expect((await put('before.reply', 'powerOff')).status).toBe(400);
  expect((await put('lunch', 'powerOff')).status).toBe(400);
  const unknown = await harness.control('PUT', '/moments/pin', { action: 'powerOff', terminal: 'nowhere' });
  expect(unknown.status).toBe(404);
});
