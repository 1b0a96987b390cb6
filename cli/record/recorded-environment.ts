import type { RecordedEnvironment } from '../../scenarios/index.ts';
import { type ControlledGateway, controlOf } from '../../stack/index.ts';

/** What stands on a gateway, so that a scenario recorded there finds the same. */
export async function readEnvironment(gateway: ControlledGateway): Promise<RecordedEnvironment> {
  const control = controlOf(gateway);
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
 * Begins a recording; gives what its scenario needs, once it is over. Accounts are as they were before it, since what changes their
 * settings is a step; the rest is what was made meanwhile, too.
 */
export function environmentSince(gateway: ControlledGateway): () => Promise<RecordedEnvironment> {
  const before = readEnvironment(gateway);
  before.catch(() => {}); // reported at the end
  return async () => {
    const { accounts = [] } = await before;
    return { ...(await readEnvironment(gateway)), accounts };
  };
}
