import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startVpcd, vpcdDriver } from '../../terminal-emulator/readers/pcsc/vpcd-reader.fixture.ts';
import { temporaryFolder } from '../../terminal-emulator/readers/reader-harness.fixture.ts';
import { PinpadProcess } from '../cli/pinpad-process.ts';
import { testWith } from '../optional-programs.ts';
import type { Result } from '../stack/stack-harness.ts';
import { answersAbout, everythingIn, found, get, paid, traced } from './card-number-search.ts';

const smartcard = join(import.meta.dirname, '../../node_modules/smartcard/package.json');
const asRoot = process.getuid?.() === 0 ? [] : ['being root'];

testWith(
  'pcscd',
  smartcard,
  vpcdDriver,
  ...asRoot,
)(
  'the number of a card that a PC/SC reader read is in no file, log line, journal entry, trace or answer',
  { timeout: 120_000 },
  async () => {
    const folder = temporaryFolder();
    const data = join(folder, 'data');
    const { put: card } = await startVpcd();
    const pinpad = new PinpadProcess([
      ...['up', '--json', '--port', '0', '--data', data, '--pacing', 'instant', '--log-level', 'debug'],
      ...['--reader', 'pcsc:auto'],
    ]);
    onTestFinished(() => void pinpad.child.kill('SIGKILL'));
    const ready = await pinpad.ready();
    await pinpad.logged('reader.back');
    for (const way of ['chip', 'tap'] as const) {
      const answer = await paid(ready, () => card(way));
      const { identifier, response } = JSON.parse(answer) as Result;
      expect([way, response.result]).toEqual([way, 'success']);
      const answers = [answer, ...(await answersAbout(ready, identifier))].join('\n');
      expect(answers).toMatch(/card\.read \w+ 476173 \*{4} 0010 [0-9A-F]{16}/);
      expect([way, found(answers)]).toEqual([way, []]);
      card('none');
      await get(ready, `/control/terminals/${ready.terminals[0]?.poiId}/screen?until=idle`);
    }
    expect(found(await traced(ready, join(folder, 'trace.html')))).toEqual([]);
    const { stdout, stderr } = await pinpad.stop();
    expect(stderr).toMatch(/card\.read \w+ 476173 \*{4} 0010/);
    expect(found(stdout + stderr)).toEqual([]);
    const files = everythingIn(data);
    expect(files.some(({ text }) => text.includes('476173 **** 0010'))).toBe(true);
    expect(files.filter(({ text }) => found(text).length > 0).map(({ name }) => name)).toEqual([]);
  },
);
