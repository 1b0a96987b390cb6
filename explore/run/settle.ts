import type { ControlClient } from '../../client/control-client.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import type { RunEnvironment } from './run-environment.ts';

type Settling = Pick<RunEnvironment, 'control' | 'sales' | 'earlierDeliveries' | 'advance'>;

/** The virtual milliseconds within which everything that a run began must be over. */
const mostMs = 600_000;
const stepMs = 5_000;

/** The state of a run some time after its command has ended. */
interface Settled {
  readonly settled: boolean;
  /**
   * The debits, refunds and credits whose webhook deliveries failed because the command's receiver had ended together
   * with the command.
   */
  readonly unjudgedDeliveries: readonly string[];
}

/**
 * Lets time pass until no payment, reversal, refund, webhook delivery or late request is open, but at most ten virtual
 * minutes. Does not wait for deliveries to a receiver that has ended.
 *
 * @param lastsMs the virtual milliseconds during which the planned faults may still have an effect
 */
export async function waitUntilNothingOpen(environment: Settling, lastsMs: number): Promise<Settled> {
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
 * Whether a sale is open, but will be over soon. Returns false for a payment link, because its customer may pay days
 * later. Also returns false for a preauthorized amount, because it is held until the point of sale captures or releases
 * it.
 */
function isUnderWay({ outcome, kind, attempts }: Sale): boolean {
  if (outcome !== 'open' || kind === 'link') return false;
  return !attempts.some(({ reason }) => reason === 'preauthorized');
}

/**
 * Counts the open payments of the whole gateway, and adds 1 if its books do not agree. Only for a gateway without other
 * users.
 */
async function openOfAll(control: ControlClient): Promise<number> {
  const { agree } = await control.GET('/control/books');
  const { counts } = await control.GET('/control');
  return counts.openPayments + (agree ? 0 : 1);
}

/** Whether the connection of the latest attempt was refused, because no program listens at the receiver's address. */
function isRefused({ attempts }: { attempts: readonly { error: string | null }[] }): boolean {
  return /refused/i.test(attempts.at(-1)?.error ?? '');
}
