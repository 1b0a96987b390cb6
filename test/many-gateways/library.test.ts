import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { findScenarios, plainPaint, runScenarioRemotely, runScenarios } from '../../scenarios/index.ts';
import { failureReportText } from '../../scenarios/report/text.ts';
import { systemClock } from '../../shared/clock.ts';
import { scaledDraws } from '../draws.ts';
import { hasNats } from '../nats-server.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { threeGateways } from './three-gateways.ts';

const testInCi = testThoroughly();

/** `npm run scenarios:many` runs all scenarios. Other test runs take only one of every `oneIn` scenarios. */
const oneIn = process.env.PINPAD_WHOLE_LIBRARY === '1' ? 1 : Math.ceil(24 / scaledDraws(1));
/**
 * The number of scenarios that run side by side. One processor can run several, because scenarios mostly wait in
 * real time.
 */
const workers = 8;

describe.runIf(hasPostgres() && hasNats())(
  'three gateways behind a balancer that sends each request to the next',
  () => {
    const postgres = prepareDatabasesForFile();

    testInCi(
      `pass ${oneIn === 1 ? 'every shipped scenario' : `one in ${oneIn} of the shipped scenarios`} that can be run in real time, as one gateway does, and answer as the OpenAPI document says`,
      async () => {
        const three = await threeGateways(await (await postgres()).newGatewaysUrl());
        onTestFinished(() => three.close());
        const all = findScenarios([join(import.meta.dirname, '../../scenarios/library')]);
        const { results } = await runScenarios(
          all.filter((_, at) => at % oneIn === 0),
          { workers, clock: systemClock, run: (scenario) => runScenarioRemotely(scenario, three) },
        );
        const failures = results.flatMap((result) =>
          result.failure ? failureReportText(result, plainPaint) : [],
        );
        expect(failures).toEqual([]);
        const passed = results.filter(({ verdict }) => verdict === 'passed').length;
        expect(passed).toBeGreaterThanOrEqual(150 / oneIn);
        for (const { runtime } of three.gateways) {
          const asked = runtime.journal.since().filter(({ kind }) => kind === 'http.received').length;
          expect(asked, 'requests at a gateway').toBeGreaterThan(passed);
        }
      },
      600_000,
    );
  },
);
