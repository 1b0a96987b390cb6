import { makeLocalEnvironmentProvider, makeRunningGatewayProvider } from '../../explore/index.ts';
import type { Scenario } from '../../scenarios/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { systemRandom } from '../../shared/random.ts';
import { readRunningNote, StartError } from '../../stack/running-gateway.ts';
import type { ExploreFlags } from './flags.ts';

type EnvironmentProvider = ReturnType<typeof makeLocalEnvironmentProvider>;

/**
 * Makes the provider from which each run gets its gateway. The provider starts a new gateway for each run, or gives the
 * same running gateway to all runs.
 */
export async function makeEnvironmentProvider(
  flags: ExploreFlags,
  scenario: Scenario | undefined,
): Promise<EnvironmentProvider> {
  if (flags.gateway === undefined)
    return makeLocalEnvironmentProvider({
      config: flags.config,
      needs: scenario?.needs,
      port: flags.port,
      seed: flags.seed,
      adyen: flags.as === 'adyen',
    });
  refuseSettings(flags);
  const running = readRunningNote(flags.data);
  const url = flags.gateway === true ? running?.url : flags.gateway;
  if (url === undefined)
    throw new StartError(
      `no gateway runs with the data folder ${flags.data}: start one with "pinpad up", or give the address of a running gateway with --gateway`,
    );
  const here = running && new URL(running.url).origin === new URL(url).origin ? running : undefined;
  const token = flags.token ?? here?.token;
  const controlToken = flags.controlToken ?? here?.controlToken;
  if (token === undefined || controlToken === undefined)
    throw new StartError(
      `--token and --control-token (or PINPAD_TOKEN and PINPAD_CONTROL_TOKEN) are needed for the gateway at ${url}`,
    );
  return makeRunningGatewayProvider({
    ...{ gateway: { url: new URL(url).origin, controlToken }, token, terminal: flags.terminal },
    ...{ clock: systemClock, random: systemRandom },
  });
}

/** @throws StartError naming the options that do not work with a gateway that runs already (B333) */
function refuseSettings({ config, port, workers, threads, seed, restart }: ExploreFlags): void {
  const refused = [
    ...(config === undefined ? [] : ['--config']),
    ...(port === undefined ? [] : ['--port']),
    ...(seed === 1 ? [] : ['--seed']),
    ...(workers === 1 ? [] : ['--workers']),
    ...(threads === 1 ? [] : ['--threads']),
    ...(restart === undefined ? [] : ['--restart']),
  ];
  if (refused.length > 0)
    throw new StartError(`--gateway uses a gateway that is already running: leave out ${refused.join(', ')}`);
}
