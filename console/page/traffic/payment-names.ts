import { timeOfDayText, withShortIds } from './entry-view.ts';
import { readPaymentOutcomes } from './outcomes.ts';
import type { TrafficLog } from './traffic-log.ts';

/**
 * Returns names for the payments, debits and credits of a log, such as `12:41:07 EUR 12.50 success`. People can tell
 * them apart by these names (B265).
 */
export function makePaymentNames(log: TrafficLog): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const begun = new Map<string, number>();
  for (const entry of log.entries) {
    const id = log.paymentOf(entry);
    if (id === undefined || begun.has(id)) continue;
    begun.set(id, entry.at);
    names.set(id, `${timeOfDayText(entry.at).slice(0, 8)} ${withShortIds(id)}`);
  }
  for (const { id, amount, outcome } of readPaymentOutcomes(log.entries)) {
    const at = begun.get(id);
    if (at !== undefined) names.set(id, `${timeOfDayText(at).slice(0, 8)} ${amount} ${outcome}`);
  }
  return names;
}
