import type { Overlay } from './command.ts';
import type { TuiState } from './state.ts';

/** Opens an overlay. If another overlay is open, that overlay is shown again when the new one is closed. */
export function openOverlay(state: TuiState, overlay: Overlay): TuiState {
  const { overlay: now } = state;
  if (now === overlay) return state;
  return {
    ...state,
    overlay,
    beneath: now ? [...state.beneath.filter((each) => each !== overlay), now] : [],
  };
}

/**
 * Closes the overlay and shows what is under it. Closing the journal removes its filter. When the user closes an entry,
 * the journal follows new lines again. When the user closes a sale, the list of sales follows new sales again. If the
 * arrow keys control one of these lists, the list keeps its selected line instead.
 */
export function closeOverlay(state: TuiState): TuiState {
  const overlay = state.beneath.at(-1);
  const beneath = state.beneath.slice(0, -1);
  return { ...state, ...leaveOverlay(state, overlay), overlay, beneath };
}

function leaveOverlay({ overlay, focus }: TuiState, next: Overlay | undefined): Partial<TuiState> {
  if (overlay === 'journal') return { journalAt: undefined, filter: '' };
  if (overlay === 'calls' && focus !== 'sales') return { saleId: undefined };
  return overlay === 'entry' && next !== 'journal' && focus !== 'journal' ? { journalAt: undefined } : {};
}
