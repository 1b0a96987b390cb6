import type { Sale } from '../sales/sale.ts';
import { type Finding, linkOf } from './finding.ts';

/** The rules about a sale as a whole, which no single request breaks. */
const whys: Readonly<Record<string, string>> = {
  'wrong-belief':
    'a shop that takes a sale for something else than what was paid charges twice, gives goods away, or keeps them from who paid',
  'shared-reference':
    'a reference joins the payments of one sale: one that all payments share tells nobody which of them belong together',
};

/** The findings about a sale as a whole: a wrong belief, or a reference that too many payments share (B255). */
export function ownFindings(sale: Sale): Finding[] {
  return sale.findings.flatMap((found) => {
    const why = whys[found.rule];
    if (why === undefined) return [];
    const payment = sale.attempts.at(-1)?.payment;
    return {
      ...{ ...found, why, link: linkOf(found.rule), entries: [], at: Date.parse(sale.startedAt) },
      ...(payment === undefined ? {} : { payment }),
    };
  });
}
