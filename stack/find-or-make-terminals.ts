import { ApiError } from '../client/api-client.ts';
import type { TerminalSettings } from '../terminal-emulator/index.ts';
import { type ControlledGateway, controlClientOf, withGatewayErrorsExplained } from './call-control.ts';
import { StartError } from './start-error.ts';

/** A terminal whose number came from the gateway. */
export interface RegisteredTerminal extends TerminalSettings {
  identifier: string;
}

/** The maximum number of keys that the gateway accepts in one call. */
const atOnce = 1_000;

/**
 * Returns a gateway's terminals that have these device keys. For each key that no terminal has, the gateway makes a
 * terminal in its first store (B197).
 *
 * @throws StartError if the gateway does not answer, has no store, or belongs to a release that does not number
 * terminals
 */
export function findOrMakeTerminals(
  gateway: ControlledGateway,
  deviceKeys: readonly string[],
): Promise<RegisteredTerminal[]> {
  const control = controlClientOf(gateway);
  return withGatewayErrorsExplained(gateway, async () => {
    const stores = await control.GET('/control/stores');
    const [first] = stores;
    if (!first) throw new StartError(`the gateway at ${gateway.url} has no store to put terminals in`);
    const names = new Map(stores.map(({ id, name }) => [id, name]));
    const made: RegisteredTerminal[] = [];
    for (let at = 0; at < deviceKeys.length; at += atOnce) {
      const keys = deviceKeys.slice(at, at + atOnce);
      const params = { path: { storeId: first.id } };
      const request = { params, body: { deviceKeys: keys } };
      const terminals = await control
        .POST('/control/stores/{storeId}/terminals', request)
        .catch((error) => Promise.reject(tooOld(gateway, error)));
      for (const [nth, { id, poiId, storeId }] of terminals.entries())
        made.push({
          poiId,
          identifier: id,
          deviceKey: keys[nth] as string,
          storeName: names.get(storeId) ?? first.name,
        });
    }
    return made;
  });
}

/**
 * A gateway of an earlier release does not know this call, and answers with an error. Replaces that error by an error
 * for the user. This process cannot choose the numbers of the terminals itself, because other processes may already use
 * the same numbers.
 */
function tooOld({ url }: ControlledGateway, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'routeNotFound') return error;
  return new StartError(
    `the gateway at ${url} is of an earlier release, which cannot choose numbers for new terminals: start the gateway with this release, or name the terminals with --poi and --key`,
  );
}
