import fc from 'fast-check';
import { delay, systemClock } from '../../../../shared/clock.ts';
import { fuzzedFrames } from '../../../fuzz/frames.ts';
import { frameBytes, opcodes } from '../../../raw-web-socket.ts';
import type { AttackTarget } from '../target.ts';

/**
 * Sends frames of every kind, and bytes that are no frame, on the attackers' own links. The frames are malformed, huge
 * or too many. The attackers answer neither pings nor close frames.
 */
export async function sendHostileFrames(target: AttackTarget): Promise<void> {
  const { poiId, deviceKey } = target.ownTerminal;
  while (!target.over) {
    const path = target.one(['/poi', '/emulator'] as const);
    const head =
      `GET ${path} HTTP/1.1\r\nHost: pinpad\r\nAuthorization: Bearer ${deviceKey}\r\npinpad-poi: ${poiId}\r\n` +
      'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: BwcHBwcHBwcHBwcHBwcHBw==\r\n\r\n';
    const seed = target.random.int(2 ** 31);
    const said =
      target.random.int(8) === 0
        ? flood()
        : fc.sample(fuzzedFrames(path), { seed, numRuns: 1 + target.random.int(6) });
    target.sockets.dial(`a link at ${path}`, [head, ...said], target.random.int(3) > 0);
    await delay(systemClock, 60);
  }
}

/**
 * Returns seven thousand small frames. The gateway has to answer each of them, and takes longer for that than the attacker
 * takes to send them.
 */
function flood(): Buffer[] {
  const ping = frameBytes(opcodes.ping, Buffer.alloc(100));
  const refused = frameBytes(opcodes.text, Buffer.from('{"Refused":1}'));
  return [Buffer.concat(Array(5_000).fill(ping)), Buffer.concat(Array(2_000).fill(refused))];
}
