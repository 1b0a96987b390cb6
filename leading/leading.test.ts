import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { VendorRedirection } from './leading.ts';
import { apiKey, certificateSources, startGatewayStandIn } from './stand-in.fixture.ts';
import { type Vendor, vendors } from './vendors.ts';

const vendor = vendors.adyen as Vendor;

async function leadingWith(environment: Record<string, string> = {}) {
  const leading = await VendorRedirection.start({ vendor, environment, ...certificateSources });
  onTestFinished(() => leading.close());
  return leading;
}

/**
 * Sends a payment from a program that has the redirection's environment variables, so Node loads the preload file
 * first.
 */
async function pay(variables: Readonly<Record<string, string>>): Promise<string> {
  const { port, hosts } = JSON.parse(variables.PINPAD_LEADS as string);
  const ca = readFileSync(variables.NODE_EXTRA_CA_CERTS as string);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { 'x-api-key': apiKey };
  const options = {
    ca,
    port,
    host: '127.0.0.1',
    servername: hosts[0],
    method: 'POST',
    path: '/sync',
    headers,
  };
  const sent = request({ ...options, agent: false }, (response) => text(response).then(resolve, reject));
  sent.on('error', reject).end(JSON.stringify({ SaleToPOIRequest: { MessageHeader: {} } }));
  return promise;
}

test('several commands can be redirected at once, each to its own gateway', async () => {
  const leading = await leadingWith();
  const gateways = [await startGatewayStandIn(), await startGatewayStandIn()];
  const redirections = await Promise.all(gateways.map(({ url }) => leading.lead(() => url)));
  const [one, other] = redirections.map(({ variables }) => variables);
  expect(await pay(one ?? {})).toContain('Success');
  await redirections[0]?.close();
  expect(await pay(other ?? {})).toContain('Success');
  await expect(pay(one ?? {})).rejects.toThrow('ECONNREFUSED');
  expect(gateways.map(({ received }) => received.length)).toEqual([1, 1]);
  expect(redirections.map(({ counts }) => counts.requests)).toEqual([1, 1]);
  expect(one?.HTTPS_PROXY).not.toBe(other?.HTTPS_PROXY);
});

test('closing leaves nothing behind', async () => {
  const leading = await leadingWith();
  const { variables } = await leading.lead(() => undefined);
  const folder = dirname(leading.authorityFile);
  expect(existsSync(folder)).toBe(true);
  await leading.close();
  expect(existsSync(folder)).toBe(false);
  await expect(pay({ ...variables, NODE_EXTRA_CA_CERTS: '/dev/null' })).rejects.toThrow('ECONNREFUSED');
});

test.each<[Record<string, string>, string[]]>([
  [{}, []],
  [{ ALL_PROXY: 'http://proxy:3128', JAVA_TOOL_OPTIONS: '-Xmx1g' }, []],
  [{ ALL_PROXY: 'socks5h://proxy:1080', HTTPS_PROXY: 'http://proxy:3128' }, []],
  [
    { all_proxy: 'socks5h://proxy:1080' },
    ['ALL_PROXY is ignored: hosts that are not redirected are reached without this proxy'],
  ],
  [
    { JDK_JAVA_OPTIONS: '-Dhttps.proxyHost=proxy' },
    ['your Java options name a proxy, so programs in Java reach only the redirected hosts'],
  ],
  [
    { JAVA_TOOL_OPTIONS: '-Djavax.net.ssl.trustStore=own.p12' },
    ['your Java options name a trust store, but programs in Java get the usual certificates instead'],
  ],
])('a setting that is not kept for %j is reported', async (environment, notes) => {
  const leading = await leadingWith(environment);
  expect((await leading.lead(() => undefined)).notes).toEqual(notes);
});
