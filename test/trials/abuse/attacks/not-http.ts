import { delay, systemClock } from '../../../../shared/clock.ts';
import type { AttackTarget } from '../target.ts';

const host = 'Host: pinpad\r\n';
const wrong = [
  `GET //x:99999999/ HTTP/1.1\r\n${host}\r\n`,
  `GET http://[/ HTTP/1.1\r\n${host}\r\n`,
  `GET /%zz/%00/%c0%af HTTP/1.1\r\n${host}\r\n`,
  'GET /terminals HTTP/1.1\r\n\r\n',
  'GET /terminals HTTP/9.9\r\n\r\n',
  `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`,
  `TRACE / HTTP/1.1\r\n${host}\r\n`,
  `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
  `POST /terminals HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`,
  `POST /terminals HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `POST /terminals HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nffffffffffff\r\n`,
  `POST /terminals HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(40_000)}\r\n`,
  `GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(100_000)}\r\n\r\n`,
  `GET / HTTP/1.1\r\n${host}${'X: y\r\n'.repeat(5_000)}\r\n`,
  `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n${host}\r\n`,
  `GET /terminals HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 100\r\n\r\n`,
  `GET /terminals HTTP/1.1\r\n${host}Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n`,
  `GET /terminals HTTP/1.1\r\n${host}\r\n`.repeat(200),
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  '\0'.repeat(1000),
];

/**
 * Sends bytes that are not HTTP, or that are invalid or unusual HTTP: malformed, smuggled and pipelined requests, TLS,
 * and noise.
 */
export async function sendNonHttpBytes(target: AttackTarget): Promise<void> {
  while (!target.over) {
    for (let more = 5; more > 0; more--) {
      const noise = target.random.int(5) === 0;
      const text = target.one(wrong);
      const piece = noise ? target.bytes(3000) : Buffer.from(text, 'latin1');
      target.sockets.dial(
        `not HTTP: ${noise ? 'noise' : text.slice(0, 80)}`,
        [piece],
        target.random.int(4) > 0,
      );
    }
    await delay(systemClock, 50);
  }
}
