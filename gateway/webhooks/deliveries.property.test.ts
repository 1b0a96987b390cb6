import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { seededRandom } from '../../shared/random.ts';
import { CardBed, day } from '../saved-cards/card-bed.fixture.ts';
import { type Reaction, Receiver } from './receiver.fixture.ts';

const seeds = [1, 2, 3, 4, 5];

/** After so many failures in a row of one event the receiver takes it, since tries are not without end. */
const mostFailures = 8;

test.each(seeds)(
  'a receiver that drops, delays, repeats and errors at random gets every event, in order per resource (seed %i)',
  async (seed) => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-webhooks-'));
    const bed = await CardBed.start({ folder, seed, gateway: { webhookPatienceMs: 25 } });
    const receiver = await Receiver.start();
    onTestFinished(async () => {
      await bed.stop();
      await receiver.close();
      rmSync(folder, { recursive: true });
    });
    const random = seededRandom(seed);
    const taken: { id: string; resource: string }[] = [];
    const failures = new Map<string, number>();
    receiver.react = ({ headers, event }) => {
      const id = headers['webhook-id'] as string;
      const take = () => taken.push({ id, resource: event.data.refundId ?? event.data.transactionId });
      const reaction = react(random.int(10), take);
      const failed = failures.get(id) ?? 0;
      if (reaction !== 200 && failed >= mostFailures) {
        take();
        return 200;
      }
      failures.set(id, failed + 1);
      return reaction;
    };
    await bed.control('POST', '/control/webhooks', { accountId: 'shop', url: receiver.url });

    const debits: string[] = [];
    for (let step = 0; step < 25; step++) {
      const pick = random.int(6);
      const debit = debits[random.int(debits.length || 1)];
      if (pick <= 1 || !debit) debits.push(await bed.paid(20, pick ? 'visa' : 'refund-fails-later'));
      else if (pick === 2) await bed.charge(1, 'insufficient-funds');
      else if (pick === 3) await bed.capture((await bed.preauthorize(3)).body.debit_id);
      else await bed.refund(debit, 1);
      if (step % 6 === 5) await bed.clock.advance(random.int(4_000));
      if (step === 12) await bed.restart(random.int(60_000));
    }
    await bed.clock.advance(4 * day);

    const events = (await bed.gateway.events.list({ limit: 1000 })).reverse();
    expect(events.length).toBeGreaterThan(20);
    const first = [...new Set(taken.map(({ id }) => id))];
    expect(first.toSorted()).toEqual(events.map(({ id }) => id).toSorted());
    for (const resource of new Set(events.map(({ resourceId }) => resourceId))) {
      const due = events.filter(({ resourceId }) => resourceId === resource).map(({ id }) => id);
      expect(first.filter((id) => due.includes(id))).toEqual(due);
    }
    expect(taken.length).toBeGreaterThan(first.length); // some came twice, or nothing was repeated
    const deliveries = await bed.gateway.deliveries.list({ limit: 1000 });
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(['delivered']));
  },
);

/** What the receiver does; `take` where it has worked on the event, whatever it answers then. */
function react(pick: number, take: () => void): Reaction {
  if (pick < 2) return 500;
  if (pick === 2) return 'hangsUp';
  if (pick === 3) return 'hangs';
  take();
  if (pick === 4) return 503; // it did its work, and says it did not: the event comes again
  if (pick === 5) return 'hangsUp';
  if (pick === 6)
    return (response) => {
      setImmediate(() => setImmediate(() => response.writeHead(200).end('late')));
    };
  return 200;
}
