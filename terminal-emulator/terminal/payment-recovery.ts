import { delay } from '../../shared/clock.ts';
import { describeCauseForLog } from '../../shared/file-fault.ts';
import { makeFailureResponse } from '../payment/payment-response.ts';
import type { PaymentParts } from './payment-parts.ts';
import type { SettledPayment } from './payment-settlement.ts';

interface RecoveryParts extends Pick<PaymentParts, 'terminal' | 'runtime' | 'memory' | 'volatile'> {
  readonly host: Pick<PaymentParts['host'], 'reverse'>;
  readonly outbox: Pick<PaymentParts['outbox'], 'put'>;
  readonly settle: (settled: SettledPayment) => Promise<void>;
}

/**
 * After a power cut, ends every payment that has no outcome yet, before the terminal connects to the gateway (B65).
 * If the memory cannot be used, for example because the disk is full, the terminal tries again until it succeeds.
 * Resolves to false if the power fails again during the recovery, or if the terminal is closed.
 */
export async function recoverAfterPowerCut(parts: RecoveryParts): Promise<boolean> {
  const { terminal, runtime, volatile } = parts;
  const stillOn = volatile.watchPower();
  for (let failures = 0; ; failures++) {
    try {
      return await recallOnce(parts);
    } catch (error) {
      if (!stillOn()) return false;
      const message = `the terminal stays offline until its memory can be used: ${describeCauseForLog(error)}`;
      if (failures === 0) runtime.journal.add('warning', { message }, { terminal: terminal.poiId });
    }
    const waited = delay(runtime.clock, runtime.timeouts.reversalRetryMs, volatile.signal);
    if (await waited.catch(() => true)) return false; // the power has failed, or the terminal was closed
  }
}

async function recallOnce(parts: RecoveryParts): Promise<boolean> {
  const { terminal, runtime, memory, host, outbox, volatile, settle } = parts;
  const stillOn = volatile.watchPower();
  const found = await memory.recall(terminal.poiId);
  if (!stillOn()) return false;
  for (const outcome of found.undelivered) outbox.put(outcome);
  for (const reversal of found.reversals) host.reverse(reversal);
  if (!found.underWay) return true;
  const { sale, phase, attemptId, paymentResult: result } = found.underWay;
  const at = runtime.clock.now();
  const response = makeFailureResponse({ sale, reason: 'powerLost', terminal, at, result, attemptId });
  const reversal = phase === 'authorizing' ? ({ attemptId, reason: 'Malfunction' } as const) : undefined;
  await settle({ sale, response, reversal });
  return stillOn();
}
