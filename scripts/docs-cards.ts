import { join } from 'node:path';
import { CardCatalogue } from '../terminal-emulator/cards/catalogue.ts';
import { defaultCards } from '../terminal-emulator/cards/default-cards.ts';

/** The place of the page, and the marks around its table. */
export const cardsPage = join(import.meta.dirname, '..', 'docs', 'cards.md');
const [begin, end] = ['<!-- tray: written by npm run generate -->', '<!-- end of tray -->'];

/** Puts the table of the default tray between the marks of a page. */
export function withCardsTable(page: string): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/cards.md has no ${begin} … ${end}`);
  return `${before}${begin}\n\n${trayTable()}\n\n${end}${after}`;
}

function trayTable(): string {
  const brands = new Map(defaultCards.map(({ id, applications }) => [id, applications]));
  const rows = new CardCatalogue(defaultCards).summaries().map((card) => [
    `\`${card.id}\``,
    brands
      .get(card.id)
      ?.map(({ brand }) => brand)
      .join(' + '),
    card.maskedPan.replaceAll('*', '\\*'),
    card.pin ?? '–',
    [card.behaviour, card.note].filter(Boolean).join('. '),
  ]);
  return [['Card', 'Brand', 'Number', 'PIN', 'What it does'], Array(5).fill('---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
