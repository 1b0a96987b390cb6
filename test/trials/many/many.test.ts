import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isThoroughRun, scaledDraws } from '../../draws.ts';
import { hasNats } from '../../nats-server.ts';
import { hasPostgres } from '../../postgres-programs.ts';
import { runTrial } from '../run-trial.ts';
import { severalGatewaysTrial } from './many.ts';

const rounds = scaledDraws(0.5);

/** This test runs only in `.ci/run`. Outside `.ci/run`, `npm run crashtest:many` runs the same trial. */
test.runIf(isThoroughRun && hasPostgres() && hasNats())(
  'nothing is lost or paid twice while gateways of one database are killed and paused',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-many-'));
    // The gateway refuses a request if it cannot read the request's token from the database within 30 s multiplied by
    // the time scale. With this time scale, the limit is 1.5 s, which is enough for a gateway that has just started.
    const { violations, tally } = await runTrial(severalGatewaysTrial, {
      rounds,
      seed: 20_260_104,
      timeScale: 0.05,
      folder,
    });
    expect(violations, `the evidence is in ${folder}/violation`).toEqual([]);
    expect(tally.of('payments', 'asked for')).toBeGreaterThan(0);
    expect(tally.of('made', 'debits')).toBeGreaterThan(0);
    rmSync(folder, { recursive: true });
  },
  rounds * 120_000,
);
