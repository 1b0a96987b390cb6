import type { OutcomeToldState, Sale, SaleKind, SaleOutcome } from '../../shared/sales/sale.ts';

/** The properties of the sales that a request asks for. */
export interface SaleFilter {
  readonly accountId?: string;
  readonly terminal?: { readonly id: string; readonly poiId: string };
  readonly saleReferenceId?: string;
  readonly idempotencyKey?: string;
  readonly kind?: SaleKind;
  readonly outcome?: SaleOutcome;
  readonly told?: OutcomeToldState;
  readonly own?: boolean;
  readonly findings?: boolean;
}

/** Returns whether a sale has the properties that a request asks for. */
export function matchesFilter(sale: Sale, filter: SaleFilter): boolean {
  const { accountId, terminal, saleReferenceId, idempotencyKey, kind, outcome, told, own, findings } = filter;
  const hasKey = () =>
    sale.attempts.some((attempt) => attempt.idempotencyKey === idempotencyKey) ||
    sale.calls.some((call) => call.idempotencyKey === idempotencyKey);
  return (
    (accountId === undefined || sale.accountId === accountId) &&
    (terminal === undefined || isAt(sale, terminal.poiId)) &&
    (saleReferenceId === undefined || sale.saleReferenceId === saleReferenceId) &&
    (idempotencyKey === undefined || hasKey()) &&
    (kind === undefined || sale.kind === kind) &&
    (outcome === undefined || sale.outcome === outcome) &&
    (told === undefined || sale.told === told) &&
    (own === undefined || (sale.own !== null) === own) &&
    (findings === undefined || sale.findings.length > 0 === findings)
  );
}

/**
 * Returns whether a sale is at a terminal. A sale without a payment belongs to the terminal that the POS named in its
 * request (B402).
 */
function isAt({ terminal, attempts }: Sale, poiId: string): boolean {
  return terminal === poiId || attempts.some((attempt) => attempt.terminal === poiId);
}
