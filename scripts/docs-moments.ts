import { join } from 'node:path';
import { listAllFaults, nonPaymentMomentDescriptions } from '../explore/plan/catalogue.ts';
import { interruptionConsequences, momentNames, moments } from '../shared/moments.ts';
import { formatMarkdownTable, withTable } from './page-tables.ts';

/** The page that lists the moments. */
const path = 'docs/moments.md';
export const momentsPagePath = join(import.meta.dirname, '..', path);

/**
 * Puts two tables between the marks of a page. The first has the moments of a payment. The second has the other moments
 * at which faults can be set.
 */
export function withMomentsTables(page: string): string {
  const withMoments = withTable(path, page, 'moments', momentsTable());
  return withTable(path, withMoments, 'other moments', otherTable());
}

/** The faults that `pinpad explore` tries, grouped by their moment. */
const tried = Map.groupBy(listAllFaults(), ({ moment }) => moment);

function faultsAt(moment: string): string {
  return (tried.get(moment) ?? []).map(({ fault }) => `\`${fault}\``).join(', ');
}

function momentsTable(): string {
  const rows = momentNames.map((name) => {
    const { side, is, leadsTo } = moments[name];
    return [`\`${name}\``, side, is, capitalised(interruptionConsequences[leadsTo]), faultsAt(name)];
  });
  return formatMarkdownTable(
    ['Moment', 'Side', 'What has happened', 'Consequence of a power cut or crash', '`pinpad explore` tries'],
    rows,
  );
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function otherTable(): string {
  const rows = Object.entries(nonPaymentMomentDescriptions).map(([name, is]) => [
    `\`${name}\``,
    is,
    faultsAt(name),
  ]);
  return formatMarkdownTable(['Moment', 'What it is', '`pinpad explore` tries'], rows);
}
