import { describe, expect, test } from 'vitest';
import { hasNats } from '../nats-server.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { type GatewayOfTest, twoGateways } from './two-gateways.ts';

const testInCi = testThoroughly();

describe.runIf(hasPostgres() && hasNats())(
  'terminals that get their numbers from one of two gateways',
  () => {
    const postgres = prepareDatabasesForFile();

    const world = async () => {
      const { one, two } = await twoGateways(await (await postgres()).newGatewaysUrl());
      const [store] = (await one.control('GET', '/control/stores')).body as { id: string }[];
      const number = async (gateway: GatewayOfTest, ...deviceKeys: string[]) => {
        const answer = await gateway.control('POST', `/control/stores/${store?.id}/terminals`, {
          deviceKeys,
        });
        expect(answer.status).toBe(200);
        return (answer.body as { poiId: string }[]).map(({ poiId }) => poiId);
      };
      return { one, two, number };
    };
    const key = (nth: number) => `dev_a-device-key-${nth}`;

    testInCi('have different numbers if both are asked at once, many times (B197)', async () => {
      const { one, two, number } = await world();
      const asked = Array.from({ length: 40 }, (_, nth) =>
        number(nth % 2 ? one : two, key(2 * nth), key(2 * nth + 1)),
      );
      expect(new Set((await Promise.all(asked)).flat()).size).toBe(80);
    });

    test('are one terminal per key, whichever gateway is asked, even at once', async () => {
      const { one, two, number } = await world();
      const asked = Array.from({ length: 20 }, (_, nth) => number(nth % 2 ? one : two, key(1), key(2)));
      const given = await Promise.all(asked);
      expect(new Set(given.map(String)).size).toBe(1);
      expect(await number(two, key(2))).toEqual([given[0]?.[1]]);
    });

    testInCi('give way to a terminal that is made by its poi_id at the same time', async () => {
      const { one, two, number } = await world();
      const [store] = (await one.control('GET', '/control/stores')).body as { id: string }[];
      const named = Array.from({ length: 10 }, (_, nth) => `V400m-${200_000_001 + nth}`);
      const [given] = await Promise.all([
        Promise.all(Array.from({ length: 10 }, (_, nth) => number(one, key(nth)))),
        ...named.map((poiId) =>
          two.control('POST', '/control/terminals', { poiId, storeId: store?.id, payoutAccount: null }),
        ),
      ]);
      const all = (await one.control('GET', '/control/terminals')).body as { poiId: string }[];
      expect(new Set(given.flat()).size).toBe(10);
      expect(all.map(({ poiId }) => poiId)).toEqual(expect.arrayContaining(given.flat()));
    });
  },
);
