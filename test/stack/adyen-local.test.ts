import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Config, EnvironmentEnum, TerminalLocalAPI } from '@adyen/api-library';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { readyJson } from '../../cli/gateway/ready.ts';
import { makePaymentTillMessage } from '../../gateway/dialects/adyen/till.fixture.ts';
import { resolveConfig, type Stack, StartError, startStack } from '../../stack/index.ts';
import { testThoroughly } from '../optional-programs.ts';

const testInCi = testThoroughly();

const keys = [{ identifier: 'till', version: 1, passphrase: 'a-passphrase-of-a-test' }];
const shopper = { card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 0 } as const;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-local-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

async function start(changes: Parameters<typeof resolveConfig>[1] = {}, file?: string): Promise<Stack> {
  const adyen = file === undefined ? { local: { port: 0, keys } } : undefined;
  const base = { port: 0, data: join(folder, 'data'), pacing: 'instant', adyen, shopper } as const;
  const stack = await startStack(resolveConfig(file, { ...base, ...changes }));
  onTestFinished(() => stack.close());
  return stack;
}

const localOf = ({ gateway }: Stack) => gateway.local ?? { url: '', authorityFile: '' };

/**
 * Pays with the vendor's client. The client trusts the given authority, which may come from an earlier start of the
 * stack.
 */
async function pay(stack: Stack, serviceId: string, certificatePath = localOf(stack).authorityFile) {
  const config = new Config({
    apiKey: 'none is needed',
    environment: EnvironmentEnum.TEST,
    terminalApiLocalEndpoint: `${localOf(stack).url}#`,
    certificatePath,
  });
  const key = {
    KeyIdentifier: 'till',
    KeyVersion: 1,
    Passphrase: 'a-passphrase-of-a-test',
    AdyenCryptoVersion: 1,
  };
  const message = makePaymentTillMessage(serviceId, 25, { header: { POIID: stack.terminals[0]?.poiId } });
  const answer = await new TerminalLocalAPI(new Client(config)).request(message as never, key);
  return answer.SaleToPOIResponse?.PaymentResponse?.Response?.Result;
}

testInCi(
  'a till continues with the authority that it trusts, over restarts and kills of the gateway (B463)',
  async () => {
    const first = await start();
    const { authorityFile, url } = localOf(first);
    expect(JSON.parse(readyJson(first)).adyenLocal).toEqual({ authorityFile, url });
    for (const file of ['adyen-authority.pem', 'adyen-authority-key.pem'])
      expect(statSync(join(folder, 'data', file)).mode & 0o777).toBe(0o600);
    const told = join(folder, 'told.pem');
    writeFileSync(told, readFileSync(authorityFile));
    expect(await pay(first, '1', told)).toBe('Success');
    await first.close();
    const second = await start();
    expect(await pay(second, '2', told)).toBe('Success');
    const set = await fetch(`${second.url}/control/moments/before.accepted`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${second.controlToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'crash' }),
    });
    expect(set.status).toBe(200);
    await expect(pay(second, '3', told)).rejects.toThrow();
    // The payment is tried again, because the second stack's terminals connect one after another.
    await expect.poll(() => pay(second, '3', told).catch(String), { timeout: 30_000 }).toBe('Success');
  },
  60_000,
);

test('with --memory the authority is in a private folder that is removed at the end', async () => {
  const stack = await start({ memory: true });
  const { authorityFile } = localOf(stack);
  expect(statSync(join(authorityFile, '..')).mode & 0o777).toBe(0o700);
  expect(await pay(stack, '1')).toBe('Success');
  await stack.close();
  expect(existsSync(join(authorityFile, '..'))).toBe(false);
}, 60_000);

test('if only the key of the authority is missing, the start ends with one line, and the authority stays', async () => {
  const [authority, key] = ['adyen-authority.pem', 'adyen-authority-key.pem'].map((name) =>
    join(folder, 'data', name),
  ) as [string, string];
  await (await start()).close();
  const before = readFileSync(authority, 'utf8');
  rmSync(key);
  await expect(start()).rejects.toThrow(`${key} is missing: put the file back`);
  expect(readFileSync(authority, 'utf8')).toBe(before);
  rmSync(authority);
  await (await start()).close();
  expect(readFileSync(authority, 'utf8')).not.toBe(before);
});

test('a port in use, or invalid certificate files, end the start with one line', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const starting = start({ adyen: { local: { port, keys } } });
  await expect(starting).rejects.toThrow(StartError);
  await expect(starting).rejects.toThrow(`port ${port} on 127.0.0.1 is taken`);
  writeFileSync(join(folder, 'data', 'adyen-authority.pem'), 'no certificate');
  await expect(start()).rejects.toThrow(/adyen-authority\.pem/);
});

test('--as adyen does not change the settings of the file for it', () => {
  const file = join(folder, 'pinpad.yaml');
  writeFileSync(file, JSON.stringify({ adyen: { local: { keys } } }));
  expect(resolveConfig(file, { adyen: true }).adyen).toEqual({ local: { port: 8443, keys } });
  writeFileSync(file, '{}');
  expect(resolveConfig(file, { adyen: true }).adyen).toBe(true);
});

test('a key that occurs twice, or that no till could have, is reported by line without the passphrase', () => {
  const file = join(folder, 'pinpad.yaml');
  const said = (text: string) => {
    writeFileSync(file, `adyen:\n  local:\n    keys:\n${text}`);
    try {
      return String(resolveConfig(file).adyen);
    } catch (error) {
      return (error as Error).message;
    }
  };
  const line = '      - { identifier: a, passphrase: "secret-words" }\n';
  expect(said(line + line)).toContain(
    'pinpad.yaml:5: adyen.local.keys.1: a with version 1 must not be used twice',
  );
  const greek = said('      - { identifier: a, passphrase: "secret-words-λ" }\n');
  expect(greek).toContain('must be 1 to 200 characters of Latin-1');
  expect(greek).not.toContain('secret-words');
});
