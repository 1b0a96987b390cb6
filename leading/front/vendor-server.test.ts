import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { makeCertificateAuthority } from '../../shared/certificates/certificate-authority.ts';
import { apiKey, certificateSources, startGatewayStandIn } from '../stand-in.fixture.ts';
import { type GatewayAddressGetter, VendorServer } from './vendor-server.ts';

const host = 'terminal-api-test.adyen.com';
const payment = JSON.stringify({ SaleToPOIRequest: { MessageHeader: { ServiceID: '1' } } });

async function vendorServerTo(target: GatewayAddressGetter) {
  const authority = await makeCertificateAuthority(
    { name: 'A vendor server', domains: ['adyen.com'], days: 1 },
    certificateSources,
  );
  const vendorServer = new VendorServer(
    authority.issue({ commonName: host, names: [host], days: 1 }),
    target,
  );
  await vendorServer.listen();
  onTestFinished(() => vendorServer.close());
  return { vendorServer, ca: authority.certificatePem };
}

/** Sends a request in the same way as the vendor's clients. */
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
  const gateway = await startGatewayStandIn();
  const { vendorServer, ca } = await vendorServerTo(() => gateway.url);
  const answer = await answerOf(call(vendorServer.port, ca, { path: '//v1/merchants/m/sync?a=%2F' }));
  expect(answer).toEqual({ status: 200, text: expect.stringContaining('"Result":"Success"') });
  expect(gateway.received).toEqual([
    {
      ...{ method: 'POST', path: '//v1/merchants/m/sync?a=%2F', body: payment },
      headers: expect.objectContaining({ 'x-api-key': apiKey, 'x-own': 'a, b' }),
    },
  ]);
  expect(vendorServer.counts).toEqual({
    requests: 1,
    unauthorized: 0,
    unknown: 0,
    unanswered: 0,
    distrusted: 0,
  });
});

test('an answer arrives as the gateway sends it: first the space, then the rest', async () => {
  const { promise: card, resolve: tap } = Promise.withResolvers<void>();
  const gateway = await startGatewayStandIn(card);
  const { vendorServer, ca } = await vendorServerTo(() => gateway.url);
  const [response] = await once(call(vendorServer.port, ca), 'response');
  const [first] = await once(response, 'data');
  expect(first.toString()).toBe(' ');
  tap();
  expect(await text(response)).toMatch(/^\{"SaleToPOIResponse"/);
});

test('the status arrives before the body has begun', async () => {
  const gateway = await startGatewayStandIn();
  gateway.server.removeAllListeners('request').on('request', (_, response) => response.flushHeaders());
  const { vendorServer, ca } = await vendorServerTo(() => gateway.url);
  const [response] = await once(call(vendorServer.port, ca), 'response');
  expect(response.statusCode).toBe(200);
});

test('requests go to the gateway that is current when they arrive', async () => {
  const gateways = [await startGatewayStandIn(), await startGatewayStandIn()];
  let target = gateways[0]?.url;
  const { vendorServer, ca } = await vendorServerTo(() => target);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  await answerOf(call(vendorServer.port, ca, { agent }));
  target = gateways[1]?.url;
  await answerOf(call(vendorServer.port, ca, { agent }));
  expect(gateways.map(({ received }) => received.length)).toEqual([1, 1]);
});

test('if there is no gateway, the connection breaks as at a server that is gone (B421)', async () => {
  const gateway = await startGatewayStandIn();
  let target: string | undefined = gateway.url;
  const { vendorServer, ca } = await vendorServerTo(() => target);
  gateway.server.close();
  gateway.server.closeAllConnections();
  await expect(answerOf(call(vendorServer.port, ca))).rejects.toThrow('socket hang up');
  target = undefined;
  await expect(answerOf(call(vendorServer.port, ca))).rejects.toThrow('socket hang up');
  expect(vendorServer.counts).toMatchObject({ requests: 2, unanswered: 2 });
});

test('an answer that breaks off at the gateway also breaks off for the client', async () => {
  const gateway = await startGatewayStandIn(new Promise(() => {}));
  const { vendorServer, ca } = await vendorServerTo(() => gateway.url);
  const [response] = await once(call(vendorServer.port, ca), 'response');
  gateway.server.closeAllConnections();
  await expect(text(response)).rejects.toThrow('aborted');
});

test('if a client hangs up, its connection to the gateway ends too', async () => {
  const gateway = await startGatewayStandIn(new Promise(() => {}));
  const connected = once(gateway.server, 'connection') as Promise<[Socket]>;
  const { vendorServer, ca } = await vendorServerTo(() => gateway.url);
  const sent = call(vendorServer.port, ca);
  await once(sent, 'response');
  const [socket] = await connected;
  sent.destroy();
  await once(socket, 'close');
});

test('a connection that the gateway closes while it is idle is closed (B421)', async () => {
  const gateway = await startGatewayStandIn();
  const { vendorServer, ca } = await vendorServerTo(() => gateway.url);
  const agent = new Agent({ keepAlive: true });
  const sent = call(vendorServer.port, ca, { agent });
  const [socket] = (await once(sent, 'socket')) as [Socket];
  await answerOf(sent);
  const closed = once(socket, 'close');
  gateway.server.closeIdleConnections();
  await closed;
});

test('wrong keys and clients that do not trust the certificate are counted', async () => {
  const gateway = await startGatewayStandIn();
  const { vendorServer, ca } = await vendorServerTo(() => gateway.url);
  expect(await answerOf(call(vendorServer.port, ca, { key: 'live' }))).toMatchObject({ status: 401 });
  const other = await vendorServerTo(() => undefined);
  const sent = call(vendorServer.port, other.ca);
  await expect(once(sent, 'response')).rejects.toThrow('unable to verify');
  const late = connectTls({ host: '127.0.0.1', port: vendorServer.port, rejectUnauthorized: false });
  await once(late, 'secureConnect');
  const early = connect({ host: '127.0.0.1', port: vendorServer.port });
  await once(early, 'connect');
  await vendorServer.close();
  expect(vendorServer.counts).toEqual({
    requests: 1,
    unauthorized: 1,
    unknown: 0,
    unanswered: 0,
    distrusted: 3,
  });
});

test('the vendor server listens on loopback only (B422), and reports a port in use in one line', async () => {
  const { vendorServer } = await vendorServerTo(() => undefined);
  const [error] = await once(connect({ host: '127.0.0.2', port: vendorServer.port }), 'error');
  expect(error.code).toBe('ECONNREFUSED');
  const second = new VendorServer(
    (await makeCertificateAuthority({ name: 'x', domains: ['x'], days: 1 }, certificateSources)).issue({
      ...{ commonName: 'x', names: ['x'], days: 1 },
    }),
    () => undefined,
  );
  await expect(second.listen(vendorServer.port)).rejects.toThrow(
    `port ${vendorServer.port} on 127.0.0.1 is taken`,
  );
});
