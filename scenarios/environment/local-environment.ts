import { closeInOrder } from '../../shared/close-in-order.ts';
import { RequestCounter } from '../../shared/skipping/request-counter.ts';
import { VirtualTimeWaits } from '../../shared/skipping/time-waits.ts';
import { startStopwatch } from '../../shared/stopwatch.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import {
  type Config,
  type ConfigChanges,
  makeConfiguredRuntime,
  resolveConfig,
  type Stack,
  startStack,
} from '../../stack/index.ts';
import type { EnvironmentTerminal, TestEnvironment } from './scenario-context.ts';
import { makeRealScenarioClock, makeVirtualScenarioClock, type ScenarioClock } from './scenario-time.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

interface LocalEnvironmentOptions {
  /** Names of the terminals, in the order of the configuration. */
  terminalNames?: readonly string[];
  /** Whether requests and webhooks must stay on this machine. */
  staysHere?: boolean;
  /**
   * Whether to keep data on disk, in a folder that is removed at the end. The gateway can be restarted only if data
   * are kept.
   */
  keepsData?: boolean;
  /**
   * Some clients send requests that are not counted as in flight. Before virtual time moves, these clients have this
   * many real milliseconds in which to act.
   */
  patienceMs?: number;
  /**
   * During one wait, clients whose requests are not counted as in flight have this many real milliseconds in all in
   * which to act. After that, virtual time moves to the moment at which the wait fails.
   */
  lastChanceMs?: number;
  /** Returns how many real milliseconds a step of virtual time should take, so that people can watch the run. */
  showMs?: (virtualMs: number) => number;
}

/**
 * Starts a gateway and terminals in this process for one scenario. `close` removes everything.
 *
 * @throws StartError if the configuration cannot be started
 */
export async function startLocalEnvironment(
  changes: ConfigChanges,
  options: LocalEnvironmentOptions = {},
): Promise<TestEnvironment & { stack: Stack }> {
  const folder = options.keepsData ? makeTemporaryFolder() : undefined;
  try {
    return await startEnvironmentIn(folder, changes, options);
  } catch (error) {
    folder?.remove();
    throw error;
  }
}

async function startEnvironmentIn(
  folder: ReturnType<typeof makeTemporaryFolder> | undefined,
  changes: ConfigChanges,
  options: LocalEnvironmentOptions,
): Promise<TestEnvironment & { stack: Stack }> {
  const config = resolveConfig(undefined, {
    port: 0,
    clock: 'virtual',
    seed: 1,
    memory: folder === undefined,
    data: folder?.path,
    ...changes,
    ...(options.staysHere && { webhooks: { allowedNetworks: [], loopbackOnly: true } }),
  });
  const runtime = makeConfiguredRuntime(config);
  const { clock, realClock } = runtime;
  const tookMs = startStopwatch(realClock);
  let stack = await startStack(config, { terminals: true, runtime });
  const { emulator } = stack;
  const counter = new RequestCounter(runtime.inFlight, runtime.timeWaits.activity);
  const waits = runtime.timeWaits;
  const time =
    waits instanceof VirtualTimeWaits
      ? makeVirtualScenarioClock({ clock: clock as VirtualClock, realClock, waits }, options)
      : makeRealScenarioClock(realClock);
  await time.settled();
  return {
    url: stack.url,
    controlToken: stack.controlToken,
    tokens: tokensOf(stack),
    currency: stack.currency,
    accountId: stack.tokens[0]?.account ?? '',
    terminals: terminalsOf(stack, options.terminalNames ?? []),
    time,
    tookMs,
    prefix: 'scenario-',
    staysHere: options.staysHere ?? false,
    clock,
    inFlight: runtime.inFlight,
    get stack() {
      return stack;
    },
    idOf: (name) => name,
    count: (requestId, over) => counter.count(requestId, over),
    journalSince: async (seq) => runtime.journal.since(seq),
    restartGateway: async () => {
      stack = await restarted(stack, config, time);
      await time.settled();
    },
    close: () =>
      closeInOrder(
        () => stack.gateway.close(),
        () => emulator?.close(),
        () => folder?.remove(),
      ),
  };
}

/** Stops only the gateway, and starts it again. The terminals keep running, and they connect to the gateway again. */
async function restarted(stack: Stack, config: Config, time: ScenarioClock): Promise<Stack> {
  const { emulator, runtime } = stack;
  await stack.gateway.close();
  await time.settled(); // waits until all terminals have noticed the stop
  const again = await startStack(
    { ...config, port: Number(new URL(stack.url).port) },
    { terminals: false, runtime },
  );
  return { ...again, emulator };
}

function tokensOf(stack: Stack): TestEnvironment['tokens'] {
  const of = (environment: string) => stack.tokens.find((token) => token.environment === environment)?.token;
  return { sandbox: of('sandbox') ?? '', production: of('production') };
}

function terminalsOf(stack: Stack, names: readonly string[]): EnvironmentTerminal[] {
  return stack.terminals.map(({ poiId, identifier }, index) => ({
    name: names[index] ?? `terminal ${index + 1}`,
    poiId,
    identifier,
  }));
}
