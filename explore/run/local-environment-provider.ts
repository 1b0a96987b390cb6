import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createControlClient } from '../../client/control-client.ts';
import { configOfNeeds } from '../../scenarios/index.ts';
import { StartError } from '../../shared/start-error.ts';
import { type Config, type ConfigChanges, resolveConfig, type Stack, startStack } from '../../stack/index.ts';
import { fetchThroughCrash } from './fetch-through-crash.ts';
import { canWatchProcessGroups } from './process-group.ts';
import type { EnvironmentProvider, LocalEnvironmentSettings, RunEnvironment } from './run-environment.ts';

/**
 * When no request waits, virtual time still moves for deliveries, refunds and late requests that are due within this
 * many milliseconds.
 */
const settleMs = 60_000;
/**
 * The real milliseconds that a point of sale has for its next action before virtual time moves on. The time is longer
 * on systems that do not show whether the point of sale is active.
 */
const patienceMs = canWatchProcessGroups ? 50 : 150;

/**
 * Returns a provider that starts a gateway and terminals for each run, in this thread. The gateway keeps its data in
 * memory, unless the run needs a data folder. Its virtual time moves on by itself when nothing happens.
 */
export function makeLocalEnvironmentProvider(local: LocalEnvironmentSettings): EnvironmentProvider {
  const { config, needs, port = 0, seed, adyen } = local;
  return {
    local,
    impossible: new Map(),
    open: async ({ folder }) => {
      const data = folder ? mkdtempSync(join(tmpdir(), 'pinpad-explore-')) : undefined;
      let stack: Stack | undefined;
      const close = async () => {
        try {
          await stack?.close();
        } finally {
          if (data !== undefined) rmSync(data, { recursive: true, force: true });
        }
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
            `"pinpad explore" starts a gateway without stored data for each run: leave the setting "database" out of ${config}, or use --gateway to explore the gateways of that database`,
          );
        stack = await startStack(withoutFixedTerminalPort(wanted));
        return environmentOf(stack, close);
      } catch (error) {
        // An open stack would keep the process from ending.
        await close();
        throw error;
      }
    },
    close: async () => {},
  };
}

/**
 * Returns the configuration without a port for the terminals' own API, because several runs at the same time cannot use
 * the same port.
 */
function withoutFixedTerminalPort(config: Config): Config {
  return { ...config, adyen: Boolean(config.adyen) };
}

function environmentOf(stack: Stack, close: () => Promise<void>): RunEnvironment {
  const { url, controlToken, runtime, terminals, tokens } = stack;
  const [terminal] = terminals;
  const token = tokens.find(({ environment }) => environment === 'sandbox');
  if (!terminal || !token)
    throw new StartError(
      '"pinpad explore" needs a terminal and a sandbox token: add an account that has both to the configuration',
    );
  // The counts in these maps continue to grow during the run.
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
    close,
  };
}
