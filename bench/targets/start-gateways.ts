import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NatsServer } from '../../test/nats-server.ts';
import { NodeProcess } from '../../test/node-process.ts';
import type { PostgresServer } from '../../test/postgres-server.ts';
import { benchConfiguration, waitUntilConnected } from './start-pinpad.ts';
import type { Target } from './target.ts';

interface Ready {
  url: string;
  token: string;
  controlToken: string;
  terminals: { poiId: string; identifier: string; deviceKey: string }[];
}

/** Several gateways that share one database. Each has its share of the terminals. */
export interface GatewaysTarget extends Target {
  gateways: NodeProcess<unknown>[];
  database: string;
}

/**
 * Starts `count` gateways that share a new database. For each gateway with terminals, a separate process runs these
 * terminals. Requests go to all gateways in turn. With `via`, all terminals are at the first gateway, and requests go
 * to the other gateways instead.
 */
export async function startGateways(options: {
  folder: string;
  postgres: PostgresServer;
  nats: NatsServer;
  count: number;
  terminals: number;
  via?: boolean;
}): Promise<GatewaysTarget> {
  const { folder, postgres, nats, count, via = false } = options;
  const database = await postgres.newUrl();
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'bench.yaml');
  writeFileSync(config, JSON.stringify(benchConfiguration(options.terminals)));
  const gateways: NodeProcess<Ready>[] = [];
  for (let nth = 0; nth < count; nth++)
    gateways.push(
      await NodeProcess.start<Ready>(
        'bin/pinpad.js',
        [
          'gateway',
          '--json',
          '--port=0',
          `--config=${config}`,
          `--data=${join(folder, String(nth))}`,
          `--database=${database}`,
          `--nats=${nats.url()}`,
        ],
        { preload: join(import.meta.dirname, '../programs/count-round-trips.ts') },
      ),
    );
  const [first] = gateways;
  if (!first) throw new Error('there is no gateway');
  const { token, controlToken, terminals } = first.ready;
  const holders = via ? [first] : gateways;
  const others = await Promise.all(
    holders.map(({ ready }, nth) => {
      const own = terminals.filter((_, at) => at % holders.length === nth);
      const given = own.map(({ poiId, deviceKey }) => ({ poiId, deviceKey }));
      return NodeProcess.start('bench/programs/terminals.ts', [ready.url, JSON.stringify(given)]);
    }),
  );
  const urls = (via ? gateways.slice(1) : gateways).map(({ ready }) => ready.url);
  const url = urls[0] as string;
  await waitUntilConnected({ url, controlToken }, terminals.length);
  return {
    url,
    urls,
    token,
    terminals: terminals.map(({ identifier }) => identifier),
    processes: [...gateways, ...others],
    gateways,
    database,
  };
}
