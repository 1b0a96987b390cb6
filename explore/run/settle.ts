import type { ControlClient } from '../../client/control-client.ts';
import type { Sale } from '../../shared/sales/sale.ts';

/** The most virtual time that a run gets to come to an end. */
const mostMs = 600_000;
const stepMs = 5_000;

/** How a run came to an end after its command. */
interface Settled {
  readonly settled: boolean;
  /** Deliveries to a receiver that refused connections, because it had ended with the command. */
  readonly unjudgedDeliveries: number;
}

/**
 * Lets time go on until nothing is open: payments, reversals, refunds, deliveries and late requests.
 *
 * @param lastsMs how long what was planned to go wrong may still act
 * @param advance lets so much time pass
 */
export async function settle(
  control: ControlClient,
  lastsMs: number,
  advance: (ms: number) => Promise<void>,
): Promise<Settled> {
  for (let passed = 0; ; passed += stepMs) {
    const open = await whatIsOpen(control);
    if (passed >= lastsMs && open.others === 0 && open.deliveries <= open.refused)
      return { settled: true, unjudgedDeliveries: open.refused };
    if (passed >= mostMs) return { settled: false, unjudgedDeliveries: open.refused };
    await advance(stepMs);
  }
}

async function whatIsOpen(control: ControlClient) {
  const books = await control.GET('/control/books');
  const { counts } = await control.GET('/control');
  const { sales } = await control.GET('/control/sales', { params: { query: { limit: 1_000 } } });
  const deliveries = await control.GET('/control/webhook-deliveries', {
    params: { query: { state: 'pending', limit: 1_000 } },
  });
  const open = sales.filter(isUnderWay).length;
  return {
    others: counts.openPayments + open + (books.agree ? 0 : 1),
    deliveries: deliveries.length,
    refused: deliveries.filter(isRefused).length,
  };
}

/** A link waits for a customer, and what is only held for the point of sale: both for days. */
function isUnderWay({ outcome, kind, attempts }: Sale): boolean {
  if (outcome !== 'open' || kind === 'link') return false;
  return !attempts.some(({ reason }) => reason === 'preauthorized');
}

/** The latest attempt found nobody at the receiver's address. */
function isRefused({ attempts }: { attempts: readonly { error: string | null }[] }): boolean {
  return /refused/i.test(attempts.at(-1)?.error ?? '');
}
