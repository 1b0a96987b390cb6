import { join } from 'node:path';
import { amountEndings } from '../gateway/acquirer/amount-endings.ts';
import { lowerCamel } from '../shared/nexo/enums.ts';

/** The place of the page, and the marks around the table of endings. */
export const outcomesPage = join(import.meta.dirname, '..', 'docs', 'outcomes.md');
const [begin, end] = ['<!-- endings: written by npm run generate -->', '<!-- end of endings -->'];

/** Puts the table of amount endings between the marks of a page. */
export function withEndingsTable(page: string): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/outcomes.md has no ${begin} … ${end}`);
  return `${before}${begin}\n\n${endingsTable()}\n\n${end}${after}`;
}

function endingsTable(): string {
  const rows = Object.entries(amountEndings).map(([ending, { errorCondition, refusalReason, message }]) => [
    ending,
    `\`${lowerCamel(errorCondition)}\``,
    refusalReason,
    message,
  ]);
  return [['Ending', 'errorCondition', 'refusalReason', 'message'], Array(4).fill('---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
