import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ToolGatewayManager } from './gateway-in-use.ts';
import { SecretRedactor } from './hidden-secrets.ts';

function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-in-use-'));
  const gateways = new ToolGatewayManager(
    { folder, config: undefined, data: 'data', port: 0, url: undefined, controlToken: undefined },
    new SecretRedactor(),
  );
  onTestFinished(async () => {
    await gateways.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return gateways;
}

test('stop during start ends the gateway as soon as it has started', async () => {
  const gateways = setup();
  const started = gateways.start({});
  expect(await gateways.stop()).toBe(true);
  await started;
  await expect(gateways.control()).rejects.toThrow('no gateway runs');
});

test('start during stop starts a gateway after the former one has ended', async () => {
  const gateways = setup();
  const first = await gateways.start({});
  const stopped = gateways.stop();
  const second = await gateways.start({});
  expect(await stopped).toBe(true);
  expect(second.stack).not.toBe(first.stack);
  await gateways.control();
});

test('a start that fails is reported only by start, and another start works', async () => {
  const gateways = setup();
  const started = gateways.start({ database: 'postgres://127.0.0.1:1/none' });
  const stopped = gateways.stop();
  await expect(started).rejects.toThrow();
  expect(await stopped).toBe(false);
  await gateways.start({});
});
