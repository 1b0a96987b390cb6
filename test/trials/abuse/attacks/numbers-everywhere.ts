import { delay, systemClock } from '../../../../shared/clock.ts';
import { frameBytes, opcodes } from '../../../raw-web-socket.ts';
import type { AttackTarget } from '../target.ts';

const json = { 'content-type': 'application/json' };

/** Sends card numbers where no card number belongs: in paths, queries, headers, bodies, forms and frames. */
export async function sendCardNumbersEverywhere(target: AttackTarget): Promise<void> {
  while (!target.over) {
    await target.one(places)(target);
    await delay(systemClock, target.random.int(40));
  }
}

const places: ((target: AttackTarget) => Promise<unknown> | undefined)[] = [
  (target) => {
    const number = encodeURIComponent(target.numbers.make());
    const path = target.one([
      `/contact/${number}/creditCards/${number}/charge`,
      `/terminals/${number}/payment-request`,
      `/debit/${number}/capture`,
      `/${number}`,
      `/pay/${number}`,
      `/payment-requests/abort?${number}=1`,
    ]);
    return target.ask({ method: 'POST', path, as: 'hostile', headers: json, body: '{}' });
  },
  (target) => {
    const number = encodeURIComponent(target.numbers.make());
    const path = target.one([
      `/payment-requests/status?transactionId=${number}`,
      `/payment-requests/status?idempotencyKey=${number}`,
      `/control/terminals/${number}/screen`,
      `/control/payments/${number}`,
      `/control/journal?limit=${number}`,
    ]);
    return target.ask({ method: 'GET', path, as: path.startsWith('/control') ? 'control' : 'hostile' });
  },
  (target) => {
    const body = JSON.stringify({ card: target.numbers.make(), [target.numbers.make()]: 1 });
    const path = `/control/terminals/${target.one(target.world.terminals).identifier}/insert`;
    return target.ask({ method: 'POST', path, as: 'control', headers: json, body });
  },
  (target) => {
    const number = target.numbers.make();
    const headers = {
      ...json,
      'idempotency-key': number,
      prefer: number,
      'user-agent': number,
      'x-number': number,
      'accept-language': number,
      cookie: `session=${number}`,
    };
    return target.ask({
      method: 'POST',
      path: '/payment-requests/abort',
      as: 'hostile',
      headers,
      body: '{"a":',
    });
  },
  (target) => {
    const number = target.numbers.make();
    const headers = { authorization: `Bearer ${number}` };
    return target.ask({ method: 'GET', path: '/terminals', as: 'nobody', headers });
  },
  (target) => {
    const number = target.numbers.make();
    const body = `{"paymentTransaction":{"amountsReq":{"requestedAmount":${JSON.stringify(number)}}},"${number}":${number.replaceAll(/\D/g, '')}}`;
    const path = `/terminals/${target.ownTerminal.identifier}/payment-request`;
    return target.ask({ method: 'POST', path, as: 'hostile', headers: json, body });
  },
  (target) => {
    const number = target.numbers.make();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = `step=bank&${number}=${number}&iban=${encodeURIComponent(number)}`;
    return target.ask({ method: 'POST', path: '/pay/nothing', as: 'nobody', headers, body });
  },
  (target) => payOnTheOwnTerminal(target),
  (target) => {
    const { poiId, deviceKey } = target.ownTerminal;
    const number = target.numbers.make();
    const head = `GET /poi HTTP/1.1\r\nHost: pinpad\r\nAuthorization: Bearer ${deviceKey}\r\npinpad-poi: ${poiId}\r\n`;
    const shake =
      'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: BwcHBwcHBwcHBwcHBwcHBw==\r\n';
    const link = `pinpad-link: ${number}\r\n\r\n`;
    const frame = frameBytes(opcodes.text, Buffer.from(JSON.stringify({ [number]: number })));
    target.sockets.dial('a link with a card number', [head + shake + link, frame]);
    return undefined;
  },
];

/**
 * Requests a payment on the attackers' terminal. Either that terminal is off, or it takes the message and never
 * acknowledges it. The payment has to conclude in both cases.
 */
function payOnTheOwnTerminal(target: AttackTarget): Promise<unknown> {
  const body = JSON.stringify({
    paymentTransaction: { amountsReq: { requestedAmount: 1 + target.random.int(100) } },
    saleData: { saleReferenceId: target.numbers.make('inNoLog') },
  });
  return target.ask({
    method: 'POST',
    path: `/terminals/${target.ownTerminal.identifier}/payment-request`,
    as: 'hostile',
    headers: { ...json, 'idempotency-key': target.numbers.make('inNoLog'), prefer: 'respond-async' },
    body,
    expected: [200, 202, 303, 409, 423],
  });
}
