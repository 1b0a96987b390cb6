import { ruleLinkOf } from '../../shared/lint/finding.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { type SaleStep, saleStepsOf } from '../../shared/sales/sale-steps.ts';
import { majorAmountText, saleAmountText } from './sale-line.ts';
import { emptyLine, fieldLines, makeSheetLine, type SheetLine, styleText, wrapSheetLine } from './sheet.ts';
import { findSelectedSale, type TuiState } from './state.ts';
import { terminalNameOf } from './terminal-name.ts';
import { theme } from './theme.ts';

/** A row of a sale's page: a line that the user reads, or a step that the user can open. */
export type SalePageRow = { readonly line: SheetLine } | { readonly step: SaleStep; readonly index: number };

interface CallsPage {
  readonly title: string;
  readonly rows: readonly SalePageRow[];
  readonly steps: readonly SaleStep[];
}

/**
 * Makes the page of a sale (B267). The page begins with the mistakes in the sale, and says how to correct them. After
 * that, it shows each request with its answer and its effect.
 */
export function makeSalePage(state: TuiState): CallsPage {
  const sale = findSelectedSale(state);
  if (!sale) return { title: 'No sale yet', rows: [], steps: [] };
  const steps = saleStepsOf(
    sale,
    state.journal.map(({ entry }) => entry),
  );
  const currency = sale.currency ? `${sale.currency} ` : '';
  const names = [sale.saleReferenceId, `${currency}${saleAmountText(sale)}`, sale.outcomeText];
  const about = [
    ...sale.findings.flatMap(({ rule, severity, what, fix, count }) => [
      makeSheetLine(
        styleText(`${severity === 'error' ? 'Wrong' : 'Risky'}: `, theme.warning),
        styleText(`${rule}${count > 1 ? ` (${count} times)` : ''}: `, theme.strong),
        styleText(what),
      ),
      makeSheetLine(styleText(`  ${fix} (${ruleLinkOf(rule)})`, theme.faint)),
    ]),
    ...(sale.findings.length > 0 ? [emptyLine] : []),
    ...fieldLines('terminal', sale.terminal && terminalNameOf(state, sale.terminal)),
    ...fieldLines('Idempotency-Key', sale.idempotencyKey),
    ...fieldLines('charged', chargedText(sale)),
    ...fieldLines('given back', givenBackText(sale)),
    ...fieldLines('why', sale.why),
    ...(sale.callsKnown
      ? []
      : [
          makeSheetLine(
            styleText(
              'The first calls of this sale are not known, because the journal begins after them.',
              theme.warning,
            ),
          ),
        ]),
    emptyLine,
  ];
  return {
    title: `Sale ${names.filter(Boolean).join(', ')}`,
    rows: [
      ...about.flatMap((each) => wrapSheetLine(each, state.size.columns - 2)).map((each) => ({ line: each })),
      ...steps.map((step, index) => ({ step, index })),
    ],
    steps,
  };
}

function chargedText({ charged, currency, told }: Sale): string | undefined {
  if (charged === null || charged < 0 || told === 'nothing') return undefined;
  const amount = [currency, majorAmountText(charged, currency)].filter(Boolean).join(' ');
  return `${amount}; the point of sale ${toldWords[told]}`;
}

/** Says how much money reversals and refunds at terminals gave back. */
function givenBackText({ kind: of, attempts, currency }: Sale): string | undefined {
  const given = attempts.filter(({ charged }) => (charged ?? 0) < 0);
  if (given.length === 0) return undefined;
  return given
    .map(({ kind, charged, told }) => {
      const amount = [currency, majorAmountText(-(charged ?? 0), currency)].filter(Boolean).join(' ');
      const name = kind === 'reversal' ? 'reversal' : 'refund';
      const alone = of === 'cardRefund' && told === 'told' ? ', and the point of sale was told' : '';
      const untold = told === 'untold' ? ', but the point of sale was not told' : '';
      return `${amount} by a ${name}${untold}${alone}`;
    })
    .join('; ');
}

const toldWords = {
  told: 'was told the outcome',
  untold: 'was not told the outcome',
  unknown: 'may have been told the outcome: the journal begins later',
} as const;

/** Returns the index of the selected step. Before the user selects a step, the first step is selected. */
export function findSelectedStepIndex(state: TuiState, { steps }: CallsPage): number {
  return Math.max(0, Math.min(state.callAt, steps.length - 1));
}
