import { join } from 'node:path';
import { drawScreen } from '../terminal-emulator/tui/drawn-screen.fixture.ts';
import {
  addEndedPaymentEntries,
  addPaymentEntries,
  FakeSource,
  fakeReceipts,
} from '../terminal-emulator/tui/fake-source.fixture.ts';
import { addLostAnswerEntries } from '../terminal-emulator/tui/lost-answer.fixture.ts';
import { drawTerminalWindowSvg } from './terminal-svg.ts';

/** The file with the picture of the screen at the beginning of the README. */
export const screenshotPath = join(import.meta.dirname, '../docs/screen.svg');

/**
 * Draws the screen at the end of an approved sale, with the sale's receipt. The screen also shows two earlier sales:
 * the answer to one was lost, and the other was declined.
 */
export async function drawScreenshotSvg(): Promise<string> {
  const source = new FakeSource();
  source.receiptList = fakeReceipts();
  addEndedPaymentEntries(source, '019b7a5e-7c00-7000-8000-0000000000cc');
  await source.clock.advance(12_000);
  await addLostAnswerEntries(source);
  source.find({ rule: 'fast-polling', severity: 'warning', what: 'asked too soon', fix: 'wait', count: 1 });
  await source.clock.advance(21_000);
  await addPaymentEntries(source);
  source.show('approved');
  const drawn = await drawScreen(source, { columns: 120, rows: 40 });
  const svg = drawTerminalWindowSvg(drawn.terminal, 'pinpad');
  await drawn.type('q');
  return svg;
}
