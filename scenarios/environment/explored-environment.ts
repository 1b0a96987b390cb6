import type { ControlClient } from '../../client/control-client.ts';
import { type Clock, delay } from '../../shared/clock.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { noInFlightTracking } from '../../shared/in-flight.ts';
import { makeAlphanumericText } from '../../shared/random.ts';
import { StartError } from '../../shared/start-error.ts';
import { startStopwatch } from '../../shared/stopwatch.ts';
import {
  controlClientOf,
  IncrementalJournalReader,
  withGatewayErrorsExplained,
} from '../../stack/running-gateway.ts';
import type { TestEnvironment } from './scenario-context.ts';
import type { ScenarioClock } from './scenario-time.ts';

/**
 * The gateway that a run of `pinpad explore` uses. The values of the fields come from the run's environment variables.
 */
export interface ExploredGateway {
  readonly url: string;
  readonly token: string;
  readonly controlToken: string;
  /** The value of terminalId in the paths of requests. The run's faults happen at this terminal. */
  readonly terminalId: string;
  readonly beliefsUrl: string | undefined;
}

/**
 * Returns the environment of a run of `pinpad explore`. The gateway and the terminals exist before the test and stay
 * after the test. Their time moves on even if the test does nothing (B300).
 *
 * @throws StartError if the gateway does not answer, or has no such terminal
 */
export function connectExploredEnvironment(
  gateway: ExploredGateway,
  names: readonly string[] = [],
): Promise<TestEnvironment> {
  return withGatewayErrorsExplained(gateway, async () => {
    const { random, realClock } = createRuntime();
    const control = controlClientOf(gateway);
    const terminals = await control.GET('/control/terminals');
    const first = terminals.find(({ id }) => id === gateway.terminalId);
    if (!first) throw new StartError(`${gateway.url} does not have the terminal ${gateway.terminalId}`);
    const others = terminals.filter((one) => one !== first && one.accountId === first.accountId);
    const accounts = await control.GET('/control/accounts');
    const journal = await IncrementalJournalReader.begin(gateway, () => true);
    return {
      url: gateway.url,
      controlToken: gateway.controlToken,
      tokens: { sandbox: gateway.token },
      accountId: first.accountId,
      currency: accounts.find(({ id }) => id === first.accountId)?.currency ?? 'EUR',
      terminals: [first, ...others].map(({ id, poiId }, index) => ({
        name: names[index] ?? `terminal ${index + 1}`,
        poiId,
        identifier: id,
      })),
      time: exploredTime(control, realClock),
      tookMs: startStopwatch(realClock),
      clock: realClock,
      inFlight: noInFlightTracking,
      // Several tests of one run count their requests separately. So each test needs its own prefix for the ids of
      // its requests.
      prefix: `scenario-${makeAlphanumericText(random, 10).toLowerCase()}-`,
      beliefsUrl: gateway.beliefsUrl,
      idOf: (name) => name,
      count: () => {},
      journalSince: async (seq) => (await journal.read()).filter((entry) => entry.seq > seq),
      close: async () => {},
    };
  });
}

const pollMs = 15;
/** The longest wait that one call of `POST /control/clock/wait` can request, in milliseconds. */
const mostOfAWaitMs = 600_000;

/**
 * Makes a scenario in a run of `pinpad explore` use the gateway's clock. When the scenario lets time pass, the
 * gateway's clock moves on. When the scenario waits for a condition, the condition is checked again and again.
 */
function exploredTime(control: ControlClient, clock: Clock): ScenarioClock {
  let passedMs = 0;
  const now = () => clock.now() + passedMs;
  return {
    virtual: false,
    now,
    settled: async () => {},
    step: async (untilMs, failing) => {
      const before = now();
      const ms = Math.max(0, Math.ceil(untilMs - before));
      if (failing !== undefined) return delay(clock, Math.max(1, Math.min(pollMs, ms)));
      const stepMs = Math.min(ms, mostOfAWaitMs);
      // If the gateway has stopped, this error does not matter, because the next call fails too.
      await control.POST('/control/clock/wait', { body: { ms: stepMs } }).catch(() => {});
      // The real time that the call took does not count as passed time.
      passedMs += before + stepMs - now();
    },
  };
}
