import { runScenarioExplored, type Scenario } from '../../scenarios/index.ts';
import { type Clock, delay } from '../../shared/clock.ts';
import type { PosDriver, PosResult } from './driver.ts';
import type { KillSwitch } from './kill-switch.ts';
import type { RunEnvironment } from './run-environment.ts';
import type { CommandExit } from './run-record.ts';

/**
 * Plays a scenario in each run, in this thread. The requests of the scenario count as requests of the point of sale
 * (B335).
 */
export class ScenarioDriver implements PosDriver {
  readonly #scenario: Scenario;
  readonly #clock: Clock;

  constructor(scenario: Scenario, clock: Clock) {
    this.#scenario = scenario;
    this.#clock = clock;
  }

  async sell(
    environment: RunEnvironment,
    _: KillSwitch,
    { limitMs }: { limitMs: number },
  ): Promise<PosResult> {
    const enough = new AbortController();
    // A fault may end the gateway while the scenario runs. The error that follows depends on the current step, so every
    // error counts as a failure of the scenario.
    const played = runScenarioExplored(this.#scenario, environment).catch((error: Error) => error);
    const failure = await Promise.race([played, this.#limit(limitMs, enough.signal)]);
    enough.abort();
    if (failure === 'timedOut') return { ended: ended(undefined, true), output: [] };
    if (!failure) return { ended: ended(0), output: [] };
    const at = 'step' in failure ? [`at ${failure.step}`] : [];
    return { ended: ended(1), output: [...at, ...failure.message.split('\n')] };
  }

  kill(): void {}

  async close(): Promise<void> {}

  async #limit(ms: number, signal: AbortSignal): Promise<'timedOut'> {
    await delay(this.#clock, ms, signal).catch(() => {}); // the wait is aborted if the scenario ends before the limit
    return 'timedOut';
  }
}

function ended(code: number | undefined, timedOut = false): CommandExit {
  return { code, signal: undefined, timedOut };
}
