import type { RecordedEnvironment, RecordedTerminal } from '../scenarios/index.ts';
import { type ControlledGateway, callControl } from '../stack/index.ts';

/** What stands on a gateway, so that a scenario recorded there finds the same. */
export async function readEnvironment(gateway: ControlledGateway): Promise<RecordedEnvironment> {
  const read = <Item>(path: string) => callControl<Item[]>(gateway, 'GET', path);
  const [terminals, accounts, contacts, bankAccounts, credits] = await Promise.all([
    read<Omit<RecordedTerminal, 'identifier'> & { id: string }>('/terminals'),
    read<NonNullable<RecordedEnvironment['accounts']>[number]>('/accounts'),
    read<NonNullable<RecordedEnvironment['contacts']>[number]>('/contacts'),
    read<NonNullable<RecordedEnvironment['bankAccounts']>[number]>('/bank-accounts'),
    read<NonNullable<RecordedEnvironment['credits']>[number]>('/credits?limit=1000'),
  ]);
  const named = terminals.map(({ id, ...terminal }) => ({ ...terminal, identifier: id }));
  return { terminals: named, accounts, contacts, bankAccounts, credits };
}
