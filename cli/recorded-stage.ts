import type { RecordedStage, RecordedTerminal } from '../scenarios/index.ts';
import { type ControlledGateway, callControl } from '../stack/index.ts';

/** What stands on a gateway, so that a story recorded there finds the same. */
export async function readStage(gateway: ControlledGateway): Promise<RecordedStage> {
  const read = <Item>(path: string) => callControl<Item[]>(gateway, 'GET', path);
  const [terminals, accounts, contacts, bankAccounts, credits] = await Promise.all([
    read<Omit<RecordedTerminal, 'identifier'> & { id: string }>('/terminals'),
    read<NonNullable<RecordedStage['accounts']>[number]>('/accounts'),
    read<NonNullable<RecordedStage['contacts']>[number]>('/contacts'),
    read<NonNullable<RecordedStage['bankAccounts']>[number]>('/bank-accounts'),
    read<NonNullable<RecordedStage['credits']>[number]>('/credits?limit=1000'),
  ]);
  const named = terminals.map(({ id, ...terminal }) => ({ ...terminal, identifier: id }));
  return { terminals: named, accounts, contacts, bankAccounts, credits };
}
