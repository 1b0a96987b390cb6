import { join } from 'node:path';
import { defaultAmountEndingRefusals } from '../gateway/acquirer/amount-endings.ts';
import { toLowerCamel } from '../shared/nexo/enums.ts';
import { formatMarkdownTable, withTable } from './page-tables.ts';

/** The page that lists the amounts with which the host refuses a payment. */
export const outcomesPagePath = join(import.meta.dirname, '..', 'docs', 'outcomes.md');

/** Puts the table of amount endings between the marks of the page. */
export function withEndingsTable(page: string): string {
  return withTable('docs/outcomes.md', page, 'endings', endingsTable());
}

function endingsTable(): string {
  const rows = Object.entries(defaultAmountEndingRefusals).map(
    ([ending, { errorCondition, refusalReason, message }]) => [
      ending,
      `\`${toLowerCamel(errorCondition)}\``,
      refusalReason,
      message,
    ],
  );
  return formatMarkdownTable(['Ending', 'errorCondition', 'refusalReason', 'message'], rows);
}
