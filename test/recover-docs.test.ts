import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { JournalEntry } from '../shared/journal.ts';
import type { VirtualClock } from '../shared/virtual-clock.ts';
import { resolveConfig, type Stack, startStack } from '../stack/index.ts';
import { sampleCases } from './draws.ts';
import { testWith } from './optional-programs.ts';

/** Runs the programs of docs/recover-a-payment.md with a gateway that loses answers. */

const page = readFileSync(join(import.meta.dirname, '../docs/recover-a-payment.md'), 'utf8');
const programs = [
  { language: 'ts', command: process.execPath },
  { language: 'python', command: 'python3' },
].map(({ language, command }) => ({
  language,
  command,
  code: new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1] ?? '',
}));

let folder: string;
let stack: Stack;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-recover-'));
  const memory = { port: 0, memory: true, clock: 'virtual', pacing: 'instant', logLevel: 'silent' } as const;
  const timeouts = { paymentCapMs: 10_000 }; // this is shorter than the time for which a terminal waits for a card
  stack = await startStack(resolveConfig(undefined, { ...memory, timeouts }));
});
afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true });
});

const control = async (method: string, path: string, body?: unknown) => {
  const headers = { authorization: `Bearer ${stack.controlToken}`, 'content-type': 'application/json' };
  await fetch(`${stack.url}/control${path}`, { method, headers, body: JSON.stringify(body) });
};
const shopper = (card: string) =>
  stack.emulator?.terminals[0]?.setShopper({ card, entry: 'ICC', tip: 'none', thinkMs: 0 });
/** Resolves when the journal gets an entry for which `fits` is true. */
const journaled = (fits: (entry: JournalEntry) => boolean) =>
  new Promise<void>((resolve) => {
    const stop = stack.runtime.journal.listen((entry) => {
      if (!fits(entry)) return;
      stop();
      resolve();
    });
  });
const payments = () =>
  stack.runtime.journal.since(0).filter(({ kind }) => kind === 'payment.accepted').length;

describe.each(sampleCases(programs, 2))(
  'the recovery program in $language',
  ({ language, command, code }) => {
    const take = async (key: string, amount: string, terminal = stack.terminals[0]?.identifier) => {
      const file = join(folder, `take-payment.${language === 'ts' ? 'ts' : 'py'}`);
      writeFileSync(file, code);
      const env = { ...process.env, URL: stack.url, TOKEN: stack.tokens[0]?.token, TERMINAL: terminal };
      const { stdout } = await promisify(execFile)(command, [file, `${language} ${key}`, amount], { env });
      return stdout.trim();
    };

    testWith(command)(
      'takes one payment, whichever answers are lost, and tells what became of it again',
      async () => {
        shopper('visa-credit');
        const before = payments();
        for (const fault of [
          { fault: 'dropAnswer', path: '/terminals/{terminalId}/payment-request' },
          { fault: 'dropRequest', path: '/terminals/{terminalId}/payment-request' },
          { fault: 'failAnswer', status: 503, path: '/payment-requests/status' },
          { fault: 'truncateAnswer', bytes: 40, path: '/payment-requests/status' },
        ])
          await control('POST', '/faults', fault);
        expect(await take('one', '12.5')).toBe('paid');
        expect(await take('one', '12.5')).toBe('paid');
        expect(payments() - before).toBe(1);
        await control('DELETE', '/faults');
      },
    );

    testWith(command)('says why a payment was not made', async () => {
      shopper('not-enough-balance');
      expect(await take('two', '5')).toBe('not paid: refusal');
      expect(await take('three', '5', '00000000-0000-7000-8000-000000000000')).toMatch(/^refused: /);
    });

    testWith(command)('follows a payment that outlives the time it is held', async () => {
      const terminal = stack.emulator?.terminals[0];
      terminal?.setShopper(null);
      const clock = stack.runtime.clock as VirtualClock;
      const taking = take('four', '7');
      await journaled(
        ({ kind, data }) => kind === 'terminal.screen' && 'state' in data && data.state === 'presentCard',
      );
      const answered = journaled(
        ({ kind, data }) => kind === 'http.answered' && 'status' in data && data.status === 303,
      );
      await clock.advance(10_000);
      await answered;
      terminal?.act({ action: 'tap', card: 'visa-credit' });
      expect(await taking).toBe('paid');
    });
  },
);
