import { describe, expect, onTestFinished } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { testThoroughly } from '../../test/optional-programs.ts';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { openGatewayStore } from '../store/store.ts';
import { findOrCreateTerminals } from './numbering.ts';

const testInCi = testThoroughly();

const owned = { account_id: 'shop', environment: 'sandbox', store_id: 's', created_at: 1 } as const;

describe.runIf(hasPostgres())('gateways of one database that number terminals at the same moment', () => {
  const postgres = prepareDatabasesForFile();

  testInCi('wait for each other, and none is refused because others were first (B197)', async () => {
    const url = await (await postgres()).newGatewaysUrl();
    const stores = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const store = await openGatewayStore({ url, clock: systemClock });
        onTestFinished(() => store.close());
        return store;
      }),
    );
    for (let round = 0; round < 5; round++) {
      const asked = stores.map((store, nth) =>
        findOrCreateTerminals(store, [`key ${round} ${nth}`], (poi_id, device_key_hash) => ({
          ...owned,
          id: `terminal ${round} ${nth}`,
          poi_id,
          device_key_hash,
          payout_account: null,
          magic_amounts: null,
        })),
      );
      const given = (await Promise.all(asked)).flat();
      expect(new Set(given.map(({ row }) => row.poi_id)).size).toBe(12);
    }
  });
});
