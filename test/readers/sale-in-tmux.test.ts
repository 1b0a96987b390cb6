import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { makeTemporaryFolder } from '../../terminal-emulator/readers/reader-harness.fixture.ts';
import { pinpadCommand } from '../built-package.ts';
import { testThoroughly } from '../optional-programs.ts';
import { TmuxSession } from '../tui/tmux-session.ts';
import { plugIn } from './reader-harness.ts';

/** Tests what a person sees: a terminal in a window, and a card tapped at the other end of the reader's line. */

const pinpad = `'${process.execPath}' '${pinpadCommand()}'`;

testThoroughly('tmux', 'socat')(
  'a sale in a window is paid by a card tapped at the reader, unplugged and plugged in before',
  { timeout: 60_000 },
  async () => {
    const place = { kind: 'pty', path: join(makeTemporaryFolder(), 'reader') } as const;
    const reader = await plugIn({ kind: 'pn532' }, place);
    const window = new TmuxSession(
      `reader-${process.pid}`,
      { columns: 100, rows: 30 },
      `${pinpad} up --memory --port 0 --pacing instant --reader ${reader.readerSpec}`,
    );
    onTestFinished(() => window.close());
    await window.shows(`reader PN532 firmware 1.6 on ${place.path}`);
    window.press('a');
    await window.shows('Ring up a sale');
    window.type('12.50');
    window.press('Enter');
    await window.shows('Add a tip?');
    window.press('Enter');
    await window.shows('Present card');
    await reader.close();
    await window.shows(`unplugged, waiting for ${place.path}`);
    const again = await plugIn({ kind: 'pn532' }, place);
    await window.shows('reader PN532 firmware 1.6');
    expect(again.command('tap visa-credit 30000')).toBe('tapped visa-credit');
    await window.shows('APPROVED EUR 12.50');
    window.press('v');
    await window.shows('CARDHOLDER COPY');
    window.press('Escape');
    window.press('q');
  },
);
