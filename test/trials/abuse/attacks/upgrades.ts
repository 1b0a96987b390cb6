import { delay, systemClock } from '../../../../shared/clock.ts';
import type { AttackTarget } from '../target.ts';

const shake = 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n';
const key = 'Sec-WebSocket-Key: BwcHBwcHBwcHBwcHBwcHBw==\r\n';

/**
 * Sends WebSocket upgrades. Some are refused, and others stop half-way. The client closes none of these connections.
 */
export async function sendHostileUpgrades(target: AttackTarget): Promise<void> {
  const { poiId } = target.ownTerminal;
  const mine = `Host: pinpad\r\npinpad-poi: ${poiId}\r\n`;
  const heads = [
    `${mine}${shake}${key}\r\n`,
    `${mine}Authorization: Bearer dev_wrong\r\n${shake}${key}\r\n`,
    `${mine}Authorization: Bearer ${target.ownTerminal.deviceKey}\r\n${shake}\r\n`,
    `${mine}Authorization: Bearer ${target.ownTerminal.deviceKey}\r\n${shake}${key}Sec-WebSocket-Version: 99\r\n\r\n`,
    `${mine}Authorization: Bearer ${target.ownTerminal.deviceKey}\r\n${shake}`,
    `Host: pinpad\r\n${shake}${key}\r\n`,
  ];
  while (!target.over) {
    for (let more = 4; more > 0; more--) {
      const path = target.one([
        '/poi',
        '/emulator',
        '/poi/',
        '/',
        '/control/journal/stream',
        '/pay/x',
        '//x:99/',
      ]);
      const head = target.one(heads);
      target.sockets.dial(`an upgrade at ${path}: ${head.slice(0, 60)}`, [`GET ${path} HTTP/1.1\r\n${head}`]);
    }
    await delay(systemClock, 80);
  }
}
