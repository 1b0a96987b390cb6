import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { isoTime } from '../../shared/clock.ts';
import { type AnyEndpoint, defineEndpoint, describeResponse } from '../http/endpoint.ts';
import type { Services } from '../services.ts';

const overview = z
  .object({
    version: z.string(),
    url: z.string(),
    clock: z.object({ virtual: z.boolean(), now: z.iso.datetime() }),
    counts: z.object({
      accounts: z.int(),
      stores: z.int(),
      terminals: z.int(),
      connectedTerminals: z.int(),
      openPayments: z.int(),
    }),
  })
  .meta({ id: 'Overview', description: 'A short overview of the gateway' });

/** Makes the endpoint GET /control. */
export function overviewEndpoints(
  parts: Pick<Services, 'runtime' | 'address' | 'accounts' | 'terminals' | 'connectedTerminals' | 'store'>,
): AnyEndpoint[] {
  return [
    defineEndpoint({
      route: 'GET /control',
      operationId: 'controlGetOverview',
      tag: 'Control: overview',
      guard: 'control',
      summary: 'A short overview of the gateway',
      responses: {
        200: describeResponse(
          'The version, address and clock of the gateway, and the numbers of accounts, stores, terminals and open payments',
          overview,
          {
            demo: {
              version: '0.2.0',
              url: 'http://127.0.0.1:8080',
              clock: { virtual: false, now: '2026-01-01T09:00:00.000Z' },
              counts: { accounts: 1, stores: 1, terminals: 2, connectedTerminals: 2, openPayments: 0 },
            },
          },
        ),
      },
      gives: async () => ({
        version: packageJson.version,
        url: parts.address.url,
        clock: { virtual: parts.runtime.clock.virtual, now: isoTime(parts.runtime.clock.now()) },
        counts: await counts(parts),
      }),
    }),
  ];
}

async function counts(parts: Pick<Services, 'accounts' | 'terminals' | 'connectedTerminals' | 'store'>) {
  const { accounts, terminals, store } = parts;
  const { open } = await store.read((db) =>
    db
      .selectFrom('open_payments')
      .select((select) => select.fn.countAll<number>().as('open'))
      .executeTakeFirstOrThrow(),
  );
  return {
    accounts: accounts.listAccounts().length,
    stores: terminals.listStores().length,
    terminals: terminals.listTerminals().length,
    connectedTerminals: (await parts.connectedTerminals()).size,
    openPayments: Number(open),
  };
}
