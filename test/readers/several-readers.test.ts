import { expect, test } from 'vitest';
import { defaultCards } from '../../terminal-emulator/index.ts';
import { anyTcpPort, plugIn, readerHarness } from './reader-harness.ts';

/** Several readers, each at a serial server, and the effects of their cards. */

const timeout = 60_000;

test('two terminals have one reader each', { timeout }, async () => {
  const tap = await plugIn({ kind: 'pn532' }, anyTcpPort);
  const swipe = await plugIn({ kind: 'msr' }, anyTcpPort);
  const harness = await readerHarness([tap.readerSpec, `P400-100000002=${swipe.readerSpec}`]);
  await Promise.all([harness.readers(true, 0), harness.readers(true, 1)]);
  const paid = [harness.pay(10, 0), harness.pay(20, 1)];
  await Promise.all([harness.until('presentCard', 0), harness.until('presentCard', 1)]);
  swipe.command('swipe mc-credit');
  expect(await paid[1]).toMatchObject({
    response: { result: 'success' },
    paymentResult: { paymentInstrumentData: { cardData: { paymentBrand: 'mc', entryMode: ['magStripe'] } } },
  });
  tap.command('tap visa-credit 30000');
  expect(await paid[0]).toMatchObject({
    response: { result: 'success' },
    paymentResult: {
      paymentInstrumentData: { cardData: { paymentBrand: 'visa', entryMode: ['contactless'] } },
    },
  });
  const reported = harness.stack.runtime.journal
    .since()
    .filter(({ kind }) => kind === 'reader.event')
    .map(({ terminal, data }) => [terminal, 'event' in data ? String(data.event).split(' ')[0] : '']);
  expect(reported).toContainEqual(['V400m-100000001', 'card.read']);
  expect(reported).toContainEqual(['P400-100000002', 'card.read']);
});

test('after a swipe of a chip card, a terminal with stripe and chip readers asks for the chip', {
  timeout,
}, async () => {
  const swipe = await plugIn({ kind: 'msr' }, anyTcpPort);
  const insert = await plugIn({ kind: 'ccid' }, anyTcpPort);
  const harness = await readerHarness([swipe.readerSpec, insert.readerSpec]);
  await harness.readers(true);
  const paid = harness.pay(10);
  await harness.until('presentCard');
  expect(swipe.command('swipe visa-credit')).toBe('swiped visa-credit');
  await harness.until('insertInstead');
  insert.command('insert visa-credit');
  await harness.until('pin');
  await harness.act('press', { keys: ['1', '1', '1', '1', 'enter'] });
  expect(await paid).toMatchObject({
    response: { result: 'success' },
    paymentResult: { paymentInstrumentData: { cardData: { entryMode: ['icc'] } } },
  });
});

test('rules in the configuration decide what a card does, and readers in the configuration are attached', {
  timeout,
}, async () => {
  const reader = await plugIn({ kind: 'pn532' }, anyTcpPort);
  const harness = await readerHarness([], {
    accounts: [
      {
        name: 'Corner Shop',
        stores: [{ name: 'Corner Shop', terminals: [{ poiId: 'A-1', reader: reader.readerSpec }] }],
      },
    ] as never,
    readers: {
      rules: [
        {
          brand: 'visa',
          host: { errorCondition: 'Refusal', refusalReason: '214 Declined online', message: 'DECLINED' },
        },
        { iin: '4111', label: 'My card' },
      ] as never,
    },
  });
  await harness.readers(true);
  const declined = harness.pay(10);
  await harness.until('presentCard');
  reader.command('tap visa-credit 30000');
  expect(await declined).toMatchObject({ response: { result: 'failure', errorCondition: 'refusal' } });
});

test('the terminal asks which application of a co-badged card pays', { timeout }, async () => {
  const cobadged = defaultCards.find(({ id }) => id === 'credit-debit');
  const reader = await plugIn({ kind: 'ccid' }, anyTcpPort);
  const harness = await readerHarness([reader.readerSpec]);
  await harness.readers(true);
  const paid = harness.pay(10);
  await harness.until('presentCard');
  reader.command('insert credit-debit');
  const { choices } = await harness.until('applicationChoice');
  expect(choices.map(({ label }) => label)).toEqual(cobadged?.applications.map(({ label }) => label));
  await harness.act('press', { keys: ['cancel'] });
  expect(await paid).toMatchObject({ response: { errorCondition: 'cancel' } });
});

test('a card whose PIN is set by the rules is blocked after three wrong ones, until it is reset', {
  timeout,
}, async () => {
  const reader = await plugIn({ kind: 'ccid' }, anyTcpPort);
  const harness = await readerHarness([reader.readerSpec], {
    readers: { rules: [{ iin: '411111', pin: '9999', verification: 'onlinePin' }] },
  });
  await harness.readers(true);
  const inserted = async (...pins: string[]) => {
    const paid = harness.pay(10);
    await harness.until('presentCard');
    reader.command('insert visa-credit');
    for (const pin of pins) {
      await harness.until('pin,pinWrong');
      await harness.act('press', { keys: [...pin, 'enter'] });
    }
    const { response } = await paid;
    await harness.until('removeCard');
    reader.command('remove');
    await harness.until('idle');
    return response.errorCondition ?? response.result;
  };
  expect(await inserted('1234', '1234', '1234')).toBe('wrongPin');
  expect(await inserted()).not.toBe('success');
  const card = harness.stack.runtime.journal
    .since()
    .flatMap(({ data }) => ('card' in data && String(data.card).startsWith('reader-') ? [data.card] : []))[0];
  await harness.control('POST', `/cards/${card}/reset`);
  expect(await inserted('9999')).toBe('success');
});

test('the tray and the keys work beside a ready reader, and the reader works after them', {
  timeout,
}, async () => {
  const reader = await plugIn({ kind: 'ccid' }, anyTcpPort);
  const harness = await readerHarness([reader.readerSpec]);
  await harness.readers(true);
  const byHand = harness.pay(10);
  await harness.until('presentCard');
  await harness.act('insert', { card: 'mc-credit' });
  await harness.until('pin');
  await harness.act('press', { keys: ['1', '2', '3', '4', 'enter'] });
  expect(await byHand).toMatchObject({ response: { result: 'success' } });
  await harness.act('remove');
  await harness.until('idle');
  const byReader = harness.pay(10);
  await harness.until('presentCard');
  reader.command('insert no-pin');
  expect(await byReader).toMatchObject({ response: { result: 'success' } });
});
