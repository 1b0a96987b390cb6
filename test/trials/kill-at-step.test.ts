import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { makeSeededRandom } from '../../shared/random.ts';
import { sampleCases } from '../draws.ts';
import type { GatewayProcess } from '../load/gateway-process.ts';
import { OneGateway } from '../load/one-gateway.ts';
import { WebhookReceiver } from '../load/webhook-receiver.ts';
import { testThoroughly } from '../optional-programs.ts';

const testInCi = testThoroughly();

const steps = [
  { of: 'effect', name: 'reply', moment: 'before' },
  { of: 'commit', name: 'authorized', moment: 'after' },
] as const;

testInCi.each(sampleCases(steps, 2))(
  'a gateway of the crash test can be killed at a named moment: $moment the $of $name',
  async (at) => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-step-'));
    const webhook = await WebhookReceiver.start(makeSeededRandom(1));
    const preload = join(import.meta.dirname, 'kill-at-step.ts');
    const world = new OneGateway({ folder, timeScale: 0.02, webhook, preload });
    onTestFinished(async () => {
      await world.stop();
      webhook.stop();
      rmSync(folder, { recursive: true });
    });
    await world.start();
    const [gateway] = world.gateways as [GatewayProcess];
    const died = gateway.kill({ ...at, steps: 1, refuses: false }, 60_000);
    while (!(await Promise.race([died.then(() => true), pay(world).then(() => false)])));
    expect(await died).toBe(true);
    expect(readFileSync(join(world.logs, 'gateway.jsonl'), 'utf8')).toContain(
      `killed ${at.moment} the ${at.of} ${at.name}`,
    );
  },
);

async function pay({ url, token, terminals }: OneGateway): Promise<void> {
  const answer = fetch(`${url}/terminals/${terminals[0]?.identifier}/payment-request`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 5 } } }),
  });
  await answer.then((given) => given.text()).catch(() => {}); // the answer is cut off
}
