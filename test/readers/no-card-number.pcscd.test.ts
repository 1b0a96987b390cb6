import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startVpcd, vpcdDriverPath } from '../../terminal-emulator/readers/pcsc/vpcd-reader.fixture.ts';
import { makeTemporaryFolder } from '../../terminal-emulator/readers/reader-harness.fixture.ts';
import { PinpadProcess } from '../cli/pinpad-process.ts';
import { testThoroughly } from '../optional-programs.ts';
import type { TransactionResult } from '../stack/stack-harness.ts';
import {
  answersAbout,
  exportTracePage,
  findCardNumberForms,
  getText,
  payByReader,
  readAllFilesIn,
} from './card-number-search.ts';

const smartcard = join(import.meta.dirname, '../../node_modules/smartcard/package.json');
const asRoot = process.getuid?.() === 0 ? [] : ['being root'];

testThoroughly(
  'pcscd',
  smartcard,
  vpcdDriverPath,
  ...asRoot,
)(
  'the number of a card that a PC/SC reader read is in no file, log line, journal entry, trace or answer',
  { timeout: 120_000 },
  async () => {
    const folder = makeTemporaryFolder();
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
      const answer = await payByReader(ready, () => card(way));
      const { identifier, response } = JSON.parse(answer) as TransactionResult;
      expect([way, response.result]).toEqual([way, 'success']);
      const answers = [answer, ...(await answersAbout(ready, identifier))].join('\n');
      expect(answers).toMatch(/card\.read \w+ 476173 \*{4} 0010 [0-9A-F]{16}/);
      expect([way, findCardNumberForms(answers)]).toEqual([way, []]);
      card('none');
      await getText(ready, `/control/terminals/${ready.terminals[0]?.poiId}/screen?until=idle`);
    }
    expect(findCardNumberForms(await exportTracePage(ready, join(folder, 'trace.html')))).toEqual([]);
    const { stdout, stderr } = await pinpad.stop();
    expect(stderr).toMatch(/card\.read \w+ 476173 \*{4} 0010/);
    expect(findCardNumberForms(stdout + stderr)).toEqual([]);
    const files = readAllFilesIn(data);
    expect(files.some(({ text }) => text.includes('476173 **** 0010'))).toBe(true);
    expect(files.filter(({ text }) => findCardNumberForms(text).length > 0).map(({ name }) => name)).toEqual(
      [],
    );
  },
);
