import type { RecordedEnvironment } from '../../scenarios/index.ts';
import { type ControlledGateway, controlClientOf } from '../../stack/index.ts';

/** Reads the accounts and terminals of a gateway, so that a scenario recorded there finds the same ones. */
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
 * Reads the accounts as they are before a recording, because a change of their settings is a step of the recording.
 * Returns a function to call when the recording is over. That function returns what the scenario needs, including
 * accounts and terminals that were made meanwhile.
 */
export async function beginEnvironmentReading(
  gateway: ControlledGateway,
): Promise<() => Promise<RecordedEnvironment>> {
  const { accounts = [] } = await readGatewayEnvironment(gateway);
  return async () => ({ ...(await readGatewayEnvironment(gateway)), accounts });
}
