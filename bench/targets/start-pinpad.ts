import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { NodeProcess } from '../../test/node-process.ts';
import { benchCustomer } from '../load/charge.ts';
import { HttpConnection } from '../load/http-connection.ts';
import { paymentOperation } from '../load/payment.ts';
import type { Target } from './target.ts';

interface Ready {
  url: string;
  token: string;
  controlToken: string;
  terminals: { poiId: string; identifier: string }[];
}

export interface PinpadTarget extends Target {
  controlToken: string;
}

/** Returns the path of the gateway's database in a data folder. */
export const databasePathIn = (data: string): string => join(data, 'pinpad.sqlite');

/**
 * Starts pinpad on a data folder, as users do. All of pinpad is in one process, or (with `split`) the terminals are
 * in a second process. Shoppers tap at once and nothing is paced, so a benchmark measures work and not waiting.
 */
export async function startMeasuredPinpad(options: {
  data: string;
  terminals: number;
  split: boolean;
  /** How mistakes of the point of sale are handled. If absent, pinpad's own default applies. */
  lint?: 'warning' | 'off';
}): Promise<PinpadTarget> {
  mkdirSync(options.data, { recursive: true });
  const config = join(options.data, 'bench.yaml');
  writeFileSync(config, JSON.stringify({ ...benchConfiguration(options.terminals), lint: options.lint }));
  const shared = [`--config=${config}`, `--data=${options.data}`, '--json'];
  const pinpad = <R>(...args: string[]) => NodeProcess.start<R>('bin/pinpad.js', args);
  const gateway = await pinpad<Ready>(
    ...(options.split ? ['gateway'] : ['up', '--headless']),
    ...shared,
    '--port=0',
  );
  const { url, token, controlToken, terminals } = gateway.ready;
  const others = options.split ? [await pinpad('terminal', ...shared)] : [];
  return {
    url,
    token,
    controlToken,
    terminals: terminals.map(({ identifier }) => identifier),
    processes: [gateway, ...others],
  };
}

/**
 * Waits until all terminals are connected. The terminals' process may report that it is ready while terminals are still
 * connecting.
 */
export async function waitUntilConnected(
  { url, controlToken }: Pick<PinpadTarget, 'url' | 'controlToken'>,
  terminals: number,
): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/control`, { headers: { authorization: `Bearer ${controlToken}` } });
    const { counts } = (await answer.json()) as { counts: { connectedTerminals: number } };
    if (counts.connectedTerminals === terminals) return;
    await setTimeout(100);
  }
}

/** Makes a payment and returns the length of its answer in bytes. The relay then sends answers of the same length. */
export async function measureAnswerBytes(target: Target): Promise<number> {
  const connection = await HttpConnection.open(new URL(target.url));
  const answer = await paymentOperation(connection, target, 0);
  connection.close();
  return Buffer.byteLength(answer.body);
}

/** Returns the configuration of every benchmark. */
export function benchConfiguration(terminals: number) {
  return {
    pacing: 'instant',
    // By default, the gateway submits a refund two seconds after the request. Here it submits the refund at once, so
    // that this work does not fall into a later measurement.
    timeouts: { refundSubmitMs: 1 },
    shopper: { card: 'visa-credit', entry: 'Contactless' },
    accounts: [
      {
        name: 'Bench',
        cardOnFile: true,
        contacts: [
          { id: benchCustomer.contact, name: 'Robin', cards: [{ id: benchCustomer.card, card: 'visa' }] },
        ],
        bankAccounts: [{ id: benchCustomer.bankAccount, name: 'Current account' }],
        stores: [
          {
            name: 'Bench',
            terminals: Array.from({ length: terminals }, (_, nth) => ({
              poiId: `V400m-${200_000_001 + nth}`,
            })),
          },
        ],
      },
    ],
  };
}
