import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { pinpadCommand } from '../built-package.ts';
import { testThoroughly } from '../optional-programs.ts';
import { TmuxSession } from './tmux-session.ts';

testThoroughly('tmux')(
  'why a process ended at once stays in the window where its screen was (B137)',
  { timeout: 60_000 },
  async () => {
    const data = mkdtempSync(join(tmpdir(), 'pinpad-lost-data-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    const start = `'${process.execPath}' '${pinpadCommand()}' up --data '${data}' --port 0; echo "code $?"; read line`;
    const window = new TmuxSession(`lost-data-${process.pid}`, { columns: 250, rows: 30 }, start);
    onTestFinished(() => window.close());
    await window.shows('Ready');
    rmSync(join(data, 'pinpad.sqlite'));
    window.press('a');
    await window.shows('Ring up a sale');
    window.type('5.00');
    await window.shows('5.00');
    window.press('Enter');
    await window.shows(/was removed or replaced while it was in use\s+code 1/);
  },
);
