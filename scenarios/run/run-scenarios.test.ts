import { expect, test } from 'vitest';
import { StartError } from '../../shared/start-error.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { ScenarioError } from '../environment/scenario-context.ts';
import type { Scenario } from '../format/load-scenarios.ts';
import type { ScenarioResult } from './run-scenario.ts';
import { type RunSummary, runScenarios } from './run-scenarios.ts';

/** Starts a run of two scenarios. The run is ended early, while the first scenario is running. */
function endedEarly() {
  const clock = new VirtualClock({ startMs: 0 });
  const ending = new AbortController();
  const scenarios = ['first', 'second'].map((name) => ({ name, needs: {} }) as Scenario);
  const begun: string[] = [];
  const end = { first: () => {} };
  let summary: RunSummary | undefined;
  void runScenarios(scenarios, {
    workers: 1,
    signal: ending.signal,
    clock,
    run: (scenario) => {
      begun.push(scenario.name);
      return new Promise((resolve) => {
        end.first = () => resolve({ scenario, verdict: 'passed' } as ScenarioResult);
      });
    },
  }).then((ran) => {
    summary = ran;
  });
  ending.abort();
  return { clock, begun, end, summary: () => summary };
}

test('a run that is ended early counts what ends within 2 s, and begins nothing more', async () => {
  const { clock, begun, end, summary } = endedEarly();
  await clock.advance(1_999);
  expect(summary()).toBeUndefined();
  end.first();
  await clock.advance(0);
  expect(summary()).toMatchObject({ results: [{ verdict: 'passed' }], notRun: 1 });
  expect(begun).toEqual(['first']);
});

test('a run that is ended early does not wait for what takes more than 2 s', async () => {
  const { clock, begun, summary } = endedEarly();
  await clock.advance(2_000);
  expect(summary()).toMatchObject({ results: [], notRun: 2 });
  expect(begun).toEqual(['first']);
});

test.each([
  [new ScenarioError('a.stored.yaml cannot be read'), /^a\.stored\.yaml cannot be read$/],
  [new StartError('no such card'), /^no such card$/],
  [new TypeError('of ours'), /^the environment cannot be set up: TypeError: of ours\n +at /],
])('an error that a person can correct is printed without internals: %s', async (error, message) => {
  const scenarios = [{ name: 'one', needs: {} } as Scenario];
  const { results } = await runScenarios(scenarios, {
    workers: 1,
    clock: new VirtualClock({ startMs: 0 }),
    run: () => Promise.reject(error),
  });
  expect(results).toMatchObject([
    { verdict: 'failed', failure: { message: expect.stringMatching(message) } },
  ]);
});
