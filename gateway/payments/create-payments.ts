import type { JournalReader } from '../../shared/journal.ts';
import type { KeyedTaskQueue } from '../../shared/lanes.ts';
import type { AccountService } from '../accounts/service.ts';
import { throwUnavailableIfFull } from '../http/unavailable-if-full.ts';
import type { GatewayLifeMoments } from '../moments/gateway-moments.ts';
import { GatewayPaymentAcceptor } from './acceptance.ts';
import { PaymentExplainer } from './explain.ts';
import { IdempotencyKeyRegistry } from './moving/idempotency-keys.ts';
import { makePaymentEngineFactory } from './moving/payment-engine.ts';
import { currentPaymentSubject } from './moving/payment-engine-adapter.ts';
import { PaymentMomentReporter } from './moving/payment-moments.ts';
import { recoverPayments } from './moving/recovery.ts';
import { makePoiHandlers } from './moving/terminal-messages.ts';
import { PaymentWaiters } from './moving/waiters.ts';
import type { PaymentEngineMaker, PaymentEngineMakerParts } from './running.ts';
import { PaymentService } from './service.ts';

interface PaymentServiceParts extends Omit<PaymentEngineMakerParts, 'waiting' | 'engineWith'> {
  lanes: KeyedTaskQueue;
  accounts: AccountService;
  run: PaymentEngineMaker;
  /** Reads the journal entries of all gateways. */
  journal: JournalReader;
  moments: GatewayLifeMoments;
}

/** Opens the service for payments on terminals. It continues the payments that a former process left open. */
export async function openPaymentService(
  on: PaymentServiceParts,
): Promise<{ payments: PaymentService; explanations: PaymentExplainer }> {
  const { terminals, poi } = on;
  const waiting = new PaymentWaiters(on.runtime.clock);
  const keys = await IdempotencyKeyRegistry.open(on);
  const moments = new PaymentMomentReporter(on.moments, waiting);
  const engineWith = makePaymentEngineFactory({ ...on, keys, waiting, moments });
  const { engine: turns, elsewhere } = on.run({ ...on, waiting, engineWith });
  const effects = turns.effects;
  const failed = (terminalId: string, error: unknown) => effects.failed(terminalId, error);
  const acceptance = new GatewayPaymentAcceptor({ ...on, turns, keys, waiting, elsewhere });
  const payments = new PaymentService({ ...on, acceptance, waiting, turns, effects, elsewhere });
  terminals.onDelete(async (id) => {
    const input = () => ({ is: 'terminalDeleted', terminal: terminals.required(id) }) as const;
    await throwUnavailableIfFull(turns.put(id, currentPaymentSubject, input));
  });
  poi.handle(makePoiHandlers({ ...on, turns, failed }));
  if (!elsewhere.possible) await recoverPayments({ ...on, turns, failed });
  return { payments, explanations: new PaymentExplainer({ ...on, elsewhere }) };
}
