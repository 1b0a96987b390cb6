import { expect, test } from 'vitest';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import type { Sales } from '../../shared/sales/sales.ts';
import type { FindingsService } from '../findings/service.ts';
import { SaleFindingAssigner } from './sale-findings.ts';

test('a finding about a request is assigned to its sale, even if the sale is known only later (B255)', () => {
  const request = { received: { seq: 1 }, requestId: 'r1' } as PosRequest;
  const findings = { blamed: [request], list: () => [] } as Partial<FindingsService> as FindingsService;
  let isKnown = false;
  const assigned: string[] = [];
  const sales = {
    ofRequest: () => (isKnown ? { saleId: 's1' } : undefined),
    setFindings: (saleId: string) => assigned.push(saleId),
  } as Partial<Record<keyof Sales, unknown>> as Sales;
  const assigner = new SaleFindingAssigner(findings);

  assigner.note([request]);
  expect(assigner.assignTo(sales)).toEqual([]);
  isKnown = true;
  expect(assigner.assignTo(sales)).toEqual(['s1']);
  expect(assigner.assignTo(sales)).toEqual([]);
  expect(assigned).toEqual(['s1']);
});
