import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createControlClient } from '../../client/control-client.ts';
import { configOfNeeds } from '../../scenarios/index.ts';
import { StartError } from '../../shared/start-error.ts';
import { type Config, type ConfigChanges, resolveConfig, type Stack, startStack } from '../../stack/index.ts';
import { fetchThroughCrash } from './fetch-through-crash.ts';
import { canWatchGroups } from './process-group.ts';
import type { EnvironmentProvider, LocalEnvironmentSettings, RunEnvironment } from './run-environment.ts';

/** Messages get this much virtual time to reach a point of sale that waits for nothing else. */
const settleMs = 60_000;
/**
 * A point of sale may act for this many real milliseconds before virtual time goes on. The time is longer if the system
 * does not show whether the point of sale is active.
 */
const patienceMs = canWatchGroups ? 50 : 150;

/**
 * Returns an arena that opens a gateway with terminals in this thread for each run. Data is in memory, unless the run
 * needs a folder. Virtual time skips idle stretches by itself.
 */
export function localEnvironmentProvider(local: LocalEnvironmentSettings): EnvironmentProvider {
  const { config, needs, port = 0, seed, adyen } = local;
  return {
    local,
    impossible: new Map(),
    open: async ({ folder }) => {
      const data = folder ? mkdtempSync(join(tmpdir(), 'pinpad-explore-')) : undefined;
      const removed = () => {
        if (data !== undefined) rmSync(data, { recursive: true, force: true });
      };
      try {
        const changes: ConfigChanges = {
          ...(needs && configOfNeeds(needs, seed)),
          port,
          seed,
          clock: 'skipping',
          skipping: { patienceMs, settleMs },
          memory: data === undefined,
          logLevel: 'silent',
          ...(adyen && { adyen }),
          ...(data === undefined ? {} : { data }),
        };
        const wanted = resolveConfig(config, changes);
        if (wanted.database !== undefined)
          throw new StartError(
            `explore starts a gateway without stored data for each run: leave database out of ${config}, or use --gateway to explore the gateways of that database`,
          );
        return groundOf(await startStack(onePort(wanted)), removed);
      } catch (error) {
        removed();
        throw error;
      }
    },
    close: async () => {},
  };
}

/** Drops the port of the terminals' own API, because several runs at once cannot share it. */
function onePort(config: Config): Config {
  return { ...config, adyen: Boolean(config.adyen) };
}

function groundOf(stack: Stack, removed: () => void): RunEnvironment {
  const { url, controlToken, runtime, terminals, tokens } = stack;
  const [terminal] = terminals;
  const token = tokens.find(({ environment }) => environment === 'sandbox');
  if (!terminal || !token)
    throw new StartError('explore needs an account with a terminal and a sandbox token in the configuration');
  const counts = [stack.gateway.moments.plans.count(), stack.emulator?.moments.count() ?? []];
  const control = createControlClient({ url, token: controlToken, fetch: fetchThroughCrash });
  return {
    ...{ url, control, controlToken, terminal: terminal.poiId, terminalId: terminal.identifier },
    token: token.token,
    beliefsUrl: stack.beliefs.find(({ account }) => account === token.account)?.url,
    limits: runtime.timeouts,
    advance: async (ms) => void (await control.POST('/control/clock/advance', { body: { ms } })),
    hold: () => {
      const held = runtime.timeWaits.holds?.hold('a crash of the point of sale');
      return () => held?.end('released');
    },
    standWhile: (acts) => void runtime.timeWaits.standWhile(acts),
    passed: () => Object.fromEntries(counts.flatMap((each) => [...each])),
    sales: async () => (await control.GET('/control/sales', { params: { query: { limit: 1_000 } } })).sales,
    journal: async () => runtime.journal.since(),
    listen: (heard) => runtime.journal.listen(heard),
    close: async () => {
      await stack.close();
      removed();
    },
  };
}
