import type { TuiTerminal } from './source.ts';

/** A terminal as `pinpad up` and the console name it: by its poi_id, with its store beside it. */
export function terminalName({ terminals }: { terminals: readonly TuiTerminal[] }, poiId = ''): string {
  const store = terminals.find((terminal) => terminal.poiId === poiId)?.store;
  return store ? `${poiId}, ${store}` : poiId;
}

/** As many columns as the poi_ids need; the longest are shortened where the window is small. */
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
