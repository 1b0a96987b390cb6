import { expect, test } from 'vitest';
import type { Finding } from '../../shared/lint/finding.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import { createSalesHarness } from '../../shared/sales/sales.fixture.ts';
import type { SaleAssembler } from '../../shared/sales/sales.ts';
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
  } as Partial<Record<keyof SaleAssembler, unknown>> as SaleAssembler;
  const assigner = new SaleFindingAssigner(findings);

  assigner.note([request]);
  expect(assigner.assignTo(sales)).toEqual([]);
  isKnown = true;
  expect(assigner.assignTo(sales)).toEqual(['s1']);
  expect(assigner.assignTo(sales)).toEqual([]);
  expect(assigned).toEqual(['s1']);
});

test('if a sale becomes part of another sale, the other sale keeps the findings about both (B255)', () => {
  const blamed = ['p1', 'p2'].map(
    (payment, index) => ({ received: { seq: index + 1 }, requestId: `r${index + 1}`, payment }) as PosRequest,
  );
  const list = (requests: Iterable<PosRequest> = []) =>
    [...requests].map(({ requestId }) => ({ rule: requestId }) as unknown as Finding);
  const assigner = new SaleFindingAssigner({ blamed, list } as Partial<FindingsService> as FindingsService);
  const pos = createSalesHarness({
    regrouped: (saleId) => void assigner.noteRegrouped(saleId),
  });
  for (const payment of ['p1', 'p2']) pos.accepted(pos.asks({ key: payment }), payment, { key: payment });
  assigner.note(blamed);
  expect(assigner.assignTo(pos.sales)).toEqual(['p1', 'p2']);
  const stored = ['p1', 'p2'].map((payment) => ({
    ...{ payment, accountId: 'shop', key: payment, reference: 'table-7', acceptedAt: pos.clock.now() },
    ...{ amount: 1250, currency: 'EUR', outcome: 'open' as const, charged: 0 },
  }));
  pos.sales.complete('p1', stored);
  assigner.note(blamed.slice(0, 1));
  expect(assigner.assignTo(pos.sales)).toEqual(['p1']);
  expect(pos.sales.get('p1')?.findings).toMatchObject([{ rule: 'r1' }, { rule: 'r2' }]);
});
