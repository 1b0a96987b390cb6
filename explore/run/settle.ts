import type { ControlClient } from '../../client/control-client.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import type { RunGround } from './ground.ts';

type Settling = Pick<RunGround, 'control' | 'sales' | 'earlierDeliveries' | 'advance'>;

/** The most virtual time that a run gets to come to an end. */
const mostMs = 600_000;
const stepMs = 5_000;

/** The end of a run after its command. */
interface Settled {
  readonly settled: boolean;
  /** The subjects of deliveries whose receiver refused connections, because it had ended with the command. */
  readonly unjudgedDeliveries: readonly string[];
}

/**
 * Lets time go on until nothing is open: payments, reversals, refunds, deliveries and late requests.
 *
 * @param lastsMs how long the planned faults may still act, in virtual milliseconds
 */
export async function settle(ground: Settling, lastsMs: number): Promise<Settled> {
  for (let passed = 0; ; passed += stepMs) {
    const open = await whatIsOpen(ground);
    if (passed >= lastsMs && open.others === 0 && open.deliveries <= open.refused.length)
      return { settled: true, unjudgedDeliveries: open.refused };
    if (passed >= mostMs) return { settled: false, unjudgedDeliveries: open.refused };
    await ground.advance(stepMs);
  }
}

async function whatIsOpen({ control, sales, earlierDeliveries }: Settling) {
  const params = { query: { state: 'pending', limit: 1_000 } } as const;
  const pending = await control.GET('/control/webhook-deliveries', { params });
  const deliveries = pending.filter(({ id }) => !earlierDeliveries?.has(id));
  const open = (await sales()).filter(isUnderWay).length;
  return {
    others: open + (earlierDeliveries ? 0 : await openOfAll(control)),
    deliveries: deliveries.length,
    refused: deliveries.filter(isRefused).map(({ resourceId }) => resourceId),
  };
}

/** A link waits for a customer, and what is only held for the point of sale: both for days. */
function isUnderWay({ outcome, kind, attempts }: Sale): boolean {
  if (outcome !== 'open' || kind === 'link') return false;
  return !attempts.some(({ reason }) => reason === 'preauthorized');
}

/** Counts what is open at a gateway that has no other user. */
async function openOfAll(control: ControlClient): Promise<number> {
  const { agree } = await control.GET('/control/books');
  const { counts } = await control.GET('/control');
  return counts.openPayments + (agree ? 0 : 1);
}

/** Whether the latest attempt was refused at the receiver's address, because no program listens there. */
function isRefused({ attempts }: { attempts: readonly { error: string | null }[] }): boolean {
  return /refused/i.test(attempts.at(-1)?.error ?? '');
}
