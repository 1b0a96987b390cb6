import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  type KeyedCertificate,
  makeCertificateAuthority,
} from '../shared/certificates/certificate-authority.ts';
import { systemClock } from '../shared/clock.ts';
import { systemRandom } from '../shared/random.ts';

/**
 * The servers that a program's calls reach in these tests: a gateway, a host whose calls are not redirected, and the
 * user's own proxy.
 */

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface StandIn {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  readonly server: Server;
}

export const apiKey = 'test_key';
export const certificateSources = { clock: systemClock, random: systemRandom };

/**
 * Starts a server that answers a message of the Terminal API like a gateway. It sends a space first, and the rest of
 * the answer when `finish` resolves. Without `finish`, it sends the rest at once.
 */
export async function startGatewayStandIn(finish?: Promise<unknown>): Promise<StandIn> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    response.setHeader('Request-Id', 'req_1');
    if (request.url === '/health')
      return void response.setHeader('Content-Type', 'application/json').end('{}');
    const body = await textOf(request);
    const { method = '', url: path = '', headers } = request;
    received.push({ method, path, headers, body });
    response.setHeader('Content-Type', 'application/json');
    if (headers['x-api-key'] !== apiKey) return void response.writeHead(401).end(refused);
    response.write(' ');
    await finish;
    response.end(answerTo(body));
  });
  return { ...(await listening(server)), received, server };
}

const refused = JSON.stringify({
  type: 'about:blank',
  title: 'Unauthorized',
  status: 401,
  errorCode: '00_401',
});

function answerTo(body: string): string {
  const { MessageHeader } = JSON.parse(body).SaleToPOIRequest;
  const PaymentResponse = { Response: { Result: 'Success' } };
  return JSON.stringify({
    SaleToPOIResponse: { MessageHeader: { ...MessageHeader, MessageType: 'Response' }, PaymentResponse },
  });
}

/**
 * Starts a host whose calls are not redirected. The authority that issued the host's certificate plays the part of an
 * authority that the user already trusts.
 */
export async function startOtherHost(name: string): Promise<StandIn & { authority: KeyedCertificate }> {
  const authority = await makeCertificateAuthority(
    { name: 'The shop', domains: [name], days: 1 },
    certificateSources,
  );
  const { certificatePem, keyPem } = authority.issue({ commonName: name, names: [name], days: 1 });
  const received: Received[] = [];
  const server = createTlsServer({ cert: certificatePem, key: keyPem }, async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    received.push({ method, path, headers, body: await textOf(request) });
    response.end(`this is ${name}`);
  });
  return { ...(await listening(server)), received, server, authority };
}

/**
 * Starts a proxy that connects clients to one host only, at the given port. It refuses clients that do not send its
 * password.
 */
export async function startUsersProxy(host: string, port: number) {
  const asked: string[] = [];
  const server = createServer();
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
    if (request.headers['proxy-authorization'] !== `Basic ${Buffer.from('me:s p').toString('base64')}`)
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
    if (request.url !== `${host}:443`)
      return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const each of [socket, onward]) each.on('error', () => each.destroy());
  });
  const { port: own } = await listening(server);
  return { asked, url: `http://me:s%20p@127.0.0.1:${own}` };
}

async function listening(server: Server): Promise<{ url: string; port: number }> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
