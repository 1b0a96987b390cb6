import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import type { TestCardDefinition } from '../../shared/emulator/cards.ts';
import { defaultCards, type EmulatedReaderOptions } from '../../terminal-emulator/index.ts';
import { createEmvCard } from '../../terminal-emulator/readers/emulators/emv-card.ts';
import { makeChipDefinition } from '../../terminal-emulator/readers/emulators/emv-card-definition.ts';
import { Pn532Emulator } from '../../terminal-emulator/readers/emulators/pn532-emulator.ts';
import { makePtyAt, makeTemporaryFolder } from '../../terminal-emulator/readers/reader-harness.fixture.ts';
import { testWith } from '../optional-programs.ts';
import type { TransactionResult } from '../stack/stack-harness.ts';
import { plugIn, readerHarness } from './reader-harness.ts';

/** Makes payments from HTTP to the result, in real time. The card is at a reader at the other end of a serial line. */

const test = testWith('socat');
const timeout = 60_000;

async function setup(reader: EmulatedReaderOptions, cards: readonly TestCardDefinition[] = defaultCards) {
  const path = join(makeTemporaryFolder(), 'reader');
  const emulator = await plugIn(reader, { kind: 'pty', path }, cards);
  const harness = await readerHarness([emulator.readerSpec]);
  await harness.readers(true);
  /** Plugs another reader of the same kind into the same port, while the first reader stays plugged in. */
  const plugAgain = () => plugIn(reader, { kind: 'pty', path });
  return { path, harness, emulator, plugAgain };
}

const anyCard = defaultCards.find(({ id }) => id === 'mc-credit')!;
const deadChip: TestCardDefinition = {
  ...anyCard,
  id: 'dead',
  chip: { verification: 'none', readable: 'no' },
};

function approvedAs({ response, paymentResult, paymentReceipt }: TransactionResult) {
  return {
    result: response.result,
    condition: response.errorCondition,
    card: paymentResult?.paymentInstrumentData.cardData,
    receipts: paymentReceipt?.map(({ documentQualifier }) => documentQualifier),
  };
}

const approved = (entryMode: string) => ({
  result: 'success',
  condition: undefined,
  card: expect.objectContaining({
    paymentBrand: 'visa',
    maskedPan: '411111 **** 1111',
    entryMode: [entryMode],
  }),
  receipts: expect.arrayContaining(['cashierReceipt', 'customerReceipt']),
});

test('a card tapped at a pn532 is approved, with receipts', { timeout }, async () => {
  const { harness, emulator, path } = await setup({ kind: 'pn532' });
  expect(await harness.readerLines()).toEqual([expect.stringMatching(`^PN532 .* on ${path}$`)]);
  const paid = harness.pay(12.5);
  await harness.until('presentCard');
  expect(emulator.command('tap visa-credit 30000')).toBe('tapped visa-credit');
  expect(approvedAs(await paid)).toEqual(approved('contactless'));
});

test('after a card that a pn532 cannot read, the screen asks again, and the next tap pays', {
  timeout,
}, async () => {
  const { harness, emulator } = await setup({ kind: 'pn532' }, [...defaultCards, deadChip]);
  const paid = harness.pay(12.5);
  await harness.until('presentCard');
  expect(emulator.command('tap dead 30000')).toBe('tapped dead');
  await harness.titled('Present card again');
  expect(await harness.until('presentCard')).toMatchObject({
    lines: ['Card not read', 'Tap, insert, swipe, or key in', 'number'],
  });
  expect(emulator.command('tap visa-credit 30000')).toBe('tapped visa-credit');
  expect(approvedAs(await paid)).toEqual(approved('contactless'));
  const screens = harness.stack.runtime.journal.since().filter(({ kind }) => kind === 'terminal.screen');
  expect(screens.map(({ data }) => data)).toContainEqual(
    expect.objectContaining({ title: 'Present card again' }),
  );
});

test('two cards tapped at once pay nothing: the screen asks for a single card, and that card then pays', {
  timeout,
}, async () => {
  const line = await makePtyAt(join(makeTemporaryFolder(), 'reader'));
  const reader = new Pn532Emulator(line.transport, systemClock);
  const harness = await readerHarness([`pn532:${line.path}`]);
  await harness.readers(true);
  const cards = ['visa-credit', 'mc-credit'].map((id) =>
    createEmvCard(makeChipDefinition(defaultCards.find((card) => card.id === id)!)),
  );
  const paid = harness.pay(12.5);
  await harness.until('presentCard');
  reader.present(...cards);
  await harness.titled('Present one card only');
  reader.remove(cards[1]);
  expect(approvedAs(await paid)).toEqual(approved('contactless'));
});

test.each([
  { kind: 'ccid' },
  { kind: 'ccid', protocol: 'T=1', echo: true },
  { kind: 'ccid', framing: 'acs' },
] as const)(
  'a card put into a reader ($kind $protocol $framing) is approved with its PIN and stays until taken out',
  {
    timeout,
  },
  async (reader) => {
    const { harness, emulator } = await setup(reader);
    const paid = harness.pay(12.5);
    await harness.until('presentCard');
    expect(emulator.command('insert visa-credit')).toBe('inserted visa-credit');
    await harness.until('pin');
    await harness.act('press', { keys: ['4', '3', '2', '1', 'enter'] });
    expect(approvedAs(await paid)).toEqual(approved('icc'));
    await harness.until('removeCard');
    expect(emulator.command('remove')).toBe('removed');
    await harness.until('idle');
  },
);

test('a card swiped at a stripe reader is approved', { timeout }, async () => {
  const { harness, emulator } = await setup({ kind: 'msr', framing: 'magtek' });
  const paid = harness.pay(12.5);
  await harness.until('presentCard');
  expect(emulator.command('swipe visa-credit')).toBe('swiped visa-credit');
  expect(approvedAs(await paid)).toEqual(approved('magStripe'));
});

test('if a reader is unplugged while a card is requested, keys and tray can pay, and it serves the next payment', {
  timeout,
}, async () => {
  const { harness, emulator, plugAgain, path } = await setup({ kind: 'pn532' });
  const paid = harness.pay(12.5);
  await harness.until('presentCard');
  await emulator.close();
  await harness.readers(false);
  expect(await harness.readerLines()).toEqual([`unplugged, waiting for ${path}`]);
  await harness.act('tap', { card: 'mc-credit' });
  expect(approvedAs(await paid)).toMatchObject({ result: 'success', card: { paymentBrand: 'mc' } });

  const next = harness.pay(8);
  await harness.until('presentCard');
  const again = await plugAgain();
  await harness.readers(true);
  again.command('tap visa-credit 30000');
  expect(approvedAs(await next)).toEqual(approved('contactless'));
});

test('if a chip reader is unplugged during the PIN, the payment is finished with the keys', {
  timeout,
}, async () => {
  const { harness, emulator, plugAgain } = await setup({ kind: 'ccid' });
  const paid = harness.pay(12.5);
  await harness.until('presentCard');
  emulator.command('insert visa-credit');
  await harness.until('pin');
  await emulator.close();
  await harness.readers(false);
  await harness.act('press', { keys: ['4', '3', '2', '1', 'enter'] });
  expect(approvedAs(await paid)).toEqual(approved('icc'));
  await harness.until('idle');
  await plugAgain();
  await harness.readers(true);
});
