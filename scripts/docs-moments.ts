import { join } from 'node:path';
import { everyFault, nonPaymentMoments } from '../explore/plan/catalogue.ts';
import { consequences, momentNames, moments } from '../shared/moments.ts';

/** The place of the page, and the marks around its tables. */
export const momentsPage = join(import.meta.dirname, '..', 'docs', 'moments.md');

/**
 * Puts tables between the marks of a page: the moments of a payment, and the other moments at which faults can be set.
 */
export function withMomentsTables(page: string): string {
  return withTable(withTable(page, 'moments', momentsTable()), 'other moments', otherTable());
}

function withTable(page: string, name: string, table: string): string {
  const [begin, end] = [`<!-- ${name}: written by npm run generate -->`, `<!-- end of ${name} -->`];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/moments.md has no ${begin} … ${end}`);
  return `${before}${begin}\n\n${table}\n\n${end}${after}`;
}

/** The faults that `pinpad explore` tries, grouped by their moment. */
const tried = Map.groupBy(everyFault(), ({ moment }) => moment);

function faultsAt(moment: string): string {
  return (tried.get(moment) ?? []).map(({ fault }) => `\`${fault}\``).join(', ');
}

function momentsTable(): string {
  const rows = momentNames.map((name) => {
    const { side, is, leadsTo } = moments[name];
    return [`\`${name}\``, side, is, consequences[leadsTo], faultsAt(name)];
  });
  return tableOf(
    ['Moment', 'Side', 'What has happened', 'What a cut leads to', '`pinpad explore` tries'],
    rows,
  );
}

function otherTable(): string {
  const rows = Object.entries(nonPaymentMoments).map(([name, is]) => [`\`${name}\``, is, faultsAt(name)]);
  return tableOf(['Moment', 'What it is', '`pinpad explore` tries'], rows);
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
