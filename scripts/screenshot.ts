import { join } from 'node:path';
import { drawScreen } from '../terminal-emulator/tui/drawn-screen.fixture.ts';
import { FakeSource, fakeReceipts, journalPayment } from '../terminal-emulator/tui/fake-source.fixture.ts';
import { terminalSvg } from './terminal-svg.ts';

/** Where the picture of the screen is that the README opens with. */
export const screenshotPath = join(import.meta.dirname, '../docs/screen.svg');

/** The screen at the end of a sale: approved, its receipt printed, the card still in the slot. */
export async function screenshot(): Promise<string> {
  const source = new FakeSource();
  source.receiptList = fakeReceipts();
  await journalPayment(source);
  source.show('approved');
  const drawn = await drawScreen(source, { columns: 120, rows: 40 });
  const svg = terminalSvg(drawn.terminal, 'pinpad');
  await drawn.type('q');
  return svg;
}
