import { type ScenarioContext, ScenarioError } from './scenario-context.ts';

/** The maximum time that terminals get to connect to a gateway again, in milliseconds of the clock. */
const reconnectLimitMs = 120_000;

/**
 * Stops the gateway and starts it again with the same data. Resolves when all terminals that were connected before
 * the restart are connected again.
 *
 * @throws ScenarioError if the gateway runs elsewhere, or if terminals do not connect in time
 */
export async function restartAndReconnect(context: ScenarioContext): Promise<void> {
  const { restartGateway } = context.environment;
  if (!restartGateway) throw new ScenarioError('a gateway that other programs use cannot be restarted');
  const had = await connectedTerminals(context);
  await restartGateway();
  await context.scheduler.until(
    async () => {
      const connected = await connectedTerminals(context);
      if (!had.every((poiId) => connected.includes(poiId))) return undefined;
      // The emulator reconnects without being told. This check succeeds when actions at the terminals work again.
      const screens = await Promise.all(had.map((poiId) => context.screenOf(poiId)));
      return screens.every(Boolean) ? true : undefined;
    },
    reconnectLimitMs,
    () =>
      new ScenarioError(`not all terminals reconnected to the gateway within ${reconnectLimitMs / 1000} s`),
  );
}

async function connectedTerminals({ control }: ScenarioContext): Promise<string[]> {
  const all = await control.GET('/control/terminals');
  return all.flatMap(({ poiId, connected }) => (connected ? poiId : []));
}
