import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Card } from '../../shared/emulator/cards.ts';
import type { EmulatedReaderKind } from '../../terminal-emulator/index.ts';
import { temporaryFolder } from '../../terminal-emulator/readers/reader-bench.fixture.ts';
import { PinpadProcess, type Ready } from '../cli/pinpad-process.ts';
import { testWith } from '../optional-programs.ts';
import type { Result } from '../stack/stack-bed.ts';
import { plugIn } from './reader-bed.ts';

const number = '4761739001010010';
const card: Card = {
  id: 'somebodys',
  label: 'Somebody’s card',
  number,
  expiry: '1249',
  country: '840',
  funding: 'credit',
  applications: [{ aid: 'A0000000031010', label: 'VISA CREDIT', brand: 'visa', debit: false }],
  chip: { verification: 'none', readable: 'yes' },
  contactless: { limit: 50, aboveLimit: 'pin' },
  stripe: { verification: 'none', readable: true },
  keyed: true,
  note: '',
};

/** The number as text, packed as chips have it, as hexadecimal and Base64 of both; and what else tracks carry. */
const forms = [
  number,
  number.replaceAll(/\d{4}(?=\d)/g, '$& '),
  Buffer.from(number, 'hex').toString('latin1'),
  Buffer.from(number).toString('hex'),
  Buffer.from(number).toString('base64').slice(0, 20),
  Buffer.from(number, 'hex').toString('base64').slice(0, 10),
  'TEST/CARD',
  '11845888890000',
];

const found = (text: string) => forms.filter((form) => text.includes(form));

function everythingIn(folder: string): { name: string; text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((name) => ({ name, text: readFileSync(name, 'latin1') }));
}

async function get(ready: Ready, path: string): Promise<string> {
  const token = path.startsWith('/control') ? ready.controlToken : ready.token;
  const response = await fetch(ready.url + path, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.text();
}

async function paid(ready: Ready, act: () => void): Promise<string> {
  const [terminal] = ready.terminals;
  const answer = fetch(`${ready.url}/terminals/${terminal?.identifier}/payment-request`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ready.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 10 } } }),
  });
  await get(ready, `/control/terminals/${terminal?.poiId}/screen?until=presentCard`);
  act();
  return (await answer).text();
}

/** The page a user makes of what happened. */
async function traced({ url, controlToken }: Ready, output: string): Promise<string> {
  const args = ['trace', '--output', output, '--url', url, '--control-token', controlToken];
  expect(await new PinpadProcess(args).ended()).toMatchObject({ code: 0 });
  const page = readFileSync(output, 'utf8');
  expect(page).toContain('476173 **** 0010');
  return page;
}

testWith('socat')(
  'the number of a card that a reader read is in no file, log line, journal entry, trace or answer',
  { timeout: 60_000 },
  async () => {
    const folder = temporaryFolder();
    const data = join(folder, 'data');
    const kinds: EmulatedReaderKind[] = [{ kind: 'pn532' }, { kind: 'ccid' }, { kind: 'msr' }];
    for (const [index, kind] of kinds.entries()) {
      const reader = await plugIn(kind, { kind: 'pty', path: join(folder, kind.kind) }, [card]);
      // One at a time: the stripe of a chip card is refused where there is a reader for the chip.
      const process = new PinpadProcess([
        ...['up', '--json', '--port', '0', '--data', data, '--pacing', 'instant', '--log-level', 'debug'],
        ...['--reader', reader.readerSpec],
      ]);
      onTestFinished(() => void process.child.kill('SIGKILL'));
      const ready = await process.ready();
      const poiId = ready.terminals[0]?.poiId;
      await process.logged('reader.back');
      const act = [`tap ${card.id} 30000`, `insert ${card.id}`, `swipe ${card.id}`][index] ?? '';
      const answer = await paid(ready, () => expect(reader.command(act)).not.toMatch(/^error/));
      const { identifier, response } = JSON.parse(answer) as Result;
      expect(response.result).toBe('success');
      expect(answer).toContain('476173 **** 0010');
      const answers = [answer];
      for (const path of [
        `/payment-requests/status?transactionId=${identifier}`,
        `/control/payments/${identifier}`,
        '/control/payments',
        '/control/journal?limit=1000',
        '/control/ledger',
        `/control/terminals/${poiId}/screen`,
        `/control/terminals/${poiId}/receipts`,
        '/control/test-cards',
      ])
        answers.push(await get(ready, path));
      expect(answers.join('\n')).toMatch(/card\.read \w+ 476173 \*{4} 0010 [0-9A-F]{16}/);
      expect(found(answers.join('\n'))).toEqual([]);
      expect(found(await traced(ready, join(folder, `${kind.kind}.html`)))).toEqual([]);
      reader.command('remove');
      const { stdout, stderr } = await process.stop();
      expect(stderr).toMatch(/card\.read \w+ 476173 \*{4} 0010/);
      expect(found(stdout + stderr)).toEqual([]);
    }
    const files = everythingIn(data);
    expect(files.map(({ name }) => name)).toContain(join(data, 'pinpad.sqlite'));
    expect(files.some(({ text }) => text.includes('476173 **** 0010'))).toBe(true);
    expect(files.filter(({ text }) => found(text).length > 0).map(({ name }) => name)).toEqual([]);
  },
);
