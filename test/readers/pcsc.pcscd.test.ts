import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { listPcscReaders } from '../../terminal-emulator/readers/pcsc/list-pcsc-readers.ts';
import {
  startVpcd,
  vpcdDriverPath,
  vpcdReaderName,
} from '../../terminal-emulator/readers/pcsc/vpcd-reader.fixture.ts';
import { startPcscd } from '../../terminal-emulator/readers/pcscd.fixture.ts';
import { makeTemporaryFolder } from '../../terminal-emulator/readers/reader-harness.fixture.ts';
import { PinpadProcess } from '../cli/pinpad-process.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import type { TransactionResult } from '../stack/stack-harness.ts';
import { readerHarness } from './reader-harness.ts';

const testInCi = testThoroughly();

/** Makes whole sales, from HTTP to the result, with cards in readers of the machine's PC/SC daemon. */

const serialDriver = '/usr/lib/pcsc/drivers/serial/libccidtwin.so';
const smartcard = join(import.meta.dirname, '../../node_modules/smartcard/package.json');
const asRoot = process.getuid?.() === 0 ? [] : ['being root'];
const test = testWith('socat', 'pcscd', smartcard, vpcdDriverPath, serialDriver, ...asRoot);
const timeout = 120_000;

const approved = (entryMode: string, maskedPan = '476173 **** 0010') => ({
  response: expect.objectContaining({ result: 'success' }),
  card: expect.objectContaining({
    paymentBrand: 'visa',
    maskedPan,
    entryMode: [entryMode],
  }),
});
const outcome = ({ response, paymentResult }: TransactionResult) => ({
  response,
  card: paymentResult?.paymentInstrumentData.cardData,
});

test('a chip and a tap at a PC/SC reader are approved, and their removal is seen', { timeout }, async () => {
  const { put: card } = await startVpcd();
  const harness = await readerHarness([`pcsc:${vpcdReaderName.toLowerCase()}`]);
  await harness.readers(true);
  expect(await harness.readerLines()).toEqual([`PC/SC reader on ${vpcdReaderName}`]);

  const inserted = harness.pay(12.5);
  await harness.until('presentCard');
  card('chip');
  expect(outcome(await inserted)).toEqual(approved('icc'));
  await harness.until('removeCard');
  card('none');
  await harness.until('idle');

  const tapped = harness.pay(12.5);
  await harness.until('presentCard');
  card('tap');
  expect(outcome(await tapped)).toEqual(approved('contactless'));
  card('none');
  await harness.until('idle');
});

testInCi.each(['T=0', 'T=1'] as const)(
  'a %s chip in a serial reader that pcscd drives is approved',
  { timeout },
  async (protocol) => {
    const path = join(makeTemporaryFolder(), 'twin');
    // The reader emulator cannot run in this process, because calls of the PC/SC library block this process until the
    // reader has answered.
    const emulator = new PinpadProcess([
      'reader-emulator',
      'ccid',
      '--pty',
      path,
      '--protocol',
      protocol,
      '--echo',
    ]);
    onTestFinished(() => {
      emulator.child.kill('SIGKILL');
    });
    await emulator.printed('--reader');
    await startPcscd(`FRIENDLYNAME "GemPCTwin serial"\nDEVICENAME ${path}\nLIBPATH ${serialDriver}\n`);
    const harness = await readerHarness(['pcsc:auto']);
    await harness.readers(true);
    const paid = harness.pay(12.5);
    await harness.until('presentCard');
    emulator.type('insert visa-credit');
    await harness.until('pin');
    await harness.act('press', { keys: ['1', '2', '3', '4', 'enter'] });
    expect(outcome(await paid)).toEqual(approved('icc', '411111 **** 1111'));
    await harness.until('removeCard');
    emulator.type('remove');
    await harness.until('idle');
  },
);

testThoroughly(
  'socat',
  'pcscd',
  smartcard,
  vpcdDriverPath,
  serialDriver,
  ...asRoot,
)(
  'after a silent card, or one that cannot pay, the terminal asks again, and the next card pays',
  {
    timeout,
  },
  async () => {
    const { put: card } = await startVpcd();
    const harness = await readerHarness(['pcsc:auto']);
    await harness.readers(true);
    const paid = harness.pay(12.5);
    await harness.until('presentCard');
    card('badge');
    await harness.titled('Present card again');
    card('none');
    await harness.until('presentCard');
    card('tap');
    expect(outcome(await paid)).toEqual(approved('contactless'));
  },
);

test('pinpad readers lists the PC/SC readers with what is in them', { timeout }, async () => {
  const { put: card } = await startVpcd(async () =>
    expect(await listPcscReaders(systemClock)).toMatchObject({ readers: [] }),
  );
  const harness = await readerHarness(['pcsc:auto']);
  await harness.readers(true);
  const content = async () =>
    (await listPcscReaders(systemClock)).readers.find(({ name }) => name === vpcdReaderName)?.content;
  expect(await content()).toBe('no card');
  const paid = harness.pay(12.5);
  await harness.until('presentCard');
  card('chip');
  expect(outcome(await paid)).toEqual(approved('icc'));
  expect(await content()).toBe('a chip card');
});
