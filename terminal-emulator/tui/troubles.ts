import type { ActiveTrouble, OfferedTrouble, TroubleMode } from './source.ts';
import { findSelectedTerminalAndScreen, type TuiState } from './state.ts';

/** A trouble in the form in which the page of troubles lists it. */
export interface ListedTrouble extends OfferedTrouble {
  /** When the trouble happens. Undefined if the trouble is not set. */
  readonly mode: TroubleMode | undefined;
}

/**
 * Returns all troubles that can be set at the terminal in view. If another program has set troubles that the page
 * itself does not offer, these troubles come first.
 */
export function findListedTroubles(state: TuiState): readonly ListedTrouble[] {
  const set = findSelectedTerminalAndScreen(state)?.terminal.troubles ?? [];
  const ids = new Set(state.troubles.map(({ id }) => id));
  const others = set.filter(({ id }) => !ids.has(id)).map(listedOther);
  const modes = new Map(set.map(({ id, mode }) => [id, mode]));
  return [...others, ...state.troubles.map((trouble) => ({ ...trouble, mode: modes.get(trouble.id) }))];
}

function listedOther({ id, text, mode }: ActiveTrouble): ListedTrouble {
  return { id, text, mode, group: 'Set by a test', modes: [mode] };
}

export function findSelectedTrouble(state: TuiState): ListedTrouble | undefined {
  const listed = findListedTroubles(state);
  return listed.find(({ id }) => id === state.troubleId) ?? listed[0];
}

/** A row of the page of troubles. It is the title of a group, or a trouble. */
type TroubleRow = { readonly title: string } | { readonly trouble: ListedTrouble };

export function troubleRows(state: TuiState): TroubleRow[] {
  const rows: TroubleRow[] = [];
  let group = '';
  for (const trouble of findListedTroubles(state)) {
    if (trouble.group !== group) rows.push({ title: trouble.group });
    group = trouble.group;
    rows.push({ trouble });
  }
  return rows;
}
