import type { Runtime } from '../../shared/runtime.ts';
import type { Acquirer } from '../acquirer/service.ts';
import type { Unit } from '../store/schema.ts';
import type { Terminal } from '../terminals/directory.ts';
import { type Conclusions, gatewayFailure } from './conclusion.ts';
import type { OpenPayments } from './open-payments.ts';
import type { Recovery } from './recovery.ts';
import { updateOpen } from './rows.ts';

/**
 * What the deletion of a terminal does to its payment, in the commit of the deletion; gives what follows that.
 * The payment has no terminal any more: if it was not delivered it is aborted, otherwise it is lost (B8).
 */
export function terminalDeletion(parts: {
  runtime: Runtime;
  acquirer: Acquirer;
  conclusions: Conclusions;
  open: OpenPayments;
  recovery: Recovery;
}): (unit: Unit, terminal: Terminal) => Promise<() => void> {
  const { runtime, acquirer, conclusions, open, recovery } = parts;
  return async (unit, terminal) => {
    await acquirer.outcomes.drop(unit, terminal.id);
    const payment = open.onTerminal(terminal.id);
    if (!payment) return () => {};
    const now = runtime.clock.now();
    open.detach(unit, payment, now);
    if (payment.deliveredAt === undefined) {
      const why = 'the terminal was deleted before the payment was delivered';
      const concluding = await conclusions.write(unit, payment, gatewayFailure(payment, 'Aborted', why));
      return () => concluding && conclusions.finish(concluding);
    }
    await updateOpen(unit, payment.id, { terminal_deleted_at: now });
    return () => recovery.abandoned(payment);
  };
}
