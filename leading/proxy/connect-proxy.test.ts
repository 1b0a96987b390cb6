import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeCertificateAuthority } from '../../shared/certificates/certificate-authority.ts';
import { VendorServer } from '../front/vendor-server.ts';
import {
  apiKey,
  certificateSources,
  startGatewayStandIn,
  startOtherHost,
  startUsersProxy,
} from '../stand-in.fixture.ts';
import { isVendorAddress, type Vendor, vendors } from '../vendors.ts';
import { ConnectProxy } from './connect-proxy.ts';
import { createUsersProxyFinder } from './users-proxy.ts';

const adyen = vendors.adyen as Vendor;
const host = 'terminal-api-test.adyen.com';

async function proxy(environment: Record<string, string> = {}, target?: string, patienceMs?: number) {
  const authority = await makeCertificateAuthority(
    { name: 'x', domains: ['adyen.com'], days: 1 },
    certificateSources,
  );
  const vendorServer = new VendorServer(
    authority.issue({ commonName: host, names: [host], days: 1 }),
    () => target,
  );
  await vendorServer.listen();
  const made = new ConnectProxy({
    ...{ isRedirected: (name: string, port: number) => isVendorAddress(adyen, name, port), vendorServer },
    ...{ proxies: createUsersProxyFinder(environment), patienceMs, ...certificateSources },
  });
  await made.listen();
  onTestFinished(() => {
    made.close();
    return vendorServer.close();
  });
  const { username, password } = new URL(made.url);
  const header = `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return { vendorServer, port: made.port, header };
}

/**
 * Sends these lines to the proxy. If `sent` is given, sends it through the tunnel and closes this end of the tunnel.
 * Returns everything that the proxy answers until the proxy ends the connection.
 */
async function ask(port: number, lines: readonly string[], sent?: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (sent !== undefined) socket.end(sent);
  return text(socket);
}

/** Starts a server that sends all received bytes back. */
async function echo(): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const established = 'HTTP/1.1 200 Connection established\r\n\r\n';

test('other hosts are reached with the password, and each end learns when the other ends', async () => {
  const { port, header } = await proxy();
  const at = `localhost:${await echo()}`;
  expect(await ask(port, [`CONNECT ${at} HTTP/1.1`, `Host: ${at}`, header], 'hello')).toBe(
    `${established}hello`,
  );
});

test.each([
  ['none', undefined],
  ['a wrong one', `Proxy-Authorization: Basic ${Buffer.from('pinpad:wrong').toString('base64')}`],
  ['another scheme', 'Proxy-Authorization: Bearer x'],
])('without the password, no other host is reached (B422): %s', async (_, header) => {
  const { port } = await proxy();
  const at = `localhost:${await echo()}`;
  const lines = [`CONNECT ${at} HTTP/1.1`, 'Connection: close', 'Host: x', ...(header ? [header] : [])];
  expect(await ask(port, lines)).toMatch(
    /^HTTP\/1\.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="pinpad as"\r\n/,
  );
  expect(await ask(port, [`GET http://${at}/ HTTP/1.1`, ...lines.slice(1)])).toMatch(/^HTTP\/1\.1 407 /);
});

test.each(['localhost', 'localhost:0', 'localhost:65536', ':443', '[::1:443', 'a@b:443', 'localhost:https'])(
  'CONNECT to %s is refused',
  async (at) => {
    const { port, header } = await proxy();
    expect(await ask(port, [`CONNECT ${at} HTTP/1.1`, 'Host: x', header])).toMatch(/^HTTP\/1\.1 400 /);
  },
);

test('a redirected host needs no password, and is reached only at its port', async () => {
  const { port, vendorServer } = await proxy();
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(`CONNECT ${host.toUpperCase()}:443 HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect((await once(socket, 'data')).toString()).toBe(established);
  socket.end('no handshake');
  await expect.poll(() => vendorServer.counts.distrusted).toBe(1);
  expect(await ask(port, [`CONNECT ${host}:8443 HTTP/1.1`, 'Host: x'])).toMatch(/^HTTP\/1\.1 407 /);
  expect(await ask(port, ['CONNECT checkout-test.adyen.com:443 HTTP/1.1', 'Host: x'])).toMatch(/ 407 /);
});

test('the reason why a host cannot be reached is reported', async () => {
  const { port, header } = await proxy();
  const closed = createServer();
  await once(closed.listen(0, '127.0.0.1'), 'listening');
  const at = `127.0.0.1:${(closed.address() as AddressInfo).port}`;
  closed.close();
  expect(await ask(port, [`CONNECT ${at} HTTP/1.1`, 'Host: x', header])).toMatch(
    /^HTTP\/1\.1 502 Bad Gateway\r\n[\s\S]*127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED\n$/,
  );
});

test('clients that call https at the proxy itself are redirected, too, and can call other hosts', async () => {
  const gateway = await startGatewayStandIn();
  const { port, vendorServer, header } = await proxy({}, gateway.url);
  const body = JSON.stringify({ SaleToPOIRequest: { MessageHeader: {} } });
  const post = [`POST https://${host}/sync?a=1 HTTP/1.1`, `Host: ${host}`, `Content-Length: ${body.length}`];
  const answer = ask(port, [...post, `X-API-Key: ${apiKey}`, 'Connection: close', '', body]);
  expect(await answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"Result":"Success"/);
  expect(vendorServer.counts.requests).toBe(1);
  const { url } = gateway;
  expect(await ask(port, [`GET ${url}/health HTTP/1.1`, 'Host: x', header, 'Connection: close'])).toMatch(
    /^HTTP\/1\.1 200 OK\r\n/,
  );
  expect(gateway.received.map(({ path }) => path)).toEqual(['/sync?a=1']);
  expect(await ask(port, ['GET /health HTTP/1.1', 'Host: x', header, 'Connection: close'])).toMatch(/ 400 /);
});

test('if such a client hangs up, its connection to the host ends, even before an answer', async () => {
  const { server, url } = await startGatewayStandIn();
  const asked = once(server.removeAllListeners('request'), 'request') as Promise<[IncomingMessage]>;
  const { port, header } = await proxy();
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(`GET ${url}/sync HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
  const [request] = await asked;
  socket.destroy();
  await once(request.socket, 'close');
});

describe("with the user's own proxy", () => {
  test('other hosts are reached through it, with its own password (B420)', async () => {
    const other = await startOtherHost('shop.example');
    const own = await startUsersProxy('shop.example', other.port);
    const { port, header } = await proxy({ HTTPS_PROXY: own.url });
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write(`CONNECT shop.example:443 HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
    expect((await once(socket, 'data')).toString()).toBe(established);
    socket.destroy();
    expect(own.asked).toEqual([`shop.example:443 Basic ${Buffer.from('me:s p').toString('base64')}`]);
  });

  test('its name and password may have a percent sign that encodes nothing', async () => {
    const own = await startUsersProxy('shop.example', 1);
    const { port, header } = await proxy({ HTTPS_PROXY: own.url.replace('me:s%20p', 'us%er:50%') });
    const answer = await ask(port, ['CONNECT bank.example:443 HTTP/1.1', 'Host: x', header]);
    expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    expect(own.asked).toEqual([`bank.example:443 Basic ${Buffer.from('us%er:50%').toString('base64')}`]);
  });

  test('its refusal is passed on, and does not ask for the password of this proxy', async () => {
    const own = await startUsersProxy('shop.example', 1);
    const wrong = own.url.replace('me:', 'you:');
    for (const [url, why] of [
      [own.url, '403 Forbidden'],
      [wrong, '407 Proxy Authentication Required'],
    ]) {
      const { port, header } = await proxy({ HTTPS_PROXY: url as string });
      const answer = await ask(port, ['CONNECT bank.example:443 HTTP/1.1', 'Host: x', header]);
      expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
      expect(answer).toContain(`did not connect to bank.example:443: ${why}\n`);
      expect(answer).not.toContain('s%20p');
    }
  });

  test('hosts that it excludes are reached without it', async () => {
    const own = await startUsersProxy('shop.example', 1);
    const { port, header } = await proxy({ HTTPS_PROXY: own.url, NO_PROXY: 'localhost' });
    const at = `localhost:${await echo()}`;
    expect(await ask(port, [`CONNECT ${at} HTTP/1.1`, 'Host: x', header], 'hi')).toBe(`${established}hi`);
    expect(own.asked).toEqual([]);
  });
});

describe('hostile clients', () => {
  test('with endless headers are refused', async () => {
    const { port } = await proxy();
    const answer = ask(port, ['CONNECT localhost:1 HTTP/1.1', `X: ${'x'.repeat(100_000)}`]);
    // If the proxy closes the connection before it has read all bytes, the client may get a reset instead of the
    // answer.
    expect(await answer.catch(({ code }) => code)).toMatch(/ 431 |ECONNRESET/);
  });

  test('that ask for nothing are not waited for', async () => {
    const { port } = await proxy({}, undefined, 40);
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write('CONNECT localhost:1');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('that send noise are refused', async () => {
    const { port } = await proxy();
    expect(await ask(port, ['\u0016\u0003\u0001\u0002'])).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('are all served, even many at a time, and leave nothing open', async () => {
    const { port, header } = await proxy();
    const at = `localhost:${await echo()}`;
    const asked = Array.from({ length: 200 }, (_, nth) =>
      ask(port, [`CONNECT ${at} HTTP/1.1`, 'Host: x', header], `${nth}`),
    );
    expect(await Promise.all(asked)).toEqual(asked.map((_, nth) => `${established}${nth}`));
  });

  test('that leave while their host is dialled harm nobody', async () => {
    const { port, header } = await proxy();
    const at = `localhost:${await echo()}`;
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.write(`CONNECT ${at} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`, () => socket.resetAndDestroy());
    await once(socket, 'close');
    expect(await ask(port, [`CONNECT ${at} HTTP/1.1`, 'Host: x', header], 'hi')).toBe(`${established}hi`);
  });
});
