import { meet } from './faults/kinds.ts';
import type { Faults } from './faults.ts';
import { FaultyExchangeOf } from './faulty-exchange.ts';
import type { Locals } from './middleware.ts';

/** Takes the fault that a test has set for this request; true where the request is not to be executed. */
export async function meetsFault(
  faults: Faults,
  { caller, exchange }: Locals,
  body: string | undefined,
): Promise<boolean> {
  if (exchange.isCopy) return false;
  const { method, url: path = '' } = exchange.request;
  const fault = await faults.take({ method: method ?? '', path, accountId: caller?.accountId });
  if (!fault) return false;
  const met = meet(fault, new FaultyExchangeOf({ exchange, fault, body }));
  if (met === 'over') return true;
  exchange.instead = met;
  return false;
}
