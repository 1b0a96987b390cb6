import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { CcidEmulator } from '../../terminal-emulator/readers/emulators/ccid-emulator.ts';
import { createEmvCard, type EmvCard } from '../../terminal-emulator/readers/emulators/emv-card.ts';
import type { EmvApplicationDefinition } from '../../terminal-emulator/readers/emulators/emv-card-definition.ts';
import { Pn532Emulator } from '../../terminal-emulator/readers/emulators/pn532-emulator.ts';
import { makePtyAt, makeTemporaryFolder } from '../../terminal-emulator/readers/reader-harness.fixture.ts';
import { visaApplication, visaDefinition } from '../../terminal-emulator/readers/visa-card.fixture.ts';
import { testWith } from '../optional-programs.ts';
import { readerHarness } from './reader-harness.ts';

/** Makes whole sales with a card that has two applications with different numbers, at a reader on a serial line. */

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
  const line = await makePtyAt(join(makeTemporaryFolder(), 'reader'));
  const put = {
    ccid: () => {
      const reader = new CcidEmulator(line.transport, systemClock);
      return (card: EmvCard) => reader.insert(card);
    },
    pn532: () => {
      const reader = new Pn532Emulator(line.transport, systemClock);
      return (card: EmvCard) => reader.present(card);
    },
  }[driver]();
  const harness = await readerHarness([`${driver}:${line.path}`]);
  await harness.readers(true);
  return { harness, put };
}

test.each([
  ['1', 'visa'],
  ['2', 'maestro'],
] as const)('the application chosen with key %s, %s, is charged', { timeout }, async (key, brand) => {
  const { harness, put } = await setup('ccid');
  const paid = harness.pay(10);
  await harness.until('presentCard');
  put(chip(visa, maestro));
  const { choices } = await harness.until('applicationChoice');
  expect(choices.map(({ label }) => label)).toEqual(['VISA CREDIT', 'MAESTRO']);
  await harness.act('press', { keys: [key] });
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
  'at a %s, a card whose first application fails (%s) pays with the second, and is reported as that',
  { timeout },
  async (driver, refuses) => {
    const { harness, put } = await setup(driver);
    const paid = harness.pay(10);
    await harness.until('presentCard');
    put(chip({ ...visa, refuses }, maestro));
    const result = await paid;
    expect(result).toMatchObject({
      response: { result: 'success' },
      paymentResult: { paymentInstrumentData: { cardData: charged.maestro } },
    });
    const reported = JSON.stringify([result, harness.stack.runtime.journal.since()]);
    expect(reported).toContain('A0000000043060');
    expect(reported).not.toContain('A0000000031010');
    expect(reported).not.toContain('VISA');
  },
);
