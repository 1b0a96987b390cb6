import type { Sale } from '../sales/sale.ts';
import { type Finding, linkOf } from './finding.ts';

/** Rules about a sale as a whole: no request of it shows them. */
const whys: Readonly<Record<string, string>> = {
  'wrong-belief':
    'a shop that takes a sale for something else than what was paid charges twice, gives goods away, or keeps them from who paid',
  'shared-reference':
    'a reference joins the payments of one sale: one that all payments share tells nobody which of them belong together',
};

/** What is wrong with a sale by what it is: what is believed of it, and whom it shares its reference with (B255). */
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
