import { describe, expect } from 'vitest';
import { hasNats } from '../nats-server.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { type GatewayOfTest, twoGateways } from './two-gateways.ts';

const testInCi = testThoroughly();

const soon = { timeout: 60_000, interval: 20 };

describe.runIf(hasPostgres() && hasNats())('the control token of several gateways', () => {
  const postgres = prepareDatabasesForFile();

  testInCi(
    'is warned about if it differs, since a balancer would send half of the requests to a gateway that refuses them',
    async () => {
      const { another } = await twoGateways(await (await postgres()).newGatewaysUrl());
      const odd = await another('odd', 'control_of_its_own');
      const last = await another('last');
      const warnings = ({ ownRuntime }: GatewayOfTest) =>
        ownRuntime.journal.since().flatMap((entry) => (entry.kind === 'warning' ? [entry.data.message] : []));
      await expect
        .poll(() => warnings(odd), soon)
        .toEqual([expect.stringContaining('is refused by one, two (401)')]);
      await expect
        .poll(() => warnings(last), soon)
        .toEqual([expect.stringContaining('is refused by odd (401)')]);
      expect(warnings(odd).join()).not.toContain('control_of');
    },
  );
});
