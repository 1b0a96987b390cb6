import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { lintJournal } from '../../shared/lint/lint-journal.ts';
import { lintRules } from '../../shared/lint/rules.ts';
import { probeWebhookSignatures } from '../../stack/index.ts';
import { stackHarness } from '../stack/stack-harness.ts';
import { mistakesByRule, Shop } from './careless-pos.ts';

const all = lintRules.map(({ id }) => id);

test('there is a mistaken POS for every rule, 15 in all', () => {
  expect(Object.keys(mistakesByRule)).toEqual(all);
  expect(all).toHaveLength(15);
});

test.each(all)('a POS with one mistake gets exactly that finding: %s', async (rule) => {
  const shop = new Shop(await stackHarness({ adyen: true }));
  await mistakesByRule[rule]?.(shop);
  const findings = lintJournal(shop.harness.journal());
  expect([...new Set(findings.map((finding) => finding.rule))]).toEqual([rule]);
});

test('a POS with all mistakes gets every finding, and one per cause (B254)', async () => {
  const shop = new Shop(await stackHarness({ adyen: true }));
  for (const rule of all) await mistakesByRule[rule]?.(shop);
  for (const rule of ['missing-key', 'fast-polling', 'unknown-outcome']) await mistakesByRule[rule]?.(shop);
  const findings = lintJournal(shop.harness.journal());
  const counted = Map.groupBy(findings, ({ rule }) => rule);
  const counts = [...counted].map(([rule, found]) => [rule, found.map(({ count }) => count)]);
  expect(Object.fromEntries(counts)).toEqual({
    'blind-payment-retry': [1],
    'unknown-outcome': [1, 1],
    'ignored-303': [1],
    'stopped-asking': [1],
    'abort-of-nothing': [1],
    'blind-refund-retry': [1],
    'unverified-webhook': [1],
    'reused-key': [1],
    'refused-request': [1, 1, 1, 1, 1],
    'missing-key': [2],
    'short-timeout': [1],
    'unhonoured-key': [1],
    'card-number-sent': [1],
    'fast-polling': [4],
    'unknown-field': [1],
  });
  for (const { rule, link, fix } of findings) {
    expect(link).toBe(`docs/lint.md#${rule}`);
    expect(fix).not.toMatch(/\.$|\. [A-Z]/); // the advice is one sentence
  }
});

/** A point of sale that does everything right, so lint finds nothing. */
class CarefulPos extends Shop {
  /** Asks again and again until there is an outcome. Between two requests, time passes on pinpad's clock. */
  async outcomeOf(key: string): Promise<string> {
    for (;;) {
      const asked = this.asks(key);
      await this.harness.settled();
      const answer = await Promise.race([asked, this.harness.clock.advance(30_000).then(() => asked)]);
      if (answer.status === 200) return answer.body.response.result;
      await this.harness.clock.advance(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
      if (answer.status === 404) return 'none';
    }
  }
}

test('a POS that does everything right gets no findings, whatever happens to it', async () => {
  const pos = new CarefulPos(await stackHarness());
  const { harness } = pos;

  // An answer is lost, and the point of sale asks for the outcome.
  const lost = pos.newKey();
  await pos.paidUnheard(lost, 'sale-1');
  expect(await pos.outcomeOf(lost)).toBe('success');

  // After a decline, the point of sale requests the same amount with a new key. Then it requests another part of the
  // same sale, also with a new key.
  const declined = await harness.control('PUT', `/terminals/${harness.poiId}/outcome`, {
    outcome: { type: 'decline' },
  });
  expect(declined.status).toBe(200);
  const results: (string | undefined)[] = [];
  for (const _part of [1, 2, 3]) {
    const answer = await pos.paid(pos.sells(5, { key: pos.newKey(), reference: 'sale-2' }));
    results.push(answer?.body.response.result);
  }
  expect(results).toEqual(['failure', 'success', 'success']);

  // A request arrives late. Before it arrives, status requests get 404. A 404 proves nothing, so the point of sale
  // repeats the request with the same key.
  const late = pos.newKey();
  await pos.networkDoes('delayRequest', pos.paymentPath, { delayMs: 3_000 });
  await pos.sells(7, { key: late, reference: 'sale-3' }).catch(() => undefined);
  expect((await pos.asks(late)).status).toBe(404);
  const again = pos.sells(7, { key: late, reference: 'sale-3' });
  await pos.paid(again);
  await harness.clock.advance(4_000);

  // A customer takes longer than the gateway holds a request.
  const away = pos.newKey();
  expect((await pos.takesTooLong(away, 'sale-4')).status).toBe(303);
  expect(await pos.outcomeOf(away)).toBe('success');

  // If a refund gets no answer, the point of sale looks for the refund before it repeats the request.
  const refunds = await pos.chargesSavedCard();
  await pos.networkDoes('failAnswer', refunds);
  expect((await pos.refunds(refunds)).status).toBe(503);
  const listed = await harness.http<{ refunds: unknown[] }>('GET', refunds);
  expect(listed.body.refunds).toHaveLength(1);

  // The webhook receiver of this point of sale rejects messages without a valid signature.
  await verifiesSignatures(pos);

  expect(lintJournal(harness.journal())).toEqual([]);
});

async function verifiesSignatures({ harness }: Shop): Promise<void> {
  let webhook: Webhook | undefined;
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    try {
      webhook?.verify(Buffer.concat(chunks).toString(), request.headers as Record<string, string>);
      response.writeHead(204).end();
    } catch {
      response.writeHead(401).end();
    }
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  harness.beforeClose(() => receiver.close());
  const { port } = receiver.address() as AddressInfo;
  const { body } = await harness.control<{ secret: string }>('POST', '/webhooks', {
    id: 'pos',
    accountId: harness.stack.tokens[0]?.account,
    url: `http://127.0.0.1:${port}/`,
  });
  webhook = new Webhook(body.secret);
  const gateway = { url: harness.stack.url, controlToken: harness.stack.controlToken };
  expect(await probeWebhookSignatures(gateway)).toMatchObject([{ verified: true }]);
}
