import { join } from 'node:path';
import { consequences, momentNames, moments } from '../shared/moments.ts';

/** Where the page is, and between which marks its table stands. */
export const momentsPage = join(import.meta.dirname, '..', 'docs', 'moments.md');
const [begin, end] = ['<!-- moments: written by npm run generate -->', '<!-- end of moments -->'];

/** A page with the table of moments put between its marks. */
export function withMoments(page: string): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/moments.md has no ${begin} … ${end}`);
  return `${before}${begin}\n\n${momentsTable()}\n\n${end}${after}`;
}

function momentsTable(): string {
  const rows = momentNames.map((name) => {
    const { side, is, leadsTo } = moments[name];
    return [`\`${name}\``, side, is, consequences[leadsTo]];
  });
  return [['Moment', 'Side', 'What is so then', 'What a cut leads to'], Array(4).fill('---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
