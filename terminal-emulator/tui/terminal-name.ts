import type { TuiTerminal } from './source.ts';

/** A terminal's name as in `pinpad up` and the console: its poi_id, with its store beside it. */
export function terminalName({ terminals }: { terminals: readonly TuiTerminal[] }, poiId = ''): string {
  const store = terminals.find((terminal) => terminal.poiId === poiId)?.store;
  return store ? `${poiId}, ${store}` : poiId;
}

/** The columns that the poi_ids need. The longest poi_ids are shortened if the window is small. */
export function terminalColumns({
  terminals,
  size,
}: {
  terminals: readonly TuiTerminal[];
  size: { columns: number };
}): number {
  const longest = Math.max(...terminals.map(({ poiId }) => poiId.length));
  return Math.min(size.columns < 100 ? 16 : 40, longest);
}
