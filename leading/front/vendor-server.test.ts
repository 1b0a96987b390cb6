import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { makeCertificateAuthority } from '../../shared/certificates/certificate-authority.ts';
import { apiKey, gatewayStandIn, sources } from '../stand-in.fixture.ts';
import { type GatewayAddress, VendorServer } from './vendor-server.ts';

const host = 'terminal-api-test.adyen.com';
const payment = JSON.stringify({ SaleToPOIRequest: { MessageHeader: { ServiceID: '1' } } });

async function frontTo(target: GatewayAddress) {
  const authority = await makeCertificateAuthority(
    { name: 'A front', domains: ['adyen.com'], days: 1 },
    sources,
  );
  const front = new VendorServer(authority.issue({ commonName: host, names: [host], days: 1 }), target);
  await front.listen();
  onTestFinished(() => front.close());
  return { front, ca: authority.certificatePem };
}

/** Sends a request as the vendor's clients do. */
function call(port: number, ca: string, options: { path?: string; key?: string; agent?: Agent } = {}) {
  const { path = '/sync', key = apiKey, agent } = options;
  const sent = request({
    ...{ host: '127.0.0.1', port, servername: host, ca, agent, path, method: 'POST' },
    headers: { host, 'x-api-key': key, 'x-own': ['a', 'b'] },
  });
  sent.end(payment);
  return sent;
}

async function answerOf(sent: ReturnType<typeof call>) {
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, text: await text(response) };
}

test('a request is forwarded unchanged, with its path, headers and body (B420)', async () => {
  const gateway = await gatewayStandIn();
  const { front, ca } = await frontTo(() => gateway.url);
  const answer = await answerOf(call(front.port, ca, { path: '//v1/merchants/m/sync?a=%2F' }));
  expect(answer).toEqual({ status: 200, text: expect.stringContaining('"Result":"Success"') });
  expect(gateway.received).toEqual([
    {
      ...{ method: 'POST', path: '//v1/merchants/m/sync?a=%2F', body: payment },
      headers: expect.objectContaining({ 'x-api-key': apiKey, 'x-own': 'a, b' }),
    },
  ]);
  expect(front.counts).toEqual({ requests: 1, unauthorized: 0, unknown: 0, unanswered: 0, distrusted: 0 });
});

test('an answer arrives as the gateway sends it: first the space, then the rest', async () => {
  const { promise: card, resolve: tap } = Promise.withResolvers<void>();
  const gateway = await gatewayStandIn(card);
  const { front, ca } = await frontTo(() => gateway.url);
  const [response] = await once(call(front.port, ca), 'response');
  const [first] = await once(response, 'data');
  expect(first.toString()).toBe(' ');
  tap();
  expect(await text(response)).toMatch(/^\{"SaleToPOIResponse"/);
});

test('the status arrives before the body has begun', async () => {
  const gateway = await gatewayStandIn();
  gateway.server.removeAllListeners('request').on('request', (_, response) => response.flushHeaders());
  const { front, ca } = await frontTo(() => gateway.url);
  const [response] = await once(call(front.port, ca), 'response');
  expect(response.statusCode).toBe(200);
});

test('requests go to the gateway that is current when they arrive', async () => {
  const gateways = [await gatewayStandIn(), await gatewayStandIn()];
  let target = gateways[0]?.url;
  const { front, ca } = await frontTo(() => target);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  await answerOf(call(front.port, ca, { agent }));
  target = gateways[1]?.url;
  await answerOf(call(front.port, ca, { agent }));
  expect(gateways.map(({ received }) => received.length)).toEqual([1, 1]);
});

test('if there is no gateway, the connection breaks as at a server that is gone (B421)', async () => {
  const gateway = await gatewayStandIn();
  let target: string | undefined = gateway.url;
  const { front, ca } = await frontTo(() => target);
  gateway.server.close();
  gateway.server.closeAllConnections();
  await expect(answerOf(call(front.port, ca))).rejects.toThrow('socket hang up');
  target = undefined;
  await expect(answerOf(call(front.port, ca))).rejects.toThrow('socket hang up');
  expect(front.counts).toMatchObject({ requests: 2, unanswered: 2 });
});

test('an answer that breaks off at the gateway also breaks off for the client', async () => {
  const gateway = await gatewayStandIn(new Promise(() => {}));
  const { front, ca } = await frontTo(() => gateway.url);
  const [response] = await once(call(front.port, ca), 'response');
  gateway.server.closeAllConnections();
  await expect(text(response)).rejects.toThrow('aborted');
});

test('if a client hangs up, its connection to the gateway ends too', async () => {
  const gateway = await gatewayStandIn(new Promise(() => {}));
  const connected = once(gateway.server, 'connection') as Promise<[Socket]>;
  const { front, ca } = await frontTo(() => gateway.url);
  const sent = call(front.port, ca);
  await once(sent, 'response');
  const [socket] = await connected;
  sent.destroy();
  await once(socket, 'close');
});

test('a connection that the gateway closes while it is idle is closed (B421)', async () => {
  const gateway = await gatewayStandIn();
  const { front, ca } = await frontTo(() => gateway.url);
  const agent = new Agent({ keepAlive: true });
  const sent = call(front.port, ca, { agent });
  const [socket] = (await once(sent, 'socket')) as [Socket];
  await answerOf(sent);
  const closed = once(socket, 'close');
  gateway.server.closeIdleConnections();
  await closed;
});

test('wrong keys and clients that do not trust the certificate are counted', async () => {
  const gateway = await gatewayStandIn();
  const { front, ca } = await frontTo(() => gateway.url);
  expect(await answerOf(call(front.port, ca, { key: 'live' }))).toMatchObject({ status: 401 });
  const other = await frontTo(() => undefined);
  const sent = call(front.port, other.ca);
  await expect(once(sent, 'response')).rejects.toThrow('unable to verify');
  const late = connectTls({ host: '127.0.0.1', port: front.port, rejectUnauthorized: false });
  await once(late, 'secureConnect');
  const early = connect({ host: '127.0.0.1', port: front.port });
  await once(early, 'connect');
  await front.close();
  expect(front.counts).toEqual({ requests: 1, unauthorized: 1, unknown: 0, unanswered: 0, distrusted: 3 });
});

test('the front listens on loopback only (B422), and reports a port in use in one line', async () => {
  const { front } = await frontTo(() => undefined);
  const [error] = await once(connect({ host: '127.0.0.2', port: front.port }), 'error');
  expect(error.code).toBe('ECONNREFUSED');
  const second = new VendorServer(
    (await makeCertificateAuthority({ name: 'x', domains: ['x'], days: 1 }, sources)).issue({
      ...{ commonName: 'x', names: ['x'], days: 1 },
    }),
    () => undefined,
  );
  await expect(second.listen(front.port)).rejects.toThrow(`port ${front.port} on 127.0.0.1 is taken`);
});
