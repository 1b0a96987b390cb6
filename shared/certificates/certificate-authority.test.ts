import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { systemRandom } from '../random.ts';
import {
  type KeyedCertificate,
  makeCertificateAuthority,
  restoreCertificateAuthority,
} from './certificate-authority.ts';

const sources = { clock: systemClock, random: systemRandom };
const days = 30;

const made = () => makeCertificateAuthority({ name: 'A test', domains: ['shop.example'], days }, sources);

/**
 * Connects a client that trusts the authority to a server with this certificate. Returns `accepted`, or the client's
 * error.
 */
async function handshake(authority: KeyedCertificate, server: KeyedCertificate, host: string) {
  const tls = createServer({ cert: server.certificatePem, key: server.keyPem }, (socket) => socket.end());
  onTestFinished(() => void tls.close());
  await once(tls.listen(0, '127.0.0.1'), 'listening');
  const { port } = tls.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', servername: host, ca: authority.certificatePem });
  return once(client, 'secureConnect').then(
    () => client.destroy() && 'accepted',
    ({ code, message }: NodeJS.ErrnoException) => `${code} ${message}`,
  );
}

test('a client that trusts an authority accepts the names that it certifies, and no others', async () => {
  const authority = await made();
  const names = ['one.shop.example', 'two.shop.example'];
  const server = authority.issue({ commonName: 'one.shop.example', names, days });
  expect(await handshake(authority, server, 'one.shop.example')).toBe('accepted');
  expect(await handshake(authority, server, 'two.shop.example')).toBe('accepted');
  expect(await handshake(authority, server, 'three.shop.example')).toMatch('ERR_TLS_CERT_ALTNAME_INVALID');
  expect(await handshake(await made(), server, 'one.shop.example')).toMatch('UNABLE_TO_VERIFY');
});

test("a name outside the authority's domains is not accepted, even if the authority certifies it", async () => {
  const authority = await made();
  const server = authority.issue({ commonName: 'bank.example', names: ['bank.example'], days });
  expect(await handshake(authority, server, 'bank.example')).toMatch('permitted subtree violation');
});

test('an authority that was stored is used again', async () => {
  const { certificatePem, keyPem } = await made();
  const authority = await restoreCertificateAuthority({ certificatePem, keyPem }, sources);
  const server = authority.issue({ commonName: 'pay.shop.example', names: ['pay.shop.example'], days });
  expect(await handshake({ certificatePem, keyPem }, server, 'pay.shop.example')).toBe('accepted');
});

test.each([30, 365 * 60])('certificates are valid for as many days as requested: %i', async (asked) => {
  const { certificatePem } = await makeCertificateAuthority(
    { name: 'A test', domains: ['shop.example'], days: asked },
    { clock: { ...systemClock, now: () => Date.UTC(2026, 0, 2) }, random: systemRandom },
  );
  const { validFromDate, validToDate, ca, publicKey } = new X509Certificate(certificatePem);
  expect(validFromDate.toISOString()).toBe('2026-01-01T23:00:00.000Z');
  expect(validToDate.getTime()).toBe(Date.UTC(2026, 0, 2) + asked * 86_400_000);
  expect(ca).toBe(true);
  expect(publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
});
