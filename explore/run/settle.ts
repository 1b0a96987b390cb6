import type { ControlClient } from '../../client/control-client.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import type { RunEnvironment } from './run-environment.ts';

type Settling = Pick<RunEnvironment, 'control' | 'sales' | 'earlierDeliveries' | 'advance'>;

/** All that a run began must be over within this virtual time. */
const mostMs = 600_000;
const stepMs = 5_000;

/** The state of a run some time after its command has ended. */
interface Settled {
  readonly settled: boolean;
  /**
   * The debits, refunds and credits whose webhook deliveries failed, because the receiver had ended with the command.
   */
  readonly unjudgedDeliveries: readonly string[];
}

/**
 * Lets time pass until no payment, reversal, refund, webhook delivery or late request is open, but at most ten virtual
 * minutes. Deliveries that a receiver refused because it had ended do not count.
 *
 * @param lastsMs for how long the planned faults may still have an effect, in virtual milliseconds
 */
export async function settle(environment: Settling, lastsMs: number): Promise<Settled> {
  for (let passed = 0; ; passed += stepMs) {
    const open = await whatIsOpen(environment);
    if (passed >= lastsMs && open.others === 0 && open.deliveries <= open.refused.length)
      return { settled: true, unjudgedDeliveries: open.refused };
    if (passed >= mostMs) return { settled: false, unjudgedDeliveries: open.refused };
    await environment.advance(stepMs);
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

/**
 * Whether a sale will be over soon. Returns false for a link, which may wait for its customer for days, and for a held
 * amount, which may wait for the point of sale.
 */
function isUnderWay({ outcome, kind, attempts }: Sale): boolean {
  if (outcome !== 'open' || kind === 'link') return false;
  return !attempts.some(({ reason }) => reason === 'preauthorized');
}

/** Counts everything that is open at a gateway without other users. */
async function openOfAll(control: ControlClient): Promise<number> {
  const { agree } = await control.GET('/control/books');
  const { counts } = await control.GET('/control');
  return counts.openPayments + (agree ? 0 : 1);
}

/** Whether the latest attempt was refused at the receiver's address, because no program listens there. */
function isRefused({ attempts }: { attempts: readonly { error: string | null }[] }): boolean {
  return /refused/i.test(attempts.at(-1)?.error ?? '');
}
