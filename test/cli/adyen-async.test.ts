import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { makePaymentTillMessage } from '../../gateway/dialects/adyen/till.fixture.ts';
import { type Reaction, Receiver } from '../../gateway/webhooks/receiver.fixture.ts';
import { testThoroughly } from '../optional-programs.ts';
import { until } from '../until.ts';
import { PinpadProcess } from './pinpad-process.ts';

const testInCi = testThoroughly();

const accepts: Reaction = (response) => void response.writeHead(200).end('[accepted]');

async function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-async-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const receiver = await Receiver.start(() => accepts);
  onTestFinished(() => receiver.close());
  const up = async (shopper: boolean) => {
    const config = {
      adyen: true,
      port: 0,
      data: join(folder, 'data'),
      pacing: 'instant',
      timeouts: { webhookRetryUnitMs: 10 },
      ...(shopper && { shopper: { card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 0 } }),
      accounts: [
        {
          name: 'Shop',
          adyen: { events: receiver.url },
          stores: [{ name: 'Shop', terminals: [{ poiId: 'V400m-1' }] }],
        },
      ],
    };
    writeFileSync(join(folder, 'pinpad.yaml'), JSON.stringify(config));
    const pinpad = new PinpadProcess(['up', '--json', '--config', join(folder, 'pinpad.yaml')]);
    onTestFinished(() => void pinpad.child.kill('SIGKILL'));
    const { url, token } = await pinpad.ready();
    const pay = async (serviceId: string) => {
      const answer = await fetch(`${url}/async`, {
        method: 'POST',
        headers: { 'x-api-key': token, 'content-type': 'application/json' },
        body: JSON.stringify(makePaymentTillMessage(serviceId, 25)),
      });
      expect(await answer.text()).toBe('ok');
    };
    const kill = async () => {
      pinpad.child.kill('SIGKILL');
      await pinpad.ended();
    };
    return { pay, kill, stop: () => pinpad.stop() };
  };
  const services = () =>
    receiver.received.map(({ event }) => event.SaleToPOIResponse.MessageHeader.ServiceID);
  return { receiver, up, services };
}

testInCi(
  'a gateway that is killed after its ok sends the result after its restart, once (B460)',
  async () => {
    const { receiver, up, services } = await setup();
    const first = await up(false);
    await first.pay('1');
    await first.kill();
    const second = await up(true);
    await until('the result comes', () => receiver.received.length === 1);
    receiver.react = () => 'hangs';
    await second.pay('2');
    await until('the result comes, and is not taken', () => receiver.received.length === 2);
    await second.kill();
    receiver.react = () => accepts;
    const third = await up(true);
    await until('it comes again', () => receiver.received.length === 3);
    await third.pay('3');
    await until('the next comes', () => receiver.received.length === 4);
    expect(services()).toEqual(['1', '2', '2', '3']);
    expect(receiver.received[2]?.body).toBe(receiver.received[1]?.body);
    await third.stop();
  },
  120_000,
);
