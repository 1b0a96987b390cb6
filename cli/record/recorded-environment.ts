import type { RecordedEnvironment } from '../../scenarios/index.ts';
import { type ControlledGateway, controlClientOf } from '../../stack/index.ts';

/**
 * Reads the accounts and terminals of a gateway, so that a scenario that was recorded at this gateway runs with the
 * same accounts and terminals.
 */
export async function readGatewayEnvironment(gateway: ControlledGateway): Promise<RecordedEnvironment> {
  const control = controlClientOf(gateway);
  const [terminals, accounts, contacts, bankAccounts, credits] = await Promise.all([
    control.GET('/control/terminals'),
    control.GET('/control/accounts'),
    control.GET('/control/contacts'),
    control.GET('/control/bank-accounts'),
    control.GET('/control/credits', { params: { query: { limit: 1000 } } }),
  ]);
  const named = terminals.map(({ id, ...terminal }) => ({ ...terminal, identifier: id }));
  return { terminals: named, accounts, contacts, bankAccounts, credits };
}

/**
 * Reads the accounts' settings before a recording, because the recording has each later change of these settings as a
 * step. Returns a function to call when the recording is over. The function returns the environment that the scenario
 * needs: terminals, contacts, bank accounts and credits at the end, but accounts as they were at the beginning.
 */
export async function beginEnvironmentReading(
  gateway: ControlledGateway,
): Promise<() => Promise<RecordedEnvironment>> {
  const { accounts = [] } = await readGatewayEnvironment(gateway);
  return async () => ({ ...(await readGatewayEnvironment(gateway)), accounts });
}
