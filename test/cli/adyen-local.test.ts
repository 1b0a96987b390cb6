import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { testThoroughly } from '../optional-programs.ts';
import { PinpadProcess } from './pinpad-process.ts';

const testInCi = testThoroughly();

testInCi(
  'the address of the local API and its authority are printed, and a port in use is one line and exit 2',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-local-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const up = (port: number, ...flags: string[]) => {
      const keys = [{ identifier: 'till', version: 1, passphrase: 'a-passphrase-of-a-test' }];
      const config = { port: 0, data: join(folder, 'data'), adyen: { local: { port, keys } } };
      const file = join(folder, 'pinpad.yaml');
      writeFileSync(file, JSON.stringify(config));
      const pinpad = new PinpadProcess(['up', '--config', file, ...flags]);
      onTestFinished(() => void pinpad.child.kill('SIGKILL'));
      return pinpad;
    };
    const first = up(0, '--headless', '--as', 'adyen');
    const printed = await first.printed('Ctrl-C stops');
    expect(printed).toMatch(/Adyen, local {3}https:\/\/127\.0\.0\.1:\d+\/nexo\//);
    expect(printed).toContain(join(folder, 'data', 'adyen-authority.pem'));
    await first.stop();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const { code, stdout, stderr } = await up(port, '--json').ended();
    const line = `pinpad: port ${port} on 127.0.0.1 is taken; choose another port, or 0 for any free port\n`;
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: line });
  },
  60_000,
);
