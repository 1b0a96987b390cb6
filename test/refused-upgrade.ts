import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';

/** The request for a WebSocket, without a token. */
export const upgradeRequest = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** Opens a link that the gateway refuses. The client never closes its own half of the connection. */
export async function refusedUpgrade(url: string): Promise<Socket> {
  const { hostname: host, port } = new URL(url);
  const client = connect({ host, port: Number(port), allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  client.on('error', () => {});
  client.write(upgradeRequest('/poi'));
  const [answer] = (await once(client, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
  return client;
}
