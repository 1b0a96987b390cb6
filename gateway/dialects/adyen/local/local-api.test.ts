import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Config, EnvironmentEnum, TerminalLocalAPI } from '@adyen/api-library';
import NexoCrypto from '@adyen/api-library/lib/src/security/nexoCrypto.js';
import Unencrypted from '@adyen/api-library/lib/src/services/terminalLocalAPIUnencrypted.js';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../shared/clock.ts';
import { createRuntime } from '../../../../shared/create-runtime.ts';
import { VirtualClock } from '../../../../shared/virtual-clock.ts';
import { until } from '../../../../test/until.ts';
import { PaymentsHarness } from '../../../payments/payments-harness.fixture.ts';
import type { Services } from '../../../services.ts';
import { makePaymentTillMessage, makeTillMessage } from '../till.fixture.ts';
import { LocalListener } from './local-listener.ts';

let harness: PaymentsHarness;
let local: LocalListener;
afterEach(async () => {
  await local.close();
  await harness.stop();
});

const passphrase = 'correct horse, bättery';
const key = { KeyIdentifier: 'till', KeyVersion: 2, Passphrase: passphrase, AdyenCryptoVersion: 1 };
const keys = [
  { identifier: 'till', version: 1, passphrase: 'the former one' },
  { identifier: 'till', version: 2, passphrase },
];

const common = ({ faults }: Services) => ({ faults });

async function start(options: Parameters<typeof PaymentsHarness.start>[0] = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-local-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  harness = await PaymentsHarness.start({ adyen: true, ...options });
  local = await LocalListener.open({ port: 0, keys, folder, common }, harness.services);
  await local.listen('127.0.0.1');
  return { terminal: await harness.terminal().connect() };
}

/**
 * Makes the vendor's client as the vendor's documents show it. The client appends a fixed port to the address. The
 * address here ends with #, so the port becomes a fragment and is ignored.
 */
function vendor() {
  const config = new Config({
    apiKey: 'none is needed',
    environment: EnvironmentEnum.TEST,
    terminalApiLocalEndpoint: `${local.url}#`,
    certificatePath: local.authorityFile,
  });
  return new Client(config);
}

// biome-ignore lint/suspicious/noExplicitAny: the vendor's models are classes, and messages are plain
const ask = (body: object): Promise<any> => new TerminalLocalAPI(vendor()).request(body as any, key);

/** Encrypts a message as the vendor's client does. */
function sealed(body: { SaleToPOIRequest: { MessageHeader: object } }, secret = key, header?: object) {
  const { MessageHeader } = body.SaleToPOIRequest;
  const envelope = NexoCrypto.default.encrypt(
    (header ?? MessageHeader) as never,
    JSON.stringify(body),
    secret,
  );
  return { SaleToPOIRequest: envelope };
}

/** Decrypts the message in an answer. Throws an error if the message was encrypted with another key. */
function opened(text: string) {
  // biome-ignore lint/suspicious/noExplicitAny: read freely, as a till in another language would
  const [secured] = Object.values(JSON.parse(text)) as any[];
  return JSON.parse(new NexoCrypto.default().decrypt(secured, key));
}

interface Reply {
  status: number;
  text: string;
  headers: IncomingHttpHeaders;
}

function send(body: unknown, path = '/nexo/', method = 'POST') {
  const seen = { text: '' };
  const reply = new Promise<Reply>((resolve, reject) => {
    const asked = request(new URL(path, local.url), {
      method,
      headers: { 'content-type': 'application/json' },
      ca: readFileSync(local.authorityFile),
      checkServerIdentity: () => undefined,
      agent: false,
    });
    asked.on('error', reject);
    asked.on('response', (response) => {
      response.setEncoding('utf8');
      response.on('error', reject);
      response.on('data', (piece: string) => {
        seen.text += piece;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: seen.text, headers: response.headers }),
      );
    });
    asked.end(method === 'GET' ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
  return { seen, reply };
}

const refused = { errors: ['Nexo Service: crypto error (3)'], ServiceID: '-NULL-' };

test("the vendor's client, encrypted, can pay, be declined, abort and ask for a status (B462)", async () => {
  const { terminal } = await start();
  const paying = ask(makePaymentTillMessage('1', 25));
  await terminal.pay();
  const paid = (await paying).SaleToPOIResponse.PaymentResponse;
  expect(paid.Response.Result).toBe('Success');
  expect(paid.PaymentResult.AmountsResp.AuthorizedAmount).toBe(25);

  const declining = ask(makePaymentTillMessage('2', 25));
  terminal.refuse(await terminal.next('PaymentRequest'), 'Refusal');
  expect((await declining).SaleToPOIResponse.PaymentResponse.Response).toMatchObject({
    Result: 'Failure',
    ErrorCondition: 'Refusal',
  });

  const reference = { MessageReference: { MessageCategory: 'Payment', SaleID: 'POS1', ServiceID: '1' } };
  const { TransactionStatusResponse } = (await ask(makeTillMessage('TransactionStatus', '3', reference)))
    .SaleToPOIResponse;
  expect(TransactionStatusResponse.Response.Result).toBe('Success');
  expect(TransactionStatusResponse.RepeatedMessageResponse.MessageHeader.ServiceID).toBe('1');

  const aborted = await ask(makeTillMessage('Abort', '4', { AbortReason: 'MerchantAbort', ...reference }));
  expect(aborted.SaleToPOIResponse).toBeUndefined();
  const abort = sealed(makeTillMessage('Abort', '5', { AbortReason: 'MerchantAbort', ...reference }));
  expect(await send(abort, '/nexo').reply).toMatchObject({ status: 200, text: '' });
});

test("the journal has decrypted messages and answers, under the terminal's account, and no passphrase", async () => {
  const { terminal } = await start();
  const { reply } = send(sealed(makePaymentTillMessage('1', 25)));
  await terminal.pay();
  await reply;
  expect(harness.journal('http.received').at(-1)?.data).toMatchObject({
    path: '/nexo/',
    accountId: 'shop',
    body: { SaleToPOIRequest: { PaymentRequest: {} } },
  });
  expect(harness.journal('http.answered').at(-1)?.data).toMatchObject({
    status: 200,
    body: { SaleToPOIResponse: { PaymentResponse: {} } },
  });
  const kept = JSON.stringify(harness.runtime.journal.since());
  expect(kept).not.toContain('NexoBlob');
  expect(kept).not.toContain(passphrase);
});

const other = { ServiceID: '2', SaleID: 'POS1', POIID: 'V400m-1' };

test.each<[string, () => unknown]>([
  ['another passphrase', () => sealed(makePaymentTillMessage('1', 25), { ...key, Passphrase: 'wrong' })],
  [
    'a key of another name',
    () => sealed(makePaymentTillMessage('1', 25), { ...key, KeyIdentifier: 'other' }),
  ],
  ['a key of another version', () => sealed(makePaymentTillMessage('1', 25), { ...key, KeyVersion: 1 })],
  [
    'another version of the crypto',
    () => sealed(makePaymentTillMessage('1', 25), { ...key, AdyenCryptoVersion: 2 }),
  ],
  [
    'a header in the clear that is not the one inside',
    () => sealed(makePaymentTillMessage('1', 25), key, other),
  ],
  ['a message in the clear', () => makePaymentTillMessage('1', 25)],
  ['no message', () => ({ a: 1 })],
  ['no JSON', () => '{"a"'],
])('%s is answered with a crypto error, and the message is kept nowhere', async (_, body) => {
  await start();
  const { status, text } = await send(body()).reply;
  expect({ status, body: JSON.parse(text) }).toEqual({ status: 400, body: refused });
  expect(harness.journal('http.received').at(-1)?.data).not.toHaveProperty('body');
  expect(harness.journal('payment.accepted')).toHaveLength(0);
});

test("the vendor's unencrypted client is refused", async () => {
  await start();
  const client = new Unencrypted.default(vendor());
  await expect(client.request(makePaymentTillMessage('1', 25) as never)).rejects.toThrow('crypto error');
});

test('an unknown terminal is forbidden, even to a client with a key', async () => {
  await start();
  const { text, status } = await send(sealed(makePaymentTillMessage('1', 25, { header: { POIID: 'X-1' } })))
    .reply;
  expect({ status, body: JSON.parse(text) }).toMatchObject({ status: 403, body: { errorCode: '00_403' } });
});

test('other HTTP errors have the form of this API, and the control API is not served', async () => {
  await start();
  const problem = async (path: string, method?: string, body: unknown = {}) => {
    const { status, text } = await send(body, path, method).reply;
    return { status, ...JSON.parse(text) };
  };
  expect(await problem('/sync')).toMatchObject({ status: 404, errorCode: '00_404' });
  expect(await problem('/control/terminals', 'GET')).toMatchObject({ status: 404, errorCode: '00_404' });
  expect(await problem('/nexo/', 'GET')).toMatchObject({ status: 405, errorCode: '00_405' });
  expect(await problem('/nexo/', 'POST', 'x'.repeat(100_001))).toMatchObject({ status: 413 });
});

async function startSlowly(fault?: object) {
  const realClock = new VirtualClock({ startMs: systemClock.now() });
  const { terminal } = await start({ runtime: createRuntime({ clock: 'virtual', seed: 7, realClock }) });
  if (fault) await harness.services.faults.add({ after: 0, times: 1, ...fault } as never);
  const { seen, reply } = send(sealed(makePaymentTillMessage('1', 25)));
  const paymentRequest = await terminal.next('PaymentRequest');
  const approve = async () => {
    await terminal.authorize(paymentRequest);
    terminal.approve(paymentRequest);
  };
  return { realClock, seen, reply, approve };
}

test('white space also comes before an encrypted answer', async () => {
  const { realClock, seen, reply, approve } = await startSlowly();
  await realClock.advance(10_000);
  await until('the first space comes', () => seen.text === ' ');
  await approve();
  const { text } = await reply;
  expect(opened(text).SaleToPOIResponse.PaymentResponse.Response.Result).toBe('Success');
});

test('a request that fails after the first space gets an encrypted Reject event', async () => {
  const { realClock, seen, reply, approve } = await startSlowly({ fault: 'failAnswer', status: 503 });
  await realClock.advance(10_000);
  await until('the first space comes', () => seen.text === ' ');
  await approve();
  expect(opened((await reply).text).SaleToPOIRequest.EventNotification.EventToNotify).toBe('Reject');
});

test('test faults apply to the local API: an answer is cut off, and a request arrives twice', async () => {
  const { reply, approve } = await startSlowly({ fault: 'truncateAnswer', bytes: 40 });
  await approve();
  await expect(reply).rejects.toThrow();
  await harness.services.faults.add({
    fault: 'duplicateRequest',
    answered: 'copy',
    after: 0,
    times: 1,
  } as never);
  const { text } = await send(sealed(makePaymentTillMessage('1', 25))).reply;
  expect(opened(text).SaleToPOIResponse.PaymentResponse.Response.Result).toBe('Success');
  expect(harness.journal('fault.injected')).toHaveLength(2);
  // There are three requests: the first payment, the present one, and the copy of the present one.
  expect(harness.journal('http.received')).toHaveLength(3);
});

test('a client without TLS is cut off, and a silent client holds nothing up', async () => {
  await start();
  const { port } = new URL(local.url);
  const plain = connect(Number(port), '127.0.0.1', () => plain.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
  const silent = connect(Number(port), '127.0.0.1');
  plain.on('error', () => {});
  silent.on('error', () => {});
  const closed = new Promise((resolve) => plain.on('close', resolve));
  await closed;
  await local.close();
  await until('the silent one is cut off', () => silent.destroyed || silent.readableEnded);
});

test('a shutdown answers a payment that waits, encrypted', async () => {
  const { reply } = await startSlowly();
  await local.close();
  expect(opened((await reply).text)).toBeDefined();
});

test('the certificate authority is made once, and a temporary one ends with the listener', async () => {
  await start();
  const kept = readFileSync(local.authorityFile, 'utf8');
  const folder = join(local.authorityFile, '..');
  await local.close();
  local = await LocalListener.open({ port: 0, keys, folder, common }, harness.services);
  expect(readFileSync(local.authorityFile, 'utf8')).toBe(kept);
  const temporary = await LocalListener.open({ port: 0, keys, folder: undefined, common }, harness.services);
  expect(existsSync(temporary.authorityFile)).toBe(true);
  await temporary.close();
  expect(existsSync(join(temporary.authorityFile, '..'))).toBe(false);
});
