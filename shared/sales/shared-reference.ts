import type { SaleFinding } from './sale.ts';

/** Makes the finding about a reference that too many payments share (B237). */
export function makeSharedReferenceFinding(reference: string, payments: number): SaleFinding {
  return {
    rule: 'shared-reference',
    severity: 'warning',
    what: `${payments} payments have the saleReferenceId ${reference}, so the reference does not say which of them belong together`,
    fix: 'give every sale its own saleReferenceId, and use it again only for other payments of the same sale',
    count: payments,
  };
}
