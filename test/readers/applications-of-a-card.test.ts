import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { CcidEmulator } from '../../terminal-emulator/readers/emulators/ccid-emulator.ts';
import { createEmvCard, type EmvCard } from '../../terminal-emulator/readers/emulators/emv-card.ts';
import type { EmvApplicationDefinition } from '../../terminal-emulator/readers/emulators/emv-card-definition.ts';
import { createPn532Emulator } from '../../terminal-emulator/readers/emulators/pn532-emulator.ts';
import { ptyAt, temporaryFolder } from '../../terminal-emulator/readers/reader-bench.fixture.ts';
import { visaApplication, visaDefinition } from '../../terminal-emulator/readers/visa-card.fixture.ts';
import { testWith } from '../optional-programs.ts';
import { readerBed } from './reader-bed.ts';

/** Whole sales with a card of two applications, each with a number of its own, at a reader on a serial line. */

const test = testWith('socat');
const timeout = 60_000;

const visa: EmvApplicationDefinition = { ...visaApplication, expiry: '491231', verification: 'none' };
const maestro: EmvApplicationDefinition = {
  ...visa,
  aid: 'A0000000043060',
  label: 'MAESTRO',
  pan: '6799998900000200018',
  priority: 2,
};
const chip = (...applications: EmvApplicationDefinition[]) =>
  createEmvCard({ ...visaDefinition, applications });
const charged = {
  visa: { paymentBrand: 'visa', maskedPan: '476173 **** 0010' },
  maestro: { paymentBrand: 'maestro', maskedPan: '679999 **** 0018' },
};

async function setup(driver: 'ccid' | 'pn532') {
  const line = await ptyAt(join(temporaryFolder(), 'reader'));
  const put = {
    ccid: () => {
      const reader = new CcidEmulator(line.transport, systemClock);
      return (card: EmvCard) => reader.insert(card);
    },
    pn532: () => {
      const reader = createPn532Emulator(line.transport, systemClock);
      return (card: EmvCard) => reader.present(card);
    },
  }[driver]();
  const bed = await readerBed([`${driver}:${line.path}`]);
  await bed.readers(true);
  return { bed, put };
}

test.each([
  ['1', 'visa'],
  ['2', 'maestro'],
] as const)('the application chosen with key %s, %s, is charged', { timeout }, async (key, brand) => {
  const { bed, put } = await setup('ccid');
  const paid = bed.pay(10);
  await bed.until('presentCard');
  put(chip(visa, maestro));
  const { choices } = await bed.until('applicationChoice');
  expect(choices.map(({ label }) => label)).toEqual(['VISA CREDIT', 'MAESTRO']);
  await bed.act('press', { keys: [key] });
  expect(await paid).toMatchObject({
    response: { result: 'success' },
    paymentResult: { paymentInstrumentData: { cardData: charged[brand] } },
  });
  const receipt = JSON.stringify((await paid).paymentReceipt);
  expect(receipt).toContain(brand === 'visa' ? 'A0000000031010' : 'A0000000043060');
});

test.each([
  ['ccid', 'blocked'],
  ['ccid', 'absent'],
  ['ccid', 'options'],
  ['pn532', 'blocked'],
  ['pn532', 'options'],
] as const)(
  'at a %s, a card whose first application is no good (%s) pays with the second, and is told as that',
  { timeout },
  async (driver, refuses) => {
    const { bed, put } = await setup(driver);
    const paid = bed.pay(10);
    await bed.until('presentCard');
    put(chip({ ...visa, refuses }, maestro));
    const result = await paid;
    expect(result).toMatchObject({
      response: { result: 'success' },
      paymentResult: { paymentInstrumentData: { cardData: charged.maestro } },
    });
    const told = JSON.stringify([result, bed.stack.runtime.journal.since()]);
    expect(told).toContain('A0000000043060');
    expect(told).not.toContain('A0000000031010');
    expect(told).not.toContain('VISA');
  },
);
