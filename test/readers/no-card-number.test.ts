import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { TestCardDefinition } from '../../shared/emulator/cards.ts';
import type { EmulatedReaderOptions } from '../../terminal-emulator/index.ts';
import { makeTemporaryFolder } from '../../terminal-emulator/readers/reader-harness.fixture.ts';
import { PinpadProcess, type ReadyPinpad } from '../cli/pinpad-process.ts';
import { runPinpadInProcess } from '../cli/run-pinpad-in-process.ts';
import { testWith } from '../optional-programs.ts';
import type { TransactionResult } from '../stack/stack-harness.ts';
import {
  answersAbout,
  exportTracePage,
  findCardNumberForms,
  getText,
  payByReader,
  readAllFilesIn,
  searchedCardNumber,
} from './card-number-search.ts';
import { plugIn } from './reader-harness.ts';

const card: TestCardDefinition = {
  id: 'somebodys',
  label: 'Somebody’s card',
  number: searchedCardNumber,
  expiry: '1249',
  country: '840',
  funding: 'credit',
  // A chip may contain any text as the name of an application, even the card number.
  applications: [{ aid: 'A0000000031010', label: searchedCardNumber, brand: 'visa', debit: false }],
  chip: { verification: 'none', readable: 'yes' },
  contactless: { limit: 50, aboveLimit: 'pin' },
  stripe: { verification: 'none', readable: true },
  keyed: true,
  note: '',
};

testWith('socat')(
  'the number of a card that a reader read is in no file, log line, journal entry, trace or answer',
  { timeout: 180_000 },
  async () => {
    const folder = makeTemporaryFolder();
    const data = join(folder, 'data');
    const kinds: EmulatedReaderOptions[] = [{ kind: 'pn532' }, { kind: 'ccid' }, { kind: 'msr' }];
    for (const [index, kind] of kinds.entries()) {
      const reader = await plugIn(kind, { kind: 'pty', path: join(folder, kind.kind) }, [card]);
      // Each reader has a terminal in a process of its own. A terminal that also had the chip reader would refuse the
      // stripe of a chip card.
      const process = new PinpadProcess([
        ...['up', '--json', '--port', '0', '--data', data, '--pacing', 'instant', '--log-level', 'debug'],
        ...['--reader', reader.readerSpec],
      ]);
      onTestFinished(() => void process.child.kill('SIGKILL'));
      const ready = await process.ready();
      await process.logged('reader.back');
      const act = [`tap ${card.id} 30000`, `insert ${card.id}`, `swipe ${card.id}`][index] ?? '';
      const answer = await payByReader(ready, () => expect(reader.command(act)).not.toMatch(/^error/));
      const { identifier, response } = JSON.parse(answer) as TransactionResult;
      expect(response.result).toBe('success');
      expect(answer).toContain('476173 **** 0010');
      const answers = [answer, ...(await answersAbout(ready, identifier))];
      expect(answers.join('\n')).toMatch(/card\.read \w+ 476173 \*{4} 0010 [0-9A-F]{16}/);
      expect(findCardNumberForms(answers.join('\n'))).toEqual([]);
      expect(findCardNumberForms(await exportTracePage(ready, join(folder, `${kind.kind}.html`)))).toEqual(
        [],
      );
      reader.command('remove');
      const { stdout, stderr } = await process.stop();
      expect(stderr).toMatch(/card\.read \w+ 476173 \*{4} 0010/);
      expect(findCardNumberForms(stdout + stderr)).toEqual([]);
    }
    const files = readAllFilesIn(data);
    expect(files.map(({ name }) => name)).toContain(join(data, 'pinpad.sqlite'));
    expect(files.some(({ text }) => text.includes('476173 **** 0010'))).toBe(true);
    expect(files.filter(({ text }) => findCardNumberForms(text).length > 0).map(({ name }) => name)).toEqual(
      [],
    );
  },
);

/** Sends what a careless or curious client sends: card numbers in every field, and links that people have mangled. */
async function sendEverywhere(
  { url, token, controlToken, terminals }: ReadyPinpad,
  secret: string,
): Promise<string[]> {
  const spaced = searchedCardNumber.replaceAll(/\d{4}(?=\d)/g, '$& ');
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const bearer = path.startsWith('/control') ? controlToken : token;
    const all = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers };
    const init = { method, headers: all, redirect: 'manual' as const };
    const response = await fetch(url + path, body ? { ...init, body: JSON.stringify(body) } : init);
    return `${response.status} ${await response.text()}`;
  };
  const [terminal] = terminals;
  const at = `/control/terminals/${terminal?.poiId}`;
  const sale = {
    paymentTransaction: {
      amountsReq: { requestedAmount: 10 },
      [searchedCardNumber]: Number(searchedCardNumber),
    },
    saleData: { saleReferenceId: spaced },
  };
  const key = { 'Idempotency-Key': `sale-${searchedCardNumber}`, Prefer: 'respond-async' };
  const status = `/payment-requests/status?idempotencyKey=sale-${searchedCardNumber}`;
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  return [
    await send('POST', `/terminals/${terminal?.identifier}/payment-request`, sale, key),
    await getText({ url, token, controlToken, terminals } as ReadyPinpad, `${at}/screen?until=presentCard`),
    await send('POST', `${at}/insert`, { card: searchedCardNumber }),
    await send('POST', `${at}/tap`, { card: spaced }),
    await send('POST', `/control/cards/${encodeURIComponent(spaced)}/reset`),
    await send('PUT', `${at}/shopper`, { card: searchedCardNumber, entry: searchedCardNumber }),
    await send('DELETE', `${at}/shopper`),
    await send('GET', `/debit/${searchedCardNumber}/refunds`, undefined, {
      'request-id': searchedCardNumber,
    }),
    await send('POST', `${at}/tap`, { card: 'visa-credit' }),
    await send('GET', status),
    ...(await Promise.all(
      [`/PAY/${secret}`, `//pay/${secret}`, `/pay/${secret}/`, `/pay/${secret}%`, `/%70ay%2F${secret}`].map(
        (path) => send('GET', path, undefined, { referer: `${url}/pay/${secret}` }),
      ),
    )),
    await rawRequest(url, `/pay/${secret}`, upgrade),
    await rawRequest(url, `/${searchedCardNumber}`, upgrade),
  ];
}

/**
 * Sends card numbers in those fields that the service returns. Every answer must contain them exactly as they were
 * sent.
 */
async function sendInReturnedFields({ url, token, contacts, bankAccounts }: ReadyPinpad): Promise<void> {
  const spaced = searchedCardNumber.replaceAll(/\d{4}(?=\d)/g, '$& ');
  const send = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
    return (await response.json()) as Record<string, string>;
  };
  const [contact, bank] = [contacts[0], bankAccounts[0]];
  const card = `/contact/${contact?.id}/creditCards/${contact?.creditCards[0]}`;
  const debit = { amount: 10, to_bank_account_id: bank?.id };
  const charged = { statement: spaced, note: `Card ${searchedCardNumber}, by phone` };
  const charge = await send('POST', `${card}/charge`, { ...debit, ...charged });
  expect(charge).toMatchObject(charged);
  const held = { statement: searchedCardNumber };
  expect(await send('POST', `${card}/preauthorize`, { ...debit, ...held })).toMatchObject(held);
  const given = { reason: 'other', reason_details: `From ${spaced}` };
  const refunds = `/debit/${charge.debit_id}/refunds`;
  expect(await send('POST', refunds, { amount: 1, ...given })).toMatchObject(given);
  expect(await send('GET', refunds)).toMatchObject({ refunds: [given] });
  const credit = { amount: 1, from_bank_account: bank?.id, contact_id: contact?.id };
  const { link = '' } = await send('PUT', '/credit', {
    ...credit,
    statement: spaced,
    note: searchedCardNumber,
  });
  expect(await (await fetch(link)).text()).toContain(spaced); // the customer's page shows the statement unchanged
}

function rawRequest(url: string, path: string, headers: Record<string, string>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const asked = request(url, { path, headers, agent: false }, (response) => {
    response.setEncoding('utf8');
    let text = '';
    response.on('data', (chunk: string) => {
      text += chunk;
    });
    response.on('end', () => resolve(`${response.statusCode} ${text}`));
  });
  asked.on('error', reject).end();
  return promise;
}

test('card numbers and link secrets from clients are in no log line, journal entry, trace, recording or error (B126)', {
  timeout: 60_000,
}, async () => {
  const folder = makeTemporaryFolder();
  const secret = 'Zk3nV-9QxT_b2LwYp0RcHs8mJdE4uAfG6iKoNq1tSvX';
  const process = new PinpadProcess([
    ...['up', '--json', '--port', '0', '--data', join(folder, 'data'), '--pacing', 'instant'],
    ...['--log-level', 'debug'],
  ]);
  onTestFinished(() => void process.child.kill('SIGKILL'));
  const ready = await process.ready();
  const attached = ['--url', ready.url, '--control-token', ready.controlToken];
  const recording = join(folder, 'recorded.yaml');
  const recorder = new PinpadProcess(['record', recording, ...attached]);
  onTestFinished(() => void recorder.child.kill('SIGKILL'));
  await recorder.printed('Recording');

  const answers = await sendEverywhere(ready, secret);
  const outcome = answers.find((answer) => answer.startsWith('200') && answer.includes('paymentReceipt'));
  // `saleReferenceId`, a field of the service, contains the number as it was sent
  expect(outcome).toContain('"saleReferenceId":"4761 7390 0101 0010"');
  await sendInReturnedFields(ready);
  const { identifier } = JSON.parse(outcome?.slice(4) ?? '') as TransactionResult;
  const { warnings } = JSON.parse(await getText(ready, `/control/payments/${identifier}`)) as {
    warnings: string[];
  };
  expect(warnings.join()).toContain('476173 **** 0010');

  await recorder.stop();
  const page = join(folder, 'trace.html');
  expect(await runPinpadInProcess(['trace', '--output', page, ...attached])).toMatchObject({
    code: 0,
  });
  const journal = await getText(ready, '/control/journal?limit=1000');
  const { stdout, stderr } = await process.stop();
  const shown = {
    errors: answers.filter((answer) => answer !== outcome).join('\n'),
    warnings: warnings.join('\n'),
    recording: readFileSync(recording, 'utf8'),
    trace: readFileSync(page, 'utf8'),
    journal,
    log: stdout + stderr,
  };
  for (const [where, text] of Object.entries(shown)) {
    expect([where, findCardNumberForms(text)]).toEqual([where, []]);
    expect([
      where,
      text.includes(encodeURIComponent(searchedCardNumber.replaceAll(/\d{4}(?=\d)/g, '$& '))),
    ]).toEqual([where, false]);
    expect([where, text.includes(secret.slice(0, 30))]).toEqual([where, false]);
  }
  for (const where of ['errors', 'recording', 'trace', 'journal', 'log'] as const)
    expect([where, shown[where].includes('476173 **** 0010')]).toEqual([where, true]);
});
