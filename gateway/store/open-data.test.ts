import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { openConfiguredStore } from './open-data.ts';

test('an unreadable file is reported once, and so is its recovery, while refused requests report nothing (B179)', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'pinpad-data-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true }));
  const runtime = createRuntime({ clock: 'virtual' });
  const store = await openConfiguredStore({ dataFolder }, runtime);
  onTestFinished(() => store.close());
  const broken = () =>
    Promise.reject(Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' }));
  const works = () => store.read(async () => 1);
  for (let times = 0; times < 3; times++) await expect(store.read(broken)).rejects.toThrow('disk I/O error');
  await works(); // a read that is answered from memory still succeeds
  await (runtime.clock as VirtualClock).advance(5_000);
  for (let times = 0; times < 3; times++) await works();
  const file = join(dataFolder, 'pinpad.sqlite');
  expect(runtime.journal.since().map(({ data }) => data)).toEqual([
    {
      message: `${file} cannot be read (the disk cannot be read or written: it may be full): requests that need it are answered with 503, and scheduled work waits`,
    },
    { message: `${file} can be read again` },
  ]);
});
