import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeSeededRandom } from '../../shared/random.ts';
import { scaledDraws } from '../../test/draws.ts';
import { makeLink, startHarnessWithQuestion } from '../credits/customer.fixture.ts';
import { day, type SavedCardsHarness } from '../saved-cards/saved-cards-harness.fixture.ts';
import { type Reaction, Receiver } from './receiver.fixture.ts';

const seeds = Array.from({ length: scaledDraws(1) }, (_, at) => at + 1);

const iban = { kind: 'iban', iban: 'DE89370400440532013000' };

/**
 * The maximum number of failed tries for one event. A try fails if the receiver drops or delays the event, for example.
 * After this number of failures the receiver accepts the event, because the number of tries is limited.
 */
const mostFailures = 8;

test.each(seeds)(
  'a receiver that drops, delays, repeats and fails at random gets every event, in order per resource (seed %i)',
  async (seed) => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-webhooks-'));
    const harness = await startHarnessWithQuestion({ folder, seed, gateway: { webhookTimeoutMs: 25 } });
    const receiver = await Receiver.start();
    onTestFinished(async () => {
      await harness.stop();
      await receiver.close();
      rmSync(folder, { recursive: true });
    });
    const random = makeSeededRandom(seed);
    const taken: { id: string; resource: string }[] = [];
    const failures = new Map<string, number>();
    receiver.react = ({ headers, event }) => {
      const id = headers['webhook-id'] as string;
      const take = () =>
        taken.push({ id, resource: event.data.refundId ?? event.data.transactionId ?? event.data.creditId });
      const reaction = react(random.int(10), take);
      const failed = failures.get(id) ?? 0;
      if (reaction !== 200 && failed >= mostFailures) {
        take();
        return 200;
      }
      failures.set(id, failed + 1);
      return reaction;
    };
    await harness.control('POST', '/control/webhooks', { accountId: 'shop', url: receiver.url });

    const debits: string[] = [];
    for (let step = 0; step < 35; step++) {
      await something(harness, (below) => random.int(below), debits);
      if (step % 6 === 5) await harness.clock.advance(random.int(4_000));
      if (step === 17) await harness.restart(random.int(60_000));
    }
    // On a busy machine the receiver may answer too late. Each such failure means one more try.
    const pending = () => harness.gateway.deliveries.list({ limit: 1, state: 'pending' });
    for (let days = 0; days < 8 && (await pending()).length > 0; days++) await harness.clock.advance(day);

    const events = (await harness.gateway.events.list({ limit: 1000 })).reverse();
    expect(events.length).toBeGreaterThan(20);
    const first = [...new Set(taken.map(({ id }) => id))];
    expect(first.toSorted()).toEqual(events.map(({ id }) => id).toSorted());
    for (const resource of new Set(events.map(({ resourceId }) => resourceId))) {
      const due = events.filter(({ resourceId }) => resourceId === resource).map(({ id }) => id);
      expect(first.filter((id) => due.includes(id))).toEqual(due);
    }
    // At least one event must have come twice. Otherwise the test would say nothing about repeated events.
    expect(taken.length).toBeGreaterThan(first.length);
    const deliveries = await harness.gateway.deliveries.list({ limit: 1000 });
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(['delivered']));
  },
);

/** Carries out one operation on debits, refunds or payment links. The operation makes events. It may fail. */
async function something(
  harness: SavedCardsHarness,
  pick: (below: number) => number,
  debits: string[],
): Promise<void> {
  const debit = debits[pick(debits.length || 1)];
  switch (debit === undefined ? 0 : pick(9)) {
    case 0:
      return void debits.push(await harness.paid(20));
    case 1:
      return void debits.push(await harness.paid(20, 'refund-fails-later'));
    case 2:
      return void (await harness.charge(1, 'insufficient-funds'));
    case 3: {
      const card = pick(2) === 0 ? 'visa' : 'fails-at-capture';
      return void (await harness.capture((await harness.preauthorize(3, card)).body.debit_id));
    }
    case 4: {
      const { debit_id } = (await harness.preauthorize(3)).body;
      return void (await harness.control('POST', `/control/debits/${debit_id}/expire`));
    }
    case 5: {
      const refunds = await Promise.all([harness.refund(debit ?? '', 1), harness.refund(debit ?? '', 2)]);
      return void (await harness.control('POST', `/control/refunds/${refunds[0].body.id}/fail`));
    }
    case 6: {
      const { id } = await makeLink(harness);
      if (pick(2) === 0) await harness.control('POST', `/control/credits/${id}/refuse`);
      return void (await harness.control('POST', `/control/credits/${id}/accept`, iban));
    }
    case 7:
      return void (await harness.control('POST', `/control/credits/${(await makeLink(harness)).id}/expire`));
    default:
      return void (await harness.refund(debit ?? '', 1));
  }
}

/**
 * Chooses the receiver's reaction. Calls `take` when the receiver has processed the event. The receiver may still give
 * a wrong answer after that.
 */
function react(pick: number, take: () => void): Reaction {
  if (pick < 2) return 500;
  if (pick === 2) return 'hangsUp';
  if (pick === 3) return 'hangs';
  take();
  // The receiver has processed the event, but its answer says the opposite. So the event comes again.
  if (pick === 4) return 503;
  if (pick === 5) return 'hangsUp';
  if (pick === 6)
    return (response) => {
      setImmediate(() => setImmediate(() => response.writeHead(200).end('late')));
    };
  return 200;
}
