import type { DialectRequestMeaning } from '../../shared/dialect-meaning.ts';
import type { Faults } from '../faults/faults.ts';
import { applyFaultToExchange, requestFaultNames } from './faults/kinds.ts';
import { FaultyExchange } from './faulty-exchange.ts';
import type { Locals } from './middleware.ts';

/** Applies the fault that a test has set for this request. Returns true if the request must not be carried out. */
export async function applyRequestFault(
  faults: Faults,
  { caller, exchange }: Locals,
  body: string | undefined,
  asks: DialectRequestMeaning | undefined,
): Promise<boolean> {
  if (exchange.copyOf !== undefined) return false;
  const { method, url: path = '' } = exchange.request;
  const request = { method: method ?? '', path, accountId: caller?.accountId, asks: asks?.kind };
  const fault = await faults.takeForRequest(request, requestFaultNames);
  if (!fault) return false;
  const met = applyFaultToExchange(fault, new FaultyExchange({ exchange, fault, body }));
  if (met === 'over') return true;
  exchange.answerReceiver = met;
  return false;
}
