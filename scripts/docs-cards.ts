import { join } from 'node:path';
import { CardCatalogue } from '../terminal-emulator/cards/catalogue.ts';
import { defaultCards } from '../terminal-emulator/cards/default-cards.ts';
import { tableOf, withTable } from './page-tables.ts';

/** The page that lists the cards of the default tray. */
export const cardsPage = join(import.meta.dirname, '..', 'docs', 'cards.md');

/** Puts the table of the default tray between the marks of the page. */
export function withCardsTable(page: string): string {
  return withTable('docs/cards.md', page, 'tray', trayTable());
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
  return tableOf(['Card', 'Brand', 'Number', 'PIN', 'What it does'], rows);
}
