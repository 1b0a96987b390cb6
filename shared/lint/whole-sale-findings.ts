import type { Sale } from '../sales/sale.ts';
import { type Finding, ruleLinkOf } from './finding.ts';

/** For each rule about a sale as a whole, the reason why the rule matters. */
const whys: Readonly<Record<string, string>> = {
  'wrong-belief':
    'if the shop is wrong about a payment, it charges twice, gives goods away, or refuses goods to a customer who has paid',
  'shared-reference':
    'a reference should name one sale: if all payments have the same reference, the reference does not say which payments belong together',
};

/** Returns the findings about a sale as a whole: a wrong belief, or a reference that too many payments share (B255). */
export function findWholeSaleFindings(sale: Sale): Finding[] {
  return sale.findings.flatMap((found) => {
    const why = whys[found.rule];
    if (why === undefined) return [];
    const payment = sale.attempts.at(-1)?.payment;
    return {
      ...{ ...found, why, link: ruleLinkOf(found.rule), entries: [], at: Date.parse(sale.startedAt) },
      ...(payment === undefined ? {} : { payment }),
    };
  });
}
