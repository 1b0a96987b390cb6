import { join } from 'node:path';
import { CardCatalogue } from '../terminal-emulator/cards/catalogue.ts';
import { defaultCards } from '../terminal-emulator/cards/default-cards.ts';
import { describeCard } from './docs-card-words.ts';
import { formatMarkdownTable, withTable } from './page-tables.ts';

/** The page that lists the cards of the default tray. */
export const cardsPagePath = join(import.meta.dirname, '..', 'docs', 'cards.md');

/** Puts the table of the default tray between the marks of the page. */
export function withCardsTable(page: string): string {
  return withTable('docs/cards.md', page, 'tray', trayTable());
}

function trayTable(): string {
  const masked = new Map(
    new CardCatalogue(defaultCards).summaries().map(({ id, maskedPan }) => [id, maskedPan]),
  );
  const rows = defaultCards.map((card) => [
    `\`${card.id}\``,
    card.applications.map(({ brand }) => brand).join(' + '),
    masked.get(card.id)?.replaceAll('*', '\\*'),
    card.pin ?? '–',
    describeCard(card),
  ]);
  return formatMarkdownTable(['Card', 'Brand', 'Number', 'PIN', 'What it does'], rows);
}
