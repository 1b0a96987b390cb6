import type { ControlledGateway } from '../../stack/running-gateway.ts';
import { setUpRemoteEnvironment } from '../environment/remote-environment.ts';
import type { Scenario } from '../format/load-scenarios.ts';
import { requirementsOf } from './requirements.ts';
import { lintScenarioPos, type ScenarioResult, type ScenarioRunOptions } from './run-scenario.ts';
import { runSteps } from './run-steps.ts';

/** A scenario is skipped if its waits would take longer than this in real time. */
const longestRealMs = 10_000;

/**
 * Runs a scenario against a gateway that runs elsewhere, in real time. Skips a scenario that cannot be run there. A
 * seed has no effect, because the gateway chooses the identifiers.
 */
export async function runScenarioRemotely(
  scenario: Scenario,
  gateway: ControlledGateway,
  options: ScenarioRunOptions = {},
): Promise<ScenarioResult> {
  const reason = whyNotRemotely(scenario, gateway);
  const common = { scenario, seed: scenario.needs.seed ?? 1 };
  if (reason) return { ...common, verdict: 'skipped', reason, tookMs: 0, journal: [], findings: [] };
  const environment = await setUpRemoteEnvironment(gateway, scenario.needs);
  try {
    await options.onStart?.(environment);
    const { failure, journal } = await runSteps(scenario, environment, {
      ...options,
      firstSeq: (await environment.journalSince(0)).at(-1)?.seq ?? 0,
      stored: 'ignore', // the stored values depend on the seed
    });
    const tookMs = environment.tookMs();
    return {
      ...common,
      verdict: failure ? 'failed' : 'passed',
      tookMs,
      journal,
      findings: lintScenarioPos(journal, environment),
      failure,
    };
  } finally {
    await environment.close();
  }
}

/**
 * Returns the reason why a scenario cannot be run at a gateway that runs elsewhere. Undefined if it can be run there.
 */
function whyNotRemotely(scenario: Scenario, { url }: ControlledGateway): string | undefined {
  const { needs } = scenario;
  const { waitsMs, restartsGateway } = requirementsOf(scenario);
  if (waitsMs > longestRealMs) return `needs virtual time, because ${waitsMs / 1000} s pass`;
  if (restartsGateway) return 'restarts the gateway';
  if (needs.timeouts || needs.rateLimit) return 'needs settings of the gateway itself';
  if (needs.clock === 'virtual') return 'needs virtual time';
  if (needs.webhooks && !isThisMachine(url)) return "the gateway's webhooks cannot reach this machine";
  return undefined;
}

/** Whether a URL is on this machine. Webhook receivers can be reached only from this machine. */
function isThisMachine(url: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}
