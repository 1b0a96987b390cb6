import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { encodeRecords, forEachRecord, type RecordKind, recordKinds } from './records.ts';
import { sharedSocketProtocol } from './shared-socket.ts';

export const authorizedHeaders = { authorization: 'Bearer right' };

export function encodeTestRecord(
  kind: RecordKind,
  channel: number,
  content: string | Buffer = '',
  acknowledged = 0,
): Buffer {
  const length = Buffer.byteLength(content);
  return encodeRecords([{ kind, channel, acknowledged, content, length }], 13 + length);
}

export const encodeOpenRecord = (channel: number, headers: object = authorizedHeaders) =>
  encodeTestRecord(recordKinds.open, channel, JSON.stringify(headers));

/** Opens a shared socket without a link on it. The test can send any bytes, and receives everything. */
export async function openBareSocket(url: string, headers: Record<string, string> = authorizedHeaders) {
  const socket = new WebSocket(`${url}/here`, [sharedSocketProtocol], { headers });
  onTestFinished(() => socket.terminate());
  const received: { kind: RecordKind; channel: number; acknowledged: number; content: string }[] = [];
  const frames: number[] = [];
  socket.on('message', (data: Buffer) => {
    frames.push(data.length);
    forEachRecord(data, (kind, channel, acknowledged, content) => {
      received.push({ kind, channel, acknowledged, content: content.toString() });
      return true;
    });
  });
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  await once(socket, 'open');
  const has = (kind: RecordKind, channel: number) =>
    received.some((one) => one.kind === kind && one.channel === channel);
  const got = async (kind: RecordKind, channel: number) => {
    while (!has(kind, channel)) await once(socket, 'message');
  };
  return { socket, received, frames, closed, got };
}
