import type { SaleFinding } from './sale.ts';

/** Makes the finding about a reference that too many payments share (B237). */
export function sharedReference(reference: string, payments: number): SaleFinding {
  return {
    rule: 'shared-reference',
    severity: 'warning',
    what: `${payments} payments share the saleReferenceId ${reference}, so it does not say which belong together`,
    fix: 'give every sale a saleReferenceId of its own, and use it again only for further payments of that sale',
    count: payments,
  };
}
