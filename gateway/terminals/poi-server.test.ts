import { EventEmitter, once } from 'node:events';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { noInFlightTracking } from '../../shared/in-flight.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { Link } from '../../shared/transport/link.ts';
import { sharedSocketProtocol } from '../../shared/transport/shared-socket.ts';
import { PaymentsHarness, testIds } from '../payments/payments-harness.fixture.ts';
import { makeApproval } from '../payments/test-terminal.fixture.ts';
import type { Terminal } from './directory.ts';
import { PoiServer } from './poi-server.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

test.each([
  ['a wrong key', { authorization: 'Bearer dev_wrong' }, 401],
  ['no key', { authorization: '' }, 401],
  ['an unknown poi_id', { 'pinpad-poi': 'V400m-9' }, 401],
  ['the key of another terminal', { 'pinpad-poi': 'V400m-2' }, 401],
  ['the clock of another process', { 'pinpad-clock': 'other' }, 403],
])('%s is refused before the link opens', async (_, headers, status) => {
  harness = await PaymentsHarness.start();
  await expect(harness.terminal().connect(headers)).rejects.toMatchObject({ status });
});

test('the newest connection of a terminal wins, and the displaced terminal is told who took over (B190)', async () => {
  harness = await PaymentsHarness.start();
  const first = await harness.terminal().connect();
  const second = await harness.terminal().connect();
  await harness.settle();
  expect(first.closed).toEqual({ code: 4001, reason: "another's" });
  const paying = harness.pay(25);
  await second.pay();
  expect((await paying).status).toBe(200);
});

test('if a link is displaced in the middle of a payment, the newer link is asked, and the payment is not lost', async () => {
  harness = await PaymentsHarness.start();
  const first = await harness.terminal().connect();
  const paying = harness.pay(25);
  const request = await first.next('PaymentRequest');
  const second = await harness.terminal().connect();
  second.answerStatus(await second.next('TransactionStatusRequest'), 'InProgress');
  await second.authorize(request);
  second.approve(request);
  expect((await paying).status).toBe(200);
  expect(harness.journal('payment.lost')).toEqual([]);
});

test('a device key can have four shared sockets, and each terminal can have its own (B193)', async () => {
  harness = await PaymentsHarness.start();
  const { url, runtime } = harness;
  const dial = async (poiId: string) => {
    const headers = {
      authorization: `Bearer dev_${poiId}-key-of-test`,
      'pinpad-poi': poiId,
      'pinpad-clock': runtime.clockId ?? '',
    };
    const socket = new WebSocket(`${url.replace('http', 'ws')}/poi`, [sharedSocketProtocol], { headers });
    onTestFinished(() => socket.terminate());
    await once(socket, 'open');
    return socket;
  };
  const another = await dial('V400m-2');
  const sockets = [];
  for (let nth = 0; nth < 4; nth++) sockets.push(await dial('V400m-1'));
  const ended = once(sockets[0] as WebSocket, 'close');
  sockets.push(await dial('V400m-1'));
  expect((await ended)[0]).toBe(1008);
  expect([another, ...sockets].map((socket) => socket.readyState === WebSocket.OPEN)).toEqual([
    true,
    false,
    true,
    true,
    true,
    true,
  ]);
});

const envelope = (header: object, body: object) => ({ SaleToPOIRequest: { MessageHeader: header, ...body } });
const header = {
  ProtocolVersion: '3.0',
  MessageClass: 'Service',
  MessageCategory: 'Payment',
  MessageType: 'Request',
  ServiceID: 'A1',
  SaleID: 'pinpad',
  POIID: 'V400m-1',
};

test.each([
  ['what is not JSON', 'hello', 1007],
  ['JSON that is no message', '{"a":1}', 1007],
  ['null', 'null', 1007],
  ['a header without ServiceID', JSON.stringify(envelope({}, { EventNotification: {} })), 1007],
  ['a body of no kind', JSON.stringify(envelope(header, { PaymentResponses: {} })), 1007],
  [
    'a body that is none, of a request that only the gateway sends',
    JSON.stringify(envelope(header, { PaymentRequest: 7 })),
    1008,
  ],
  [
    "another terminal's body that is none",
    JSON.stringify(envelope({ ...header, POIID: 'V400m-2' }, { PaymentResponse: 7 })),
    1008,
  ],
  [
    'an answer to no request',
    JSON.stringify(
      envelope(header, {
        TransactionStatusResponse: {
          Response: { Result: 'Success' },
          MessageReference: { MessageCategory: 'Payment', ServiceID: 'A1' },
        },
      }),
    ),
    1008,
  ],
  [
    'a request that only the gateway sends',
    JSON.stringify(
      envelope(header, {
        TransactionStatusRequest: { MessageReference: { MessageCategory: 'Payment', ServiceID: 'A1' } },
      }),
    ),
    1008,
  ],
  [
    'a message of another terminal',
    JSON.stringify(
      envelope(
        { ...header, POIID: 'V400m-2' },
        {
          EventNotification: { TimeStamp: '2026-01-01T09:00:00Z', EventToNotify: 'Initialised' },
        },
      ),
    ),
    1008,
  ],
])('%s closes the link with a reason', async (_, text, code) => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  terminal.raw(text);
  await harness.seen('link.closed');
  expect(terminal.closed).toMatchObject({ code });
  expect(terminal.closed?.reason).not.toBe('');
  expect(harness.journal('warning')).toEqual([]);
});

test.each([
  ['a body that is none', { PaymentResponse: 7 }, 'PaymentResponse'],
  ['a body with a field at fault', { EventNotification: { EventToNotify: 'Shouting' } }, 'EventNotification'],
])('%s is refused with its name in the answer, and the link stays open', async (_, body, kind) => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const answers: string[] = [];
  terminal.link?.send(
    JSON.stringify(envelope(header, body)),
    () => answers.push('acknowledged'),
    (reason) => answers.push(reason),
  );
  await harness.settle();
  expect(answers).toEqual([expect.stringContaining(`${kind}: `)]);
  expect(terminal.closed).toBeUndefined();
  expect(harness.journal('warning')).toMatchObject([
    { terminal: 'V400m-1', data: { message: expect.stringContaining(`${kind} A1 cannot be read`) } },
  ]);
  const paying = harness.pay(25);
  await terminal.pay();
  expect((await paying).body.response).toMatchObject({ result: 'success' });
});

test("a result for another terminal's payment closes the link, and the payment continues", async () => {
  harness = await PaymentsHarness.start();
  const [one, two] = [await harness.terminal().connect(), await harness.terminal('V400m-2').connect()];
  const paying = harness.pay(25);
  const request = await one.next('PaymentRequest');
  two.send('PaymentResponse', request.header.ServiceID, makeApproval(request.body));
  await harness.seen('link.closed');
  expect(two.closed).toMatchObject({ code: 1008 });
  await one.authorize(request);
  one.approve(request);
  expect((await paying).body.response).toMatchObject({ result: 'success' });
});

test('a result under another ServiceID closes the link', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  await harness.pay(25, { headers: { prefer: 'respond-async' } });
  const request = await terminal.next('PaymentRequest');
  terminal.send('PaymentResponse', 'OTHER', makeApproval(request.body));
  await harness.seen('link.closed');
  expect(terminal.closed).toMatchObject({ code: 1008 });
  expect(harness.journal('payment.concluded')).toEqual([]);
});

test('a result for an unknown payment is acknowledged, so that the terminal can delete it', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  await harness.pay(25, { headers: { prefer: 'respond-async' } });
  const request = await terminal.next('PaymentRequest');
  request.body.SaleData.SaleTransactionID.TransactionID = testIds.store;
  terminal.approve(request);
  await harness.seen('warning');
  expect(terminal.closed).toBeUndefined();
});

test('the journal has the progress of a payment under that payment', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const { body } = await harness.pay(25, { headers: { prefer: 'respond-async' } });
  const request = await terminal.next('PaymentRequest');
  terminal.send('DisplayRequest', request.header.ServiceID, {
    DisplayOutput: [
      {
        ResponseRequiredFlag: false,
        Device: 'CashierDisplay',
        InfoQualify: 'Status',
        OutputContent: {
          OutputFormat: 'MessageRef',
          PredefinedContent: { ReferenceID: 'TransactionID=t&TimeStamp=now&event=CARD_INSERTED' },
        },
      },
    ],
  });
  await harness.seen('payment.progressed');
  expect(harness.journal('payment.progressed')).toMatchObject([
    { terminal: 'V400m-1', payment: body.identifier, data: { event: 'CARD_INSERTED' } },
  ]);
});

test('a deleted terminal loses its link and cannot come back', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  await harness.services.terminals.deleteTerminal(testIds.terminal);
  await harness.seen('link.closed');
  expect(terminal.closed).toMatchObject({ code: 1008 });
  await expect(harness.terminal().connect()).rejects.toMatchObject({ status: 401 });
  expect((await harness.pay(25)).body.error).toBe('terminalNotFound');
});

test('in real time every link is pinged once per heartbeat, however many there are', async () => {
  harness = await PaymentsHarness.start();
  const { clock, runtime, services } = harness;
  const { terminals } = services;
  const real: Runtime = {
    ...runtime,
    inFlight: noInFlightTracking,
    clock: {
      virtual: false,
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      elapsedSince: (momentMs) => clock.elapsedSince(momentMs),
      setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs),
      clearTimeout: (timer) => clock.clearTimeout(timer),
    },
  };
  const poi = new PoiServer(real, terminals);
  const pings = new Array(40).fill(0);
  for (let i = 0; i < pings.length; i++) {
    const wire = new EventEmitter();
    const ping = () => {
      pings[i]++;
      wire.emit('pong');
    };
    const socket = Object.assign(wire, {
      bufferedAmount: 0,
      send() {},
      ping,
      pong() {},
      close() {},
      terminate() {},
    });
    const { id } = await terminals.createTerminal({ poiId: `V-${i}`, storeId: testIds.store });
    const terminal = terminals.byId(id) as Terminal;
    poi.connected(new Link(socket, `link-${i}`, '/poi', real), { terminal, dial: undefined });
  }
  await clock.advance(3 * real.timeouts.heartbeatMs);
  expect(pings).toEqual(pings.map(() => 3));
  poi.stop();
});
